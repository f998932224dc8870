"""``python -m lsvv`` is the command ``lsvv``."""

from lsvv.cli import main

main()
