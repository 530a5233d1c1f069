"""JUnit XML as different runners write it."""

import pytest

from loopctl.domain.suite import Outcome
from loopctl.evaluators.junit import read_junit

PASSED, SKIPPED, FAILED, ERROR = Outcome
PYTEST = b"""<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests">
<testsuite name="pytest" errors="1" failures="1" skipped="2" tests="5">
<testcase classname="tests.test_a.TestX" name="test_good[1-a]" time="0.1"/>
<testcase classname="tests.test_a" name="test_bad"><failure message="boom">E</failure></testcase>
<testcase classname="tests.test_a" name="test_off">
<skipped type="pytest.skip" message="no"/></testcase>
<testcase classname="tests.test_a" name="test_xfail">
<skipped type="pytest.xfail" message=""/></testcase>
<testcase classname="" name="tests.test_b"><error message="collection failure">E</error></testcase>
</testsuite></testsuites>"""
SUREFIRE = b"""<testsuite name="demo.AddTest" tests="2" errors="0" skipped="0" failures="1">
  <properties><property name="java.version" value="17"/></properties>
  <testcase name="adds" classname="demo.AddTest"><system-out>hello</system-out></testcase>
  <testcase name="carries" classname="demo.AddTest"><failure type="Error">at</failure></testcase>
</testsuite>"""
NESTED = b"""<testsuites><testsuite name="a"><testsuite name="b"><testcase name="deep"/></testsuite>
<testcase name="flat"/></testsuite></testsuites>"""

NODE = b"""<?xml version="1.0" encoding="utf-8"?>
<testsuites>
  <testcase name="doubles" time="0.001" classname="test"/>
  <testsuite name="more" tests="1"><testcase name="deep" classname="test"/></testsuite>
  <testcase name="halves" classname="test"><failure message="no">E</failure></testcase>
</testsuites>"""


def test_what_node_writes():
    assert sorted(read_junit(NODE)) == [
        ("test::deep", PASSED),
        ("test::doubles", PASSED),
        ("test::halves", FAILED),
    ]


def test_what_pytest_writes():
    assert read_junit(PYTEST) == [
        ("tests.test_a.TestX::test_good[1-a]", PASSED),
        ("tests.test_a::test_bad", FAILED),
        ("tests.test_a::test_off", SKIPPED),
        ("tests.test_a::test_xfail", SKIPPED),
        ("tests.test_b", ERROR),
    ]


def test_what_surefire_writes():
    assert read_junit(SUREFIRE) == [
        ("demo.AddTest::adds", PASSED),
        ("demo.AddTest::carries", FAILED),
    ]


def test_suites_in_suites():
    assert sorted(read_junit(NESTED)) == [("deep", PASSED), ("flat", PASSED)]


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"5 passed", b"<testsuites>", b"<html/>", b"\xff\xfe\x00", PYTEST[:-20]),
        b'<?xml version="1.0" encoding="nobody"?><testsuites/>',
        b"<testsuite>" * 5000 + b"<testcase/>" + b"</testsuite>" * 5000,
    ],
    ids=range(8),
)
def test_what_is_no_junit_is_refused(content):
    with pytest.raises(ValueError, match="not JUnit XML"):
        read_junit(content)


def test_entities_cannot_blow_up():
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10}">'
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    document = f'{bomb}]><testsuite><testcase name="&i;"/></testsuite>'
    with pytest.raises(ValueError, match="not JUnit XML"):
        read_junit(document.encode())
