"""python -m widemargin: the command line."""

from widemargin.cli import main

main(prog_name="widemargin")
