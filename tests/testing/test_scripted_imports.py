"""What ``loopctl.testing`` needs: the standard library."""

import subprocess
import sys

PROGRAM = """
import sys
before = set(sys.modules)
import loopctl.testing.scripted_llm
foreign = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(foreign - set(sys.stdlib_module_names) - {"loopctl"}))
"""


def test_the_scripted_server_is_made_of_the_standard_library():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("\n", "")
