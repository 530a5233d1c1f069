"""Random histories of loops against an independent model."""

from hypothesis import HealthCheck, settings
from loop_machine import LoopMachine

# Derandomised: the suite says the same of the same code. Raise max_examples to search for more.
LoopMachine.TestCase.settings = settings(
    max_examples=200,
    stateful_step_count=8,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    database=None,
)
TestLoopMachine = LoopMachine.TestCase
