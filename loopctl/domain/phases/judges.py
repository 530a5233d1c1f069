"""A judge that could not work: at a provider's limit, without a model, or without money.

None of it is the work's fault, so that none of it is a verdict, and none uses up a round.
"""

from loopctl.domain.agent_session import Role
from loopctl.domain.criteria import EvaluatorReport
from loopctl.domain.decision import Decision
from loopctl.domain.evaluator_spec import JudgeExecutor
from loopctl.domain.loop import LoopState, model_to_use
from loopctl.domain.phases.ending import enter_ending
from loopctl.domain.phases.fallback import has_another, mark_failed
from loopctl.domain.phases.waiting import wait_or_end


def held_up(state: LoopState, report: EvaluatorReport) -> Decision | None:
    """What follows when it was held up from outside; ``None`` when it was not.

    The step is still the one of an evaluation where another model can judge at once.
    """
    judged = report.judged
    if judged is None:
        return None
    if judged.refused and state.over_cap is not None:
        return enter_ending(state, state.over_cap)
    if not judged.limited:
        return None
    if has_another(models_of(state, report.evaluator), state.failed_models, at_work(state, report)):
        return judge_failed(state, report)
    return _wait(state, report)


def judge_failed(state: LoopState, report: EvaluatorReport) -> Decision:
    """Note that the model of this report cannot be used."""
    models = models_of(state, report.evaluator)
    return mark_failed(state, models, at_work(state, report), Role.JUDGE, _problem(report))


def models_of(state: LoopState, evaluator: str) -> tuple[str, ...]:
    """What a judge may use, the first to be tried at the front; nothing for other evaluators."""
    executor = state.evaluator(evaluator).executor
    return executor.models if isinstance(executor, JudgeExecutor) else ()


def at_work(state: LoopState, report: EvaluatorReport) -> str:
    """The model that was ordered: a provider may answer under another name for it."""
    said = "" if report.judged is None else report.judged.model
    return model_to_use(models_of(state, report.evaluator), state.failed_models) or said


def _wait(state: LoopState, report: EvaluatorReport) -> Decision:
    """Wait until the provider lets it work again; the snapshot stays what it is."""
    evaluation = state.open_evaluation
    state = state.evolve(evaluation=evaluation.evolve(limits=evaluation.limits + 1))
    resets_in_s = None if report.judged is None else report.judged.limit_resets_in_s
    return wait_or_end(state, resets_in_s, _problem(report), evaluation.limits)


def _problem(report: EvaluatorReport) -> str:
    return next((line for entry in report.criteria for line in entry.headline), report.exit)
