"""`python -m engine`: the command, where its script is not on the path."""

from engine.cli.main import main

main()
