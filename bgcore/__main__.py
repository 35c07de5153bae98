"""`python -m bgcore` is the command line."""

from bgcore.cli import main

if __name__ == "__main__":
    main()
