"""``python -m loopctl`` is the command ``loopctl``."""

import sys

from loopctl.cli.main import main

sys.exit(main())
