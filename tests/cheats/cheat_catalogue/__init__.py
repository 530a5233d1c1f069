"""All cheats, by the mechanism that they use."""

from cheat import Cheat

from cheat_catalogue.caches import CACHES
from cheat_catalogue.edited_tests import EDITED_TESTS
from cheat_catalogue.exit_states import EXIT_STATES
from cheat_catalogue.files_in_the_way import FILES_IN_THE_WAY
from cheat_catalogue.git_tricks import GIT_TRICKS
from cheat_catalogue.in_process import IN_PROCESS
from cheat_catalogue.injection import INJECTION
from cheat_catalogue.own_state import OWN_STATE
from cheat_catalogue.processes_left import PROCESSES_LEFT
from cheat_catalogue.runner_settings import RUNNER_SETTINGS
from cheat_catalogue.special_casing import SPECIAL_CASING
from cheat_catalogue.surroundings_of_tests import SURROUNDINGS_OF_TESTS

CATALOGUE: dict[str, tuple[Cheat, ...]] = {
    "Tests and what they expect": EDITED_TESTS,
    "Settings of runners, builds and linters; the check itself": RUNNER_SETTINGS,
    "Code put into the interpreter": INJECTION,
    "Environment, PATH and shell": SURROUNDINGS_OF_TESTS,
    "Inside the process of the tests": IN_PROCESS,
    "Right only where it is tested": SPECIAL_CASING,
    "Caches and stale products": CACHES,
    "Git": GIT_TRICKS,
    "Links and special files": FILES_IN_THE_WAY,
    "Processes and time": PROCESSES_LEFT,
    "loopctl's own state": OWN_STATE,
    "Exit states and output": EXIT_STATES,
}
CHEATS: tuple[Cheat, ...] = tuple(cheat for group in CATALOGUE.values() for cheat in group)
