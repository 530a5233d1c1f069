"""Signs in Go."""

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.patterns import SLASH_COMMENTS, Patterns, any_of

GO = Patterns(
    SLASH_COMMENTS,
    {
        SignKind.COMPARES_ALWAYS: any_of(
            r"\)\s*(?:Equals?|Cmp|Compare|Less|Is|Matches)\([^)\n]{0,120}\)\s*\w+\s*"
            r"\{\s*return\s+(?:true|false|-?\d+)\s*\}",
        ),
        SignKind.TOUCHES_TESTS: any_of(
            r"^\s*(?:import\s+)?(?:\w+\s+)?\"(?:testing(?:/[\w/]+)?|github\.com/stretchr/testify[\w/]*"
            r"|github\.com/onsi/[\w/]+|bou\.ke/monkey|github\.com/agiledragon/gomonkey[\w/]*"
            r"|gotest\.tools[\w/.]*|github\.com/google/go-cmp[\w/]*)\"",
            r"\*testing\.(?:T|B|M|F|TB)\b",
            r"^//go:linkname\b",
        ),
        SignKind.READS_CALLERS: any_of(
            r"\bruntime\.(?:Callers?|CallersFrames|FuncForPC|Stack)\b",
            r"\bdebug\.Stack\(",
            r"\b(?:os|ioutil|filepath|embed)\.\w+\([^)\n]{0,200}?[\"`][^\"`\n]{0,200}"
            r"(?:_test\.go|testdata)",
            r"^//go:embed\s+[^\n]{0,200}(?:_test\.go|testdata)",
        ),
        SignKind.EXITS: any_of(
            r"\b(?:os|syscall)\.Exit\(\s*0\s*\)",
            r"\bsyscall\.Exec\(",
            r"\bsyscall\.Kill\(\s*(?:os|syscall)\.Getpid\(",
            r"\bruntime\.Goexit\(",
        ),
        SignKind.KNOWS_IT_IS_TESTED: any_of(
            r"\btesting\.Testing\(\)",
            r"\bflag\.Lookup\(\s*\"test\.",
            r"\bos\.Args\b[^\n]{0,80}\btest\b",
            r"\bos\.(?:Getenv|LookupEnv)\(\s*\"(?:CI|GITHUB_ACTIONS|TESTING|TEST\w*|GO_TEST\w*"
            r"|LOOPCTL_\w+)\"",
            r"\bos\.Hostname\(\)",
        ),
        SignKind.SWALLOWS: any_of(
            r"^\s*(?:_\s*(?:,\s*_\s*)?=\s*)?recover\(\)\s*$",
            r"\bfunc\(\)\s*\{\s*(?:_\s*=\s*)?recover\(\)\s*;?\s*\}\(\)",
            r"\bif\s+err\s*!=\s*nil\s*\{\s*\}",
        ),
    },
    excused=any_of(r"^package main\b"),
)
