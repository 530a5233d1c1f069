"""Signs in Ruby."""

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.patterns import HASH_COMMENTS, Patterns, any_of

_CONSTANT = r"(?:true|false|nil|-?\d[\w.]*|\[\]|\{\}|\"[^\"\n]*\"|'[^'\n]*')"
_OPERATOR = r"(?:==|!=|===|<=>|eql\?|equal\?|hash|=~|is_a\?|kind_of\?|instance_of\?|nil\?)"

RUBY = Patterns(
    HASH_COMMENTS,
    {
        SignKind.COMPARES_ALWAYS: any_of(
            rf"\bdef\s+(?:self\.)?{_OPERATOR}\s*(?:\([^)\n]{{0,60}}\)|[ \t]+\w+)?\s*[\n;]\s*"
            rf"(?:return\s+)?{_CONSTANT}\s*[\n;]\s*end\b",
            rf"\bdef\s+(?:self\.)?{_OPERATOR}\s*(?:\([^)\n]{{0,60}}\))?\s*=\s*{_CONSTANT}\s*$",
            rf"\bdefine(?:_singleton)?_method\(?\s*:(?:\"{_OPERATOR}\"|{_OPERATOR})",
        ),
        SignKind.TOUCHES_TESTS: any_of(
            r"^\s*require(?:_relative)?[\s(]+[\"'](?:rspec|minitest|test/unit|mocha|webmock|timecop"
            r"|spec_helper|test_helper)\b",
            r"\b(?:RSpec|Minitest|Test::Unit)(?:::|\.)\w+",
            r"^\s*(?:class|module)\s+(?:Object|BasicObject|Kernel|Integer|String|Array|Hash|Float"
            r"|Symbol|NilClass|Comparable|Module|Class|Exception)\s*$",
            r"\b(?:Object|BasicObject|Kernel|Integer|String|Array|Hash|Module)\.(?:class_eval"
            r"|prepend|send\(:(?:define_method|prepend|include))",
            r"\bTracePoint\b",
            r"\bset_trace_func\b",
        ),
        SignKind.READS_CALLERS: any_of(
            r"\bcaller(?:_locations)?\b(?!\s*[=:])",
            r"\bObjectSpace\.(?:each_object|reachable_objects_from)\b",
            r"\bbinding\.of_caller\b",
            r"\b(?:File|IO|Dir|Pathname)\.\w+[(\s][^)\n]{0,120}?[\"'][^\"'\n]{0,200}"
            r"(?:\b(?:spec|tests?)/|_spec\.rb|_test\.rb)",
        ),
        SignKind.EXITS: any_of(
            r"(?<![\w.:@$])exit!(?!\()",
            r"(?<![\w.:@$])exit!?\(?\s*(?:0|true)\b",
            r"^\s*exit\s*$",
            r"\bProcess\.exit!?(?:\(\s*(?:0|true)?\s*\))?\s*$",
            r"\bProcess\.kill\(?[^\n]{0,60}(?:Process\.pid|\$\$)",
            r"\bat_exit\b",
        ),
        SignKind.KNOWS_IT_IS_TESTED: any_of(
            r"\bdefined\?\(?\s*(?:::)?(?:RSpec|Minitest|MiniTest|Test::Unit|SimpleCov)\b",
            r"\bENV(?:\[|\.fetch\(|\.key\?\()\s*[\"'](?:CI|GITHUB_ACTIONS|TEST\w*|LOOPCTL_\w+)[\"']",
            r"\b(?:RAILS_ENV|RACK_ENV|APP_ENV)[\"'\])]{0,3}\s*[!=]=\s*[\"']test[\"']",
            r"\bRails\.env\.test\?",
            r"(?:\$0|\$PROGRAM_NAME)[^\n]{0,40}(?:rspec|minitest|_test|\btest\b)",
            r"\bSocket\.gethostname\b",
        ),
        SignKind.SWALLOWS: any_of(
            rf"^\s*rescue\s*(?:(?:StandardError|Exception)\s*)?(?:=>\s*\w+\s*)?\n\s*"
            rf"(?:(?:return\s+)?{_CONSTANT}\s*\n\s*)?end\b",
            rf"\brescue\s+{_CONSTANT}\s*$",
        ),
    },
    excused=any_of(r"\A#!"),
)
