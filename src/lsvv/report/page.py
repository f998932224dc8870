"""The page: a report as one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from typing import Any

from lsvv.extras import optional
from lsvv.report import phrases, view
from lsvv.report.from_fill import Report
from lsvv.tables.words import count

__all__ = ["render"]

HERE = files("lsvv.report")
SCRIPTS = ("vendor/chart.umd.min.js", "vendor/chartjs-plugin-zoom.min.js", "templates/charts.js")


def render(content: Report) -> str:
    r"""The report as HTML: styles, scripts and data inside, nothing fetched from anywhere.

    Every text of the table is escaped, and the page's own policy lets only its own scripts run.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from lsvv.report import render
    >>> from lsvv.report.from_fill import report_of
    >>> from lsvv.tables import fill, parse
    >>> text = "size,kind\n" + "".join(f"{i * i},{('small', 'big')[i > 9] if i % 2 else ''}\n" for i in range(20))
    >>> filled = fill(parse(text.encode(), "sizes.csv", format="csv"), ["kind"], features="linear")
    >>> page = render(replace(report_of(filled), title="Sizes & kinds"))
    >>> "Sizes &amp; kinds" in page
    True
    """
    from markupsafe import Markup

    scripts = [_script(path) for path in SCRIPTS]
    return str(
        _templates()
        .get_template("page.html")
        .render(
            report=content,
            style=Markup(_text("templates/style.css")),
            scripts=[Markup(script) for script in scripts],
            policy=_policy(scripts),
            data=Markup(_json(view.charted(content))),
        )
    )


def _templates() -> Any:
    jinja2 = optional("jinja2", "A report", "cli")
    loader = jinja2.FunctionLoader(lambda name: _text(f"templates/{name}"))
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "number": phrases.number,
        "percent": phrases.percent,
        "shortened": phrases.shortened,
    }
    environment.globals |= {name: getattr(view, name) for name in view.__all__} | {
        "count": count,
        "headline_of": phrases.headline_of,
        "quality_of": phrases.quality_of,
        "span": phrases.span,
    }
    return environment


def _json(value: Any) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _policy(scripts: list[str]) -> str:
    """Only these scripts run, and nothing is loaded from anywhere."""
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {hashes}"


def _script(path: str) -> str:
    """A script without the address of its source map, which a browser would look for."""
    return re.sub(r"//# sourceMappingURL=.*", "", _text(path))


def _text(path: str) -> str:
    return HERE.joinpath(path).read_text(encoding="utf-8")
