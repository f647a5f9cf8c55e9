"""``python -m botleague`` is the command ``botleague``."""

from botleague.cli import main

if __name__ == "__main__":
    main()
