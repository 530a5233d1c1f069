"""What a run was for, in words: put behind the evaluator's name wherever a run is shown."""

from loopctl.domain.stage import Stage

STAGES = {
    Stage.FIRST: "",
    Stage.AGAIN: ", shown again",
    Stage.NEW_TESTS: ", with the new tests",
    Stage.HOLDOUT: ", held out",
}
