"""Signs in JavaScript and TypeScript."""

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.patterns import SLASH_COMMENTS, Patterns, any_of

_RUNNERS = (
    r"(?:node:test|jest[\w/-]*|@jest/[\w/-]+|vitest[\w/-]*|mocha|chai[\w/-]*|ava|tap|tape|uvu"
    r"|jasmine[\w/-]*|expect|sinon|@playwright/test|cypress|@testing-library/[\w-]+|bun:test"
    r"|proxyquire|rewire|mock-require)"
)
_OWN_GLOBALS = "expect|it|describe|beforeEach|afterEach|beforeAll|afterAll|jest|vi"
_GLOBALS = rf"(?:{_OWN_GLOBALS}|test|assert)"
_CONSTANT = r"(?:true|false|null|undefined|-?\d[\w.]*|\"[^\"\n]*\"|'[^'\n]*')"
_TEST_FILE = r"[^\"'`\n]{0,200}(?:\btests?/|__tests__|\.test\.|\.spec\.|\bspec/|__snapshots__)"

JAVASCRIPT = Patterns(
    SLASH_COMMENTS,
    {
        SignKind.COMPARES_ALWAYS: any_of(
            r"\[Symbol\.(?:toPrimitive|hasInstance)\]",
            r"\basymmetricMatch\b",
            rf"\b(?:valueOf|equals|isEqual)\s*(?::\s*(?:function\s*)?)?\([^)\n]{{0,100}}\)"
            rf"[^{{}}()\n=]{{0,40}}(?:=>\s*)?\{{\s*return\s+{_CONSTANT}\s*;?\s*\}}",
            rf"\b(?:valueOf|equals|isEqual)\s*[:=]\s*(?:\([^)\n]{{0,100}}\)|\w+)\s*=>\s*{_CONSTANT}",
        ),
        SignKind.TOUCHES_TESTS: any_of(
            rf"(?:\bfrom|\brequire\(|\bimport\(?)\s*[\"'`]{_RUNNERS}[\"'`]",
            rf"\b(?:globalThis|global|window)(?:\.|\[[\"']){_GLOBALS}\b",
            rf"^\s*(?:{_OWN_GLOBALS})(?:\.[\w.]+)?\s*=(?![=>])",
            r"\bexpect\.(?:extend|setState|addSnapshotSerializer)\b",
            r"\b(?:jest|vi)\.(?:mock|fn|spyOn|doMock|setSystemTime|useFakeTimers)\b",
            r"\b(?:it|test|describe)\.(?:skip|only|todo)\b",
            r"\b(?:Object|Array|String|Number|Function|Map|Set|Date|Promise|RegExp|Error|Boolean)"
            r"\.prototype(?:\.\w+|\[[^\]\n]{1,60}\])\s*=(?!=)",
            r"\bObject\.(?:is|keys|entries|prototype|getOwnPropertyNames)\s*=(?!=)",
            r"\b(?:Math|JSON|Date|Reflect|process|performance)"
            r"\.(?!title\b|exitCode\b)\w+\s*=(?![=>])",
            r"\bprocess\.(?:exit|hrtime|emit)\s*=(?!=)",
            r"\bModule\.(?:_load|_resolveFilename|_extensions|prototype\.\w+)",
            r"\brequire\.(?:cache|extensions)\b",
        ),
        SignKind.READS_CALLERS: any_of(
            r"\bError\.prepareStackTrace\b",
            r"\bnew Error\([^)\n]{0,80}\)\.stack\b",
            r"\barguments\.callee\b",
            r"\.caller\b",
            rf"\b(?:readFile(?:Sync)?|readdir(?:Sync)?|createReadStream|glob(?:Sync)?|require)"
            rf"\([^)\n]{{0,200}}?[\"'`]{_TEST_FILE}",
            rf"\b(?:join|resolve)\((?:[^)\n]{{0,120}},\s*)?[\"'`]{_TEST_FILE}",
        ),
        SignKind.EXITS: any_of(
            r"\bprocess\.exit\(\s*(?:0\s*)?\)",
            r"\bprocess\.(?:reallyExit|abort)\b",
            r"\bprocess\.kill\(\s*process\.pid",
            r"\bprocess\.exitCode\s*=\s*0\b",
            r"\bprocess\.(?:on|once|prependListener)\(\s*[\"'](?:exit|beforeExit)[\"']",
            r"\bDeno\.exit\(\s*(?:0\s*)?\)",
        ),
        SignKind.KNOWS_IT_IS_TESTED: any_of(
            r"\b(?:NODE_ENV|MODE)\b[\"'\])]{0,3}\s*[!=]==?\s*[\"'`](?:test|testing|ci)[\"'`]",
            r"[\"'`](?:test|testing|ci)[\"'`]\s*[!=]==?\s*[\w.]{0,60}\b(?:NODE_ENV|MODE)\b",
            r"\bJEST_WORKER_ID\b",
            r"\bVITEST(?:_\w+)?\b",
            r"\bprocess\.env(?:\.|\[[\"'])(?:CI|GITHUB_ACTIONS|TESTING|TEST|LOOPCTL_\w+)\b",
            rf"\btypeof\s+(?:globalThis\.)?{_GLOBALS}\b",
            r"\bimport\.meta\.(?:vitest|jest)\b",
            r"\bprocess\.argv\b[^\n]{0,80}\b(?:jest|vitest|mocha|ava|test|tests)\b",
            r"\bos\.hostname\(\)\s*[!=]==?",
            r"\bprocess\.cwd\(\)(?:\.(?:includes|endsWith|startsWith|match)\(|\s*[!=]==?)",
        ),
        SignKind.SWALLOWS: any_of(
            rf"\bcatch\s*(?:\([^)\n]{{0,80}}\)\s*)?\{{\s*(?:return(?:\s+{_CONSTANT})?\s*;?\s*)?\}}",
            rf"\.catch\(\s*(?:\([^)\n]{{0,40}}\)|\w+)\s*=>\s*(?:\{{\s*\}}|{_CONSTANT})\s*\)",
        ),
    },
    excused=any_of(r"\A#!"),
)
