"""Projects in other languages, each with what its tools look for in a checkout or in HOME."""

from repository import Repository, replace, text

COMPILED = (
    Repository(
        name="rust",
        proves="`cargo test --offline`: rustup in the user's home, a crate in `vendor`",
        tools=("cargo",),
        files={
            ".gitignore": "target/\nCargo.lock\n",
            ".cargo/config.toml": text("""
                [source.crates-io]
                replace-with = "vendored-sources"

                [source.vendored-sources]
                directory = "vendor"
                """),
            "Cargo.toml": text("""
                [package]
                name = "shop"
                version = "1.0.0"
                edition = "2021"

                [dependencies]
                taxes = "1"

                [lib]
                doctest = false
                """),
            "src/lib.rs": "pub fn total(net: u32) -> u32 {\n    net * taxes::RATE\n}\n",
            "tests/total.rs": text("""
                #[test]
                fn total() {
                    assert_eq!(shop::total(100), 120);
                }
                """),
            "vendor/taxes/Cargo.toml": text("""
                [package]
                name = "taxes"
                version = "1.0.0"
                edition = "2021"
                """),
            "vendor/taxes/src/lib.rs": "pub const RATE: u32 = 20;\n",
            "vendor/taxes/.cargo-checksum.json": '{"files": {}}\n',
        },
        stop="cargo test --offline --quiet",
        fails=r"(?s)left: `?2000.*right: `?120",
        repair=replace("src/lib.rs", "net * taxes::RATE", "net + net * taxes::RATE / 100"),
        without="rm -r vendor/taxes",
        then="no matching package.*`taxes`",
    ),
    Repository(
        name="go",
        proves="`go test` with data in `testdata` and the user's build cache",
        tools=("go",),
        files={
            "go.mod": "module example.org/shop\n\ngo 1.16\n",
            "loopctl.toml": '[evaluator]\ncache = ["~/.cache/go-build"]\n',
            "taxes/taxes.go": "package taxes\n\nconst Rate = 20\n",
            "shop.go": text("""
                package shop

                import "example.org/shop/taxes"

                func Total(net int) int {
                \treturn net * taxes.Rate
                }
                """),
            "shop_test.go": text("""
                package shop

                import (
                \t"os"
                \t"strconv"
                \t"testing"
                )

                func TestTotal(t *testing.T) {
                \tdata, err := os.ReadFile("testdata/net")
                \tif err != nil {
                \t\tt.Fatal(err)
                \t}
                \tnet, _ := strconv.Atoi(string(data))
                \tif Total(net) != 120 {
                \t\tt.Fatalf("the total is %d", Total(net))
                \t}
                }
                """),
            "testdata/net": "100",
        },
        stop="go test ./...",
        labels=("cache shared: ~/.cache/go-build",),
        fails="the total is 2000",
        repair=replace("shop.go", "net * taxes.Rate", "net + net*taxes.Rate/100"),
        without="rm -r testdata",
        then="no such file or directory",
    ),
    Repository(
        name="make-and-c",
        proves="a header is generated, C is compiled, and the program runs in the checkout",
        tools=("make", "gcc"),
        files={
            ".gitignore": "build/\n",
            "Makefile": text("""
                include settings.mk

                check: build/shop
                \tcd build && test "$$(./shop)" = 120

                build/shop: shop.c build/rate.h
                \tgcc -Ibuild -o $@ shop.c

                build/rate.h: header.sh settings.mk
                \tmkdir -p build
                \t./header.sh $(RATE) > $@
                """),
            "settings.mk": "RATE = 20\n",
            "header.sh": '#!/bin/sh\necho "#define RATE $1"\n',
            "shop.c": text("""
                #include <stdio.h>
                #include "rate.h"

                int main(void) {
                    printf("%d\\n", 100 * RATE);
                    return 0;
                }
                """),
        },
        stop="make check",
        fails=r"make: \*\*\* \[Makefile:\d+: check\] Error 1",
        repair=replace("shop.c", "100 * RATE", "100 + RATE"),
        without="rm -rf build header.sh",
        then="No rule to make target 'header.sh'",
    ),
    Repository(
        name="java",
        proves="javac, and a resource on the class path",
        tools=("java", "javac"),
        files={
            ".gitignore": "build/\n",
            "run-tests.sh": text("""
                #!/bin/sh
                set -eu
                javac -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -d build src/*.java test/*.java
                exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp build:resources ShopTest
                """),
            "resources/rate.properties": "rate=20\n",
            "src/Shop.java": text("""
                import java.io.InputStream;
                import java.util.Properties;

                public class Shop {
                    static int total(int net) throws Exception {
                        Properties found = new Properties();
                        try (InputStream in = Shop.class.getResourceAsStream("/rate.properties")) {
                            found.load(in);
                        }
                        return net * Integer.parseInt(found.getProperty("rate"));
                    }
                }
                """),
            "test/ShopTest.java": text("""
                public class ShopTest {
                    public static void main(String[] arguments) throws Exception {
                        int total = Shop.total(100);
                        if (total != 120) {
                            throw new AssertionError("the total is " + total);
                        }
                    }
                }
                """),
        },
        stop="./run-tests.sh",
        fails="AssertionError: the total is 2000",
        repair=replace("src/Shop.java", "net * ", "net + "),
        without="rm -r resources",
        then="NullPointerException",
    ),
    Repository(
        name="perl",
        proves="`prove -l t` with a helper in `t/lib`",
        tools=("prove", "perl"),
        files={
            "lib/Shop.pm": "package Shop;\nuse strict;\nsub total { $_[0] * 20 }\n1;\n",
            "t/lib/Prices.pm": "package Prices;\nsub net { 100 }\n1;\n",
            "t/shop.t": text("""
                use strict;
                use FindBin;
                use lib "$FindBin::Bin/lib";
                use Test::More tests => 1;
                use Prices;
                use Shop;

                is(Shop::total(Prices::net()), 120, 'total');
                """),
        },
        stop="prove -l t",
        fails=r"(?s)got: '2000'.*expected: '120'",
        repair=replace("lib/Shop.pm", "$_[0] * 20", "$_[0] + 20"),
        without="rm t/lib/Prices.pm",
        then="Can't locate Prices.pm",
    ),
)
