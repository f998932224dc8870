"""The page as one text: style, script and words inside, nothing fetched but answers and questions."""

from __future__ import annotations

import base64
import hashlib
import shlex
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePath

from lsvv.tables.labeling.session import Session

__all__ = ["LabelingPage", "command_to_fill", "page_of"]

PAGE = files("lsvv.tables.labeling").joinpath("page")
REPORT_STYLE = files("lsvv").joinpath("report/templates/style.css")
"""The report and this page are of one look."""


@dataclass(frozen=True)
class LabelingPage:
    """The page, and the policy under which a browser runs it: its own style and script, and this server alone."""

    html: str
    policy: str


def page_of(session: Session) -> LabelingPage:
    """The page of a session."""
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("The labelling page needs Jinja2: pip install 'lsvv[label]'.") from error
    from markupsafe import Markup

    style = REPORT_STYLE.read_text(encoding="utf-8") + PAGE.joinpath("label.css").read_text(encoding="utf-8")
    script = PAGE.joinpath("label.js").read_text(encoding="utf-8")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    html = environment.from_string(PAGE.joinpath("label.html").read_text(encoding="utf-8")).render(
        table=PurePath(session.table.name).name,
        column=session.column,
        rows=len(session.table.frame),
        sheet=session.journal.place.name,
        command=command_to_fill(session),
        style=Markup(style),
        script=Markup(script),
    )
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; connect-src 'self'; "
        f"form-action 'none'; base-uri 'none'"
    )
    return LabelingPage(html, policy)


def command_to_fill(session: Session) -> str:
    """What fills the table with the answers."""
    parts = ["lsvv", "fill", session.table.name, "--target", session.column]
    for sheet in (*session.table.sheets, str(session.journal.place)):
        parts += ["--labels", sheet]
    if session.finding.asked:
        parts += ["--task", session.finding.task]
    return shlex.join(parts)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
