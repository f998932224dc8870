"""Parameters that a docstring describes together get an entry each, so that types and defaults stay their own."""

import re
from typing import Any

from griffe import Extension

SECTION = re.compile(r"^Parameters\n-+\n.*?(?=^\w[\w ]*\n-{3,}\n|\Z)", re.MULTILINE | re.DOTALL)
TOGETHER = re.compile(r"^(\w+(?:, \w+)+)((?: : .*)?\n(?:    .*\n?)+)", re.MULTILINE)


class OneNameEach(Extension):
    """``width, kernel`` with one description becomes two entries with the same one."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Rewrite the text before it is parsed."""
        if not obj.is_alias and obj.docstring is not None:
            obj.docstring.value = SECTION.sub(lambda section: TOGETHER.sub(_apart, section[0]), obj.docstring.value)


def _apart(entry: re.Match[str]) -> str:
    description = entry[2] if entry[2].endswith("\n") else entry[2] + "\n"
    return "".join(name + description for name in entry[1].split(", "))
