"""``python -P -m botleague`` is the command ``botleague``; without ``-P`` Python imports from the working directory."""

from botleague.cli import main

if __name__ == "__main__":
    main()
