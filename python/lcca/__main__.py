"""`python -m lcca`: the program `lcca`, if it is installed."""

import sys

from lcca._program import main

if __name__ == "__main__":
    sys.exit(main())
