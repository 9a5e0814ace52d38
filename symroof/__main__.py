"""``python -m symroof`` is the command ``symroof``."""

from symroof.cli.main import main

if __name__ == "__main__":
    main()
