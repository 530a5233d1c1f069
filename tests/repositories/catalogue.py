"""All honest repositories, and the table of them that README.md is made of."""

from compiled_projects import COMPILED
from git_features import GIT_FEATURES
from node_projects import NODE
from python_environments import ENVIRONMENTS
from python_layouts import LAYOUTS
from python_plugins import PLUGINS
from python_surroundings import SURROUNDINGS
from repository import Repository

REPOSITORIES: tuple[Repository, ...] = (
    *LAYOUTS,
    *PLUGINS,
    *ENVIRONMENTS,
    *SURROUNDINGS,
    *NODE,
    *COMPILED,
    *GIT_FEATURES,
)


def table() -> str:
    """What README.md of this folder says of each repository."""
    rows = (
        f"| {each.name} | {each.proves} | {', '.join(each.tools)} | {each.hardening} |"
        for each in REPOSITORIES
    )
    head = ("| repository | proves | needs | hardening |", "|---|---|---|---|")
    return "\n".join((*head, *rows)) + "\n"
