"""Node projects: npm scripts, workspaces, recorded answers, TypeScript."""

import os
import shutil

from harness import World
from repository import Repository, replace, text
from toolchains import TYPESCRIPT

_NPMRC = "fund=false\nupdate-notifier=false\n"
_IGNORED = "node_modules/\ndist/\n"
_SHARED = '[evaluator]\nshare = ["node_modules"]\n'


def _store_of_packages(world: World) -> None:
    """``node_modules`` as pnpm lays it out: packages are links into a store beside them."""
    modules = world.repository / "node_modules"
    package = modules / ".pnpm" / "left-side@1.0.0" / "node_modules" / "left-side"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "left-side", "version": "1.0.0"}\n')
    (package / "index.js").write_text("module.exports = (text, n) => text.padStart(n, '.');\n")
    (package / "cli.js").write_text(
        "#!/usr/bin/env node\nconsole.log(require('./index.js')('checked', 10));\n"
    )
    (package / "cli.js").chmod(0o755)
    (modules / "left-side").symlink_to(".pnpm/left-side@1.0.0/node_modules/left-side")
    (modules / ".bin").mkdir()
    (modules / ".bin" / "left-side").symlink_to("../left-side/cli.js")


def _linked_workspaces(world: World) -> None:
    modules = world.repository / "node_modules" / "@acme"
    modules.mkdir(parents=True)
    (modules / "shop").symlink_to("../../packages/shop")
    (modules / "taxes").symlink_to("../../packages/taxes")


def _typescript(world: World) -> None:
    """The compiler, as hard links to one copy on the disk where that is possible."""
    modules = world.repository / "node_modules"
    wanted = ("package.json", "bin/tsc", "lib/tsc.js", "lib/_tsc.js", "lib/lib.es5.d.ts")
    for name in (*wanted, "lib/lib.decorators.d.ts", "lib/lib.decorators.legacy.d.ts"):
        copy = modules / "typescript" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(TYPESCRIPT / name, copy)
        except OSError:
            shutil.copy2(TYPESCRIPT / name, copy)
    (modules / ".bin").mkdir()
    (modules / ".bin" / "tsc").symlink_to("../typescript/bin/tsc")


NODE = (
    Repository(
        name="npm-test",
        proves="`npm test` with a shared `node_modules`: a package, its program, links in a store",
        tools=("node", "npm"),
        files={
            ".gitignore": _IGNORED,
            ".npmrc": _NPMRC,
            "loopctl.toml": _SHARED,
            "package.json": text("""
                {
                  "name": "shop",
                  "version": "1.0.0",
                  "scripts": {"pretest": "left-side", "test": "node --test"},
                  "dependencies": {"left-side": "1.0.0"}
                }
                """),
            "shop.js": text("""
                const side = require('left-side');

                exports.row = (n) => side(`${n}`, 3);
                """),
            "test/shop.test.js": text("""
                const assert = require('node:assert');
                const test = require('node:test');
                const { row } = require('../shop.js');

                test('a row', () => assert.strictEqual(row(7), '....7'));
                """),
        },
        after_commit=_store_of_packages,
        stop="npm test",
        fails=r"(?s)\.\.\.checked.*'\.\.7'",
        repair=replace("shop.js", "3)", "5)"),
        without="rm -r node_modules/.pnpm",
        then="left-side.*not found",
    ),
    Repository(
        name="npm-workspaces",
        proves="packages of one repository find one another through links in `node_modules`",
        tools=("node", "npm"),
        files={
            ".gitignore": _IGNORED,
            ".npmrc": _NPMRC,
            "loopctl.toml": _SHARED,
            "package.json": '{"private": true, "workspaces": ["packages/*"]}\n',
            "packages/taxes/package.json": text("""
                {"name": "@acme/taxes", "version": "1.0.0", "main": "index.js"}
                """),
            "packages/taxes/index.js": "exports.rate = 2;\n",
            "packages/shop/package.json": text("""
                {
                  "name": "@acme/shop",
                  "version": "1.0.0",
                  "scripts": {"test": "node check.test.js"},
                  "dependencies": {"@acme/taxes": "^1.0.0"}
                }
                """),
            "packages/shop/check.test.js": text("""
                const { rate } = require('@acme/taxes');

                require('node:assert').strictEqual(100 + rate, 120);
                """),
        },
        after_commit=_linked_workspaces,
        stop="npm test --workspace @acme/shop",
        fails="102 !== 120",
        repair=replace("packages/taxes/index.js", "2", "20"),
        without="rm node_modules/@acme/taxes",
        then="Cannot find module '@acme/taxes'",
    ),
    Repository(
        name="recorded-answers-in-node",
        proves="modules (`type: module`), a folder `__snapshots__`, and files beside them written",
        tools=("node",),
        files={
            ".gitignore": _IGNORED,
            "package.json": '{"name": "page", "type": "module"}\n',
            "src/page.js": "export const page = (title) => `<h1>${title}</h2>\\n`;\n",
            "src/__tests__/page.test.js": text("""
                import assert from 'node:assert';
                import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
                import { page } from '../page.js';

                const recorded = new URL('./__snapshots__/page.snap', import.meta.url);
                const made = new URL('../../dist/', import.meta.url);
                mkdirSync(made, { recursive: true });
                writeFileSync(new URL('page.html', made), page('Shop'));
                assert.strictEqual(
                  readFileSync(new URL('page.html', made), 'utf8'),
                  readFileSync(recorded, 'utf8'),
                );
                """),
            "src/__tests__/__snapshots__/page.snap": "<h1>Shop</h1>\n",
        },
        stop="node src/__tests__/page.test.js",
        fails=r"<h1>Shop</h2>",
        repair=replace("src/page.js", "</h2>", "</h1>"),
        without="rm -r src/__tests__/__snapshots__",
        then="no such file or directory.*page.snap",
    ),
    Repository(
        name="typescript",
        proves="the compiler from a shared `node_modules` checks types and builds what is run",
        tools=("node", "npm", "typescript"),
        files={
            ".gitignore": _IGNORED,
            ".npmrc": _NPMRC,
            "loopctl.toml": _SHARED,
            "package.json": text("""
                {
                  "name": "shop",
                  "scripts": {"build": "tsc -p .", "test": "npm run build && node dist/main.js"}
                }
                """),
            "tsconfig.json": text("""
                {
                  "compilerOptions": {
                    "outDir": "dist", "rootDir": "src", "strict": true, "lib": ["es5"],
                    "module": "commonjs", "target": "es5", "types": []
                  },
                  "include": ["src"]
                }
                """),
            "src/shop.ts": text("""
                export function total(net: number): number {
                  return `${net * 1.2}`;
                }
                """),
            "src/main.ts": text("""
                import { total } from "./shop";

                if (total(100) !== 120) {
                  throw new Error("not the total");
                }
                """),
        },
        after_commit=_typescript,
        stop="npm test",
        fails="error TS2322: Type 'string' is not assignable to type 'number'",
        repair=replace("src/shop.ts", "`${net * 1.2}`", "net * 1.2"),
        without="rm -r node_modules/typescript",
        then="tsc.*not found",
    ),
)
