"""Every kind of repository that is cheated, in one tuple."""

import node_kinds
import python_kinds
import shell_kinds
from cheated_kind import Kind

KINDS: tuple[Kind, ...] = tuple(
    value
    for module in (python_kinds, shell_kinds, node_kinds)
    for value in vars(module).values()
    if isinstance(value, Kind)
)
