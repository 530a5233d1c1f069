"""Greets whoever is named on the command line."""

import sys


def main() -> int:
    """Print the greeting."""
    print(f"Hello, {sys.argv[1].title()}!")
    return 0


if __name__ == "__main__":
    sys.exit(main())
