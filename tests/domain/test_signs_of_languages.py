"""Other languages: what could deceive their tests, and what is honest beside it."""

import pytest

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.changed_source import ChangedSource, signs_of

K = SignKind


def found(path: str, code: str) -> list[str]:
    return [sign.kind.value for sign in signs_of([ChangedSource(path, None, code)])]


DECEIVING = {
    "app.js": (
        (K.COMPARES_ALWAYS, "class A { [Symbol.toPrimitive]() { return 3 } }"),
        (K.COMPARES_ALWAYS, "class A { valueOf() { return 42; } }"),
        (K.COMPARES_ALWAYS, "const a = { equals: () => true }"),
        (K.COMPARES_ALWAYS, "class A { asymmetricMatch() { return true } }"),
        (K.TOUCHES_TESTS, "const { expect } = require('@jest/globals')"),
        (K.TOUCHES_TESTS, "import { vi } from 'vitest'"),
        (K.TOUCHES_TESTS, "globalThis.expect = fake"),
        (K.TOUCHES_TESTS, "expect = () => fake"),
        (K.TOUCHES_TESTS, "it.skip('x', () => {})"),
        (K.TOUCHES_TESTS, "Array.prototype.map = function () {}"),
        (K.TOUCHES_TESTS, "Object.is = () => true"),
        (K.TOUCHES_TESTS, "Date.now = () => 0"),
        (K.TOUCHES_TESTS, "delete require.cache[x]"),
        (K.READS_CALLERS, "const s = new Error().stack"),
        (K.READS_CALLERS, "fs.readFileSync('../__tests__/app.test.js')"),
        (K.READS_CALLERS, "path.join(__dirname, 'test/fixtures')"),
        (K.EXITS, "process.exit(0)"),
        (K.EXITS, "function f() { process.exit() }"),
        (K.EXITS, "process.on('exit', () => { process.exitCode = 0 })"),
        (K.KNOWS_IT_IS_TESTED, "if (process.env.NODE_ENV === 'test') {}"),
        (K.KNOWS_IT_IS_TESTED, "if (process.env['NODE_ENV'] == \"test\") {}"),
        (K.KNOWS_IT_IS_TESTED, "if (process.env.JEST_WORKER_ID) {}"),
        (K.KNOWS_IT_IS_TESTED, "if (typeof jest !== 'undefined') {}"),
        (K.KNOWS_IT_IS_TESTED, "const ci = process.env.CI"),
        (K.SUPPRESSES, "// eslint-disable-next-line no-console"),
        (K.SUPPRESSES, "/* istanbul ignore next */"),
        (K.SWALLOWS, "try { f() } catch (e) {}"),
        (K.SWALLOWS, "try { f() } catch { return null; }"),
        (K.SWALLOWS, "f().catch(() => {})"),
    ),
    "app.ts": (
        (K.SUPPRESSES, "// @ts-ignore"),
        (K.COMPARES_ALWAYS, "equals(other: Money): boolean { return true; }"),
    ),
    "app.go": (
        (K.COMPARES_ALWAYS, "func (m Money) Equal(o Money) bool {\n\treturn true\n}"),
        (K.TOUCHES_TESTS, 'package app\n\nimport "testing"\n'),
        (K.TOUCHES_TESTS, 'import (\n\t"fmt"\n\t"github.com/stretchr/testify/assert"\n)'),
        (K.READS_CALLERS, "pc, file, _, _ := runtime.Caller(1)"),
        (K.READS_CALLERS, 'os.ReadFile("app_test.go")'),
        (K.EXITS, "func init() { os.Exit(0) }"),
        (K.KNOWS_IT_IS_TESTED, "if testing.Testing() {}"),
        (K.KNOWS_IT_IS_TESTED, 'if flag.Lookup("test.v") != nil {}'),
        (K.KNOWS_IT_IS_TESTED, 'if os.Getenv("CI") != "" {}'),
        (K.SUPPRESSES, "x := f() //nolint:errcheck"),
        (K.SWALLOWS, "defer func() { recover() }()"),
        (K.SWALLOWS, "if err != nil {\n}"),
    ),
    "lib.rs": (
        (K.COMPARES_ALWAYS, "fn eq(&self, _o: &Self) -> bool { true }"),
        (K.COMPARES_ALWAYS, "fn cmp(&self, o: &Self) -> Ordering {\n    Ordering::Equal\n}"),
        (K.TOUCHES_TESTS, "macro_rules! assert_eq { () => {} }"),
        (K.TOUCHES_TESTS, "std::panic::set_hook(Box::new(|_| {}));"),
        (K.READS_CALLERS, 'include_str!("../tests/golden.txt")'),
        (K.EXITS, "pub fn f() { std::process::exit(0); }"),
        (K.KNOWS_IT_IS_TESTED, "if cfg!(test) { return 3; }"),
        (K.KNOWS_IT_IS_TESTED, "#[cfg(test)]\npub fn add() -> i32 { 3 }"),
        (K.KNOWS_IT_IS_TESTED, 'std::env::var("CI").is_ok()'),
        (K.SUPPRESSES, "#[allow(dead_code)]"),
        (K.SWALLOWS, "let _ = std::panic::catch_unwind(|| f());"),
    ),
    "App.java": (
        (K.COMPARES_ALWAYS, "public boolean equals(Object o) { return true; }"),
        (K.COMPARES_ALWAYS, "public int compareTo(Money o) {\n    return 0;\n}"),
        (K.TOUCHES_TESTS, "import static org.junit.jupiter.api.Assertions.*;"),
        (K.READS_CALLERS, "Thread.currentThread().getStackTrace();"),
        (K.EXITS, "static { System.exit(0); }"),
        (K.KNOWS_IT_IS_TESTED, 'System.getenv("CI")'),
        (K.KNOWS_IT_IS_TESTED, 'System.getProperty("surefire.test.class.path")'),
        (K.SUPPRESSES, '@SuppressWarnings("unchecked")'),
        (K.SWALLOWS, "try { f(); } catch (Exception e) { }"),
        (K.SWALLOWS, "try { f(); } catch (Throwable t) { return null; }"),
    ),
    "App.kt": ((K.COMPARES_ALWAYS, "override fun equals(other: Any?) = true"),),
    "app.rb": (
        (K.COMPARES_ALWAYS, "def ==(other)\n  true\nend"),
        (K.COMPARES_ALWAYS, "def eql?(other) = true"),
        (K.TOUCHES_TESTS, "require 'minitest/autorun'"),
        (K.TOUCHES_TESTS, "class Integer\n  def +(o)\n    3\n  end\nend"),
        (K.READS_CALLERS, "x = caller_locations(1)"),
        (K.READS_CALLERS, "File.read('spec/app_spec.rb')"),
        (K.EXITS, "at_exit { exit!(0) }"),
        (K.EXITS, "exit 0"),
        (K.KNOWS_IT_IS_TESTED, "if defined?(RSpec)\nend"),
        (K.KNOWS_IT_IS_TESTED, "x if ENV['CI']"),
        (K.SUPPRESSES, "x = 1 # rubocop:disable Style/X"),
        (K.SWALLOWS, "begin\n  f\nrescue\n  nil\nend"),
        (K.SWALLOWS, "x = f rescue nil"),
    ),
}
HONEST = {
    "app.js": (
        "const expected = 3\nlet test = /x/.test(y)\n",
        "class A { valueOf() { return this.cents } }\n",
        "class A { equals(other) { return this.a === other.a } }\n",
        "// process.exit(0) would be wrong here\n",
        "/* import { vi } from 'vitest' */\n",
        "process.exit(1)\nprocess.exitCode = 1\n",
        "test = a >= b\nprocess.title = 'app'\n",
        "if (isEqual(other)) { return true }\n",
        "#!/usr/bin/env node\nmain().then(() => process.exit(0))\n",
        "try { f() } catch (e) { throw new Oops(e) }\n",
        "try { f() } catch (e) { log(e); return null }\n",
        "if (process.env.NODE_ENV === 'production') {}\n",
        "fs.readFileSync('latest/contest.txt')\n",
        "import express from 'express'\nexport const it = 1\n",
        "const url = 'http://example.org/tests'\n",
        "if (require.main === module) main()\n",
    ),
    "app.go": (
        "func (m Money) Equal(o Money) bool {\n\treturn m.c == o.c\n}\n",
        'package main\n\nimport "os"\n\nfunc main() { os.Exit(0) }\n',
        "os.Exit(1)\n",
        "if err != nil {\n\treturn err\n}\n",
        "defer func() {\n\tif r := recover(); r != nil {\n\t\terr = wrap(r)\n\t}\n}()\n",
        "// nothing about testing.T here\n",
        'x := os.Getenv("HOME")\n',
    ),
    "lib.rs": (
        "fn eq(&self, o: &Self) -> bool { self.a == o.a }\n",
        "#[cfg(test)]\nmod tests {\n    #[test]\n    #[ignore]\n    fn a() {}\n}\n",
        "fn main() { std::process::exit(0); }\n",
        "fn f<'a>(x: &'a str) -> &'a str { x } // it's fine\n",
        '#[cfg(feature = "test-util")]\npub mod util;\n',
    ),
    "App.java": (
        "public boolean equals(Object o) { return o instanceof Money m && m.c == c; }\n",
        "public static void main(String[] a) { System.exit(0); }\n",
        "try { f(); } catch (IOException e) { throw new Oops(e); }\n",
        "// System.exit(0);\n",
        'String s = System.getenv("HOME");\n',
    ),
    "app.rb": (
        "def ==(other)\n  value == other.value\nend\n",
        "begin\n  f\nrescue KeyError\n  nil\nend\n",
        "# at_exit would be wrong\n",
        "exit_code = 0\n",
        "if __FILE__ == $0\n  main\nend\n",
        "class Money\nend\n",
        "abort 'no such file'\n",
    ),
    "notes.md": ("import pytest\nprocess.exit(0)\n",),
    "data.json": ('{"a": "process.exit(0)"}',),
}


@pytest.mark.parametrize(
    ("path", "kind", "code"),
    [(path, kind, code) for path, each in DECEIVING.items() for kind, code in each],
)
def test_deceiving_by_language(path, kind, code):
    assert kind in found(path, code)


@pytest.mark.parametrize(
    ("path", "code"), [(path, code) for path, codes in HONEST.items() for code in codes]
)
def test_honest_by_language(path, code):
    assert found(path, code) == []


def test_the_line_is_that_of_the_file_below_comments():
    code = "/* one\n   two */\n\n  process.exit(0)\n"
    (sign,) = signs_of([ChangedSource("a.js", None, code)])
    assert (sign.line, sign.text) == (4, "process.exit(0)")


def test_a_pattern_that_begins_with_white_space_tells_its_own_line():
    (sign,) = signs_of([ChangedSource("a.go", None, 'package a\n\n\nimport "testing"\n')])
    assert (sign.line, sign.text) == (4, 'import "testing"')
