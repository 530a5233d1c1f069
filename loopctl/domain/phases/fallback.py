"""A model that cannot be used is not used again: the next one of the list is, for its role.

A restart forgets what has failed.
"""

from loopctl.domain.agent_session import Role
from loopctl.domain.decision import Decision
from loopctl.domain.loop import LoopState, model_to_use
from loopctl.domain.records import ModelFailed


def mark_failed(
    state: LoopState, models: tuple[str, ...], model: str, role: Role, problem: str
) -> Decision:
    """Note that ``model`` could not be used; ``models`` are all that the role may use."""
    failed = tuple(dict.fromkeys((*state.failed_models, model)))
    following = model_to_use(models, failed)
    record = ModelFailed(
        round=state.round_number,
        role=role,
        model=model,
        following="" if following in failed else following,
        problem=problem,
    )
    return Decision(state.evolve(failed_models=failed), (record,))


def has_another(models: tuple[str, ...], failed: tuple[str, ...], model: str) -> bool:
    """Whether a model other than ``model`` is left that has not failed."""
    return any(one not in failed and one != model for one in models)
