"""`python -m mqstat`."""

from mqstat.cli import main

if __name__ == "__main__":
    main()
