"""What is known of a round before it starts, for the budget policy."""

from loopctl.domain.loop import LoopState, model_to_use
from loopctl.ports import PricingProvider, RoundForecast

BYTES_PER_TOKEN = 4
FACTS_TOKENS = 2_000
"""What the facts about earlier rounds add to the goal in the text of a turn."""


def forecast(state: LoopState, round_number: int, pricing: PricingProvider) -> RoundForecast:
    """What is known of the round called ``round_number``."""
    spec = state.spec
    model = model_to_use(spec.models, state.failed_models)
    goal_tokens = len(spec.goal.encode(errors="surrogateescape")) // BYTES_PER_TOKEN
    return RoundForecast(
        loop=spec.name,
        round=round_number,
        budget=state.budget,
        spent=state.spent,
        assumed=spec.assumed,
        model=model,
        prompt_tokens=goal_tokens + FACTS_TOKENS,
        rate=pricing.rate(model) if model else None,
    )
