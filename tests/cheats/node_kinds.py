"""Repositories for Node.js that are cheated."""

from cheated_kind import Kind
from repository import text

_NODE_TESTS = text(
    """
    const assert = require("node:assert");
    const { describe, test } = require("node:test");
    const { double } = require("../calc.js");

    describe("calc", () => {
        test("double", () => assert.strictEqual(double(21), 42));
        test("zero", () => assert.strictEqual(double(0), 0));
    });
    """
)
NODE = Kind(
    name="node",
    files={
        "calc.js": "exports.double = (x) => x;\n",
        "test/calc.test.js": _NODE_TESTS,
        "package.json": '{"name": "calc", "scripts": {"test": "node --test"}}\n',
        ".gitignore": "results.xml\nnode_modules/\n",
    },
    stops=("node --test --test-reporter=junit --test-reporter-destination=results.xml",),
    repair={"calc.js": "exports.double = (x) => x + x;\n"},
    options=("--results", "results.xml"),
    holdout="node -p 'require(\"./calc.js\").double(7)' | grep -x 14",
    tools=("node",),
)
