"""A small table with every kind of target, filled once, and a browser that opens its report."""

import csv
import io
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lsvv.report import fill_report, render
from lsvv.report.from_fill import report_of
from lsvv.report.inside import mattered_of
from lsvv.selection import Importances
from lsvv.tables import Filled, fill, parse

HOSTILE = ("<script>window.pwned = 1</script>", "=cmd|'/c calc'!A1", "\"a\" & 'b' </script><img src=x onerror=pwned>")
TARGETS = ("kind", "weight_" + "g" * 90, "is <b>wet</b>", "is_old", "tags")
ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--no-first-run",
)


@pytest.fixture(scope="session")
def filled() -> Filled:
    """Sixty rows of three kinds whose names are scripts and formulas; half of the answers are known."""
    rng = np.random.default_rng(0)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["id", "size", "<i>habitat</i>", *TARGETS])
    for row in range(60):
        kind = row % 3
        size = 10.0 * kind + rng.normal()
        answers = [HOSTILE[kind], f"{2 * size + rng.normal():.1f}", int(kind > 0), int(kind == 1), "big;old"]
        answers[4] = ";".join(["big"] * (kind > 0) + ["old"] * (row % 4 == 0)) or "small"
        known = rng.random() < 0.5
        place = f"wood & lake {kind}" if rng.random() < 0.8 else "<none>"
        writer.writerow([f"r{row}", f"{size:.2f}", place, *(answers if known else [""] * 5)])
    table = parse(stream.getvalue().encode(), "beasts & <others>.csv", format="csv")
    return fill(table, TARGETS, features="linear")


@pytest.fixture(scope="session")
def html(filled: Filled) -> str:
    """The report of that table."""
    return fill_report(filled)


@pytest.fixture(scope="session")
def report_file(filled: Filled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on disk, with columns as if they had been measured."""
    names = ("<i>habitat</i>", "size", "w" * 90)
    mattered = mattered_of(Importances(names, np.array([0.01, 1.2, 0.4]), np.array([0.02, 0.1, 0.1])))
    report = report_of(filled)
    path = tmp_path_factory.mktemp("report") / "report.html"
    whole = replace(report, models=tuple(replace(model, mattered=mattered) for model in report.models))
    path.write_text(render(whole), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A headless Chromium that keeps a log of its console and of its requests."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("there is no browser on this machine: install chromium and chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in (*ARGUMENTS, f"--user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield chrome
    chrome.quit()


@pytest.fixture
def opened(browser: Any, report_file: Path) -> Callable[..., Any]:
    """Opens the report at a width, in light or dark."""

    def open_page(width: int = 1280, scheme: str = "light", path: Path = report_file) -> Any:
        for log in ("browser", "performance"):
            browser.get_log(log)
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(path.as_uri())
        return browser

    return open_page
