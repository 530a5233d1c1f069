"""Signs in Rust. Modules of tests at the end of a source file are not looked at."""

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.patterns import SLASH_COMMENTS_ALONE, Patterns, any_of

RUST = Patterns(
    SLASH_COMMENTS_ALONE,
    {
        SignKind.COMPARES_ALWAYS: any_of(
            r"\bfn\s+(?:eq|ne|lt|le|gt|ge|cmp|partial_cmp)\s*\([^)\n]{0,160}\)\s*->\s*[\w<>:]{1,60}"
            r"\s*\{\s*(?:return\s+)?(?:true|false|(?:Some\()?(?:\w+::){0,3}Equal\)?)\s*;?\s*\}",
        ),
        SignKind.TOUCHES_TESTS: any_of(
            r"\bextern\s+crate\s+test\b",
            r"\bmacro_rules!\s*(?:assert\w*|debug_assert\w*|panic)\b",
            r"\bpanic::(?:set_hook|take_hook)\b",
            r"\buse\s+(?:proptest|quickcheck|mockall|rstest|mockito|test_case)\b",
            r"#\[\s*ignore\b",
            r"#\[\s*should_panic\b",
        ),
        SignKind.READS_CALLERS: any_of(
            r"\bBacktrace::(?:capture|force_capture|new)\b",
            r"\bLocation::caller\(\)",
            r"\binclude_(?:str|bytes)!\(\s*\"[^\"\n]{0,200}\btests?/",
            r"\b(?:read_to_string|File::open|read_dir|fs::read)\(\s*\"[^\"\n]{0,200}\btests?/",
        ),
        SignKind.EXITS: any_of(
            r"\bprocess::exit\(\s*0\s*\)",
            r"\blibc::(?:_exit|exit|kill|execv\w*)\s*\(",
        ),
        SignKind.KNOWS_IT_IS_TESTED: any_of(
            r"\bcfg!\(\s*(?:not\(\s*)?test\b",
            r"#!?\[\s*cfg\(\s*not\(\s*test\s*\)",
            r"#\[\s*cfg\(\s*test\s*\)\s*\]\s*(?:#\[[^\]\n]{0,80}\]\s*)?(?:pub(?:\([^)\n]{0,40}\))?\s+)?"
            r"(?:const\s+)?(?:fn|impl|static|let|return)\b",
            r"\benv::(?:var|var_os)\(\s*\"(?:CI|GITHUB_ACTIONS|NEXTEST\w*|RUST_TEST\w*|TESTING"
            r"|CARGO_TARGET_TMPDIR|LOOPCTL_\w+)\"",
            r"\boption_env!\(\s*\"CARGO_TARGET_TMPDIR\"",
            r"\benv::args\(\)[^\n]{0,80}\btests?\b",
        ),
        SignKind.SWALLOWS: any_of(r"\bcatch_unwind\b"),
    },
    excused=any_of(r"^(?:async\s+)?fn\s+main\s*\("),
    cut=any_of(r"^\s*#\[cfg\(test\)\]\s*(?:#\[[^\]\n]{0,80}\]\s*)?(?:pub\s+)?mod\s+\w+\s*\{"),
)
