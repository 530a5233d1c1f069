"""Signs in Java, Kotlin, Scala and Groovy."""

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.patterns import SLASH_COMMENTS_ALONE, Patterns, any_of

_CONSTANT = r"(?:true|false|null|-?\d\w*|\"[^\"\n]*\"|(?:Optional|List|Map|Set)\.(?:empty|of)\(\))"

JVM = Patterns(
    SLASH_COMMENTS_ALONE,
    {
        SignKind.COMPARES_ALWAYS: any_of(
            r"\b(?:equals|compareTo|compare|hashCode)\s*\([^)\n]{0,120}\)\s*(?::\s*\w+\s*)?"
            r"\{\s*return\s+(?:true|false|-?\d+)\s*;?\s*\}",
            r"\b(?:equals|compareTo|hashCode)\s*\([^)\n]{0,120}\)\s*(?::\s*\w+\s*)?="
            r"\s*(?:true|false|-?\d+)\b",
        ),
        SignKind.TOUCHES_TESTS: any_of(
            r"^\s*import\s+(?:static\s+)?(?:org\.junit|junit|org\.testng|org\.mockito|org\.hamcrest"
            r"|org\.assertj|kotlin\.test|io\.kotest|org\.scalatest|io\.mockk|org\.spockframework"
            r"|org\.opentest4j|net\.jqwik|java\.lang\.instrument|spock)\b",
            r"\bTestAbortedException\b",
            r"\bClass\.forName\(\s*\"(?:org\.junit|junit|org\.testng|org\.opentest4j)",
            r"\bInstrumentation\b",
        ),
        SignKind.READS_CALLERS: any_of(
            r"\bgetStackTrace\(\)",
            r"\b(?:currentThread\(\)|Throwable\(\))\.stackTrace\b",
            r"\bStackWalker\b",
            r"\b(?:Paths\.get|Path\.of|File|FileReader|FileInputStream|readAllLines|readString)"
            r"\([^)\n]{0,120}?\"[^\"\n]{0,200}\b(?:src/test|tests?/)",
        ),
        SignKind.EXITS: any_of(
            r"\bSystem\.exit\(\s*0\s*\)",
            r"\b(?:getRuntime\(\)|runtime)\.(?:halt|exit)\(\s*0\s*\)",
            r"\bexitProcess\(\s*0\s*\)",
            r"\bsys\.exit\(\s*(?:0\s*)?\)",
        ),
        SignKind.KNOWS_IT_IS_TESTED: any_of(
            r"\bgetenv\(\s*\"(?:CI|GITHUB_ACTIONS|TESTING|TEST|LOOPCTL_\w+)\"",
            r"\bgetenv\(\)\s*\.\w+\(\s*\"(?:CI|GITHUB_ACTIONS)\"",
            r"\bgetProperty\(\s*\"(?:surefire|org\.gradle\.test|test\.|java\.class\.path)",
            r"[\"'](?:org\.gradle\.test\.worker|surefire\.[\w.]{1,60})[\"']",
            r"\bcontains\(\s*\"(?:junit|surefire|testng|org\.junit)",
            r"\bgetLocalHost\(\)\.getHostName\(\)",
        ),
        SignKind.SWALLOWS: any_of(
            r"\bcatch\s*\([^)\n]{0,60}\b(?:Exception|Throwable|Error|RuntimeException|AssertionError)"
            rf"\b[^)\n]{{0,40}}\)\s*\{{\s*(?:return(?:\s+{_CONSTANT})?\s*;?\s*)?\}}",
            r"\bcase\s+(?:_|\w+)\s*:\s*Throwable\s*=>\s*(?:\(\)|None|true|false|null)\s*$",
        ),
    },
    excused=any_of(r"\bstatic\s+void\s+main\s*\(", r"^\s*(?:suspend\s+)?fun\s+main\s*\("),
)
