"""The page in a real browser: a whole session, by keyboard alone, in two tabs, and when the server is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from lsvv.tables import parse, read
from lsvv.tables.sheets import with_labels

from .conftest import table_of, truth_of

AXE = Path(__file__).parents[2] / "report" / "axe.min.js"
ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
PATIENCE = 20.0
OUTSIDE = """return performance.getEntriesByType('resource').map(one => one.name)
    .filter(one => !one.startsWith(location.origin))"""
"""Requests to anywhere else."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A headless Chromium that keeps a log of its console."""
    import shutil

    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("there is no browser on this machine: install chromium and chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in (*ARGUMENTS, f"--user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield chrome
    chrome.quit()


class Running:
    """``lsvv label`` in a process of its own."""

    def __init__(self, folder: Path, task: str) -> None:
        self.sheet = folder / "t.label.csv"
        command = [sys.executable, "-m", "lsvv", "label", str(folder / "t.csv"), "--target", "answer", "--no-browser"]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [*command, "--quiet", "--task", task], stderr=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stderr is not None
        self.address = self.process.stderr.readline().removeprefix("Label at ").strip()

    def kill(self) -> None:
        """As a power cut would: no chance to tidy up."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()

    def labels(self) -> dict[int, Any]:
        """What the sheet says."""
        table = table_of()
        return dict(with_labels(table, read(self.sheet), ["answer"]).labels["answer"])


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Starts the command on a table of a task, of which six rows are labelled."""
    started: list[Running] = []

    def start(task: str = "classes") -> Running:
        if not started:
            columns = table_of(6, task).frame
            (tmp_path / "t.csv").write_text(columns.to_csv(index=False))
        started.append(Running(tmp_path, task))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.kill()


def until(browser: Any, script: str) -> Any:
    """What a script says as soon as it says something."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = browser.execute_script(script)
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"the page never came to: {script}\n{browser.find_element('tag name', 'body').text}")


def complaints(browser: Any, server: Running) -> list[Any]:
    """What the console says of this server; pages of one that is gone may still be asking for it."""
    return [one for one in browser.get_log("browser") if urlsplit(server.address).netloc in one["message"]]


def opened(browser: Any, address: str, width: int = 1280, scheme: str = "light") -> Any:
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(address)
    until(browser, "return document.getElementById('title').textContent.trim()")
    return browser


def row_asked(browser: Any) -> int:
    return int(until(browser, "return document.getElementById('title').textContent").split(":")[0].removeprefix("Row "))


def count(browser: Any, n: int) -> None:
    """Waits until the page has counted so many answers."""
    script = f"return document.getElementById('count').textContent.includes('{n} of them here')"
    until(browser, script)


def press(browser: Any, *keys: str) -> None:
    """Keys as a keyboard sends them, to whatever has the focus."""
    from selenium.webdriver import ActionChains

    for key in keys:
        ActionChains(browser).send_keys(key).perform()


def give(browser: Any, task: str = "classes") -> int:
    """Answers the row at hand rightly, by keyboard alone."""
    row = row_asked(browser)
    truth = truth_of(row - 1, task)
    if task == "numbers":
        browser.execute_script("document.getElementById('value').value = ''")
        press(browser, truth, "\ue007")
    elif task == "tags":
        press(browser, *(str("ab".index(tag) + 1) for tag in truth.split("; ")), "\ue007")
    else:
        press(browser, str(("cat", "dog", "eel").index(truth) + 1))
    return row


def serious(browser: Any) -> list[str]:
    """What axe finds that keeps people out."""
    browser.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE.read_text(encoding="utf-8")})
    script = "const done = arguments[0]; axe.run(document).then(r => done([r.passes.length, r.violations]))"
    passes, found = browser.execute_async_script(script)
    assert passes > 15
    return [
        f"{one['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def test_a_session_of_thirty_answers_a_reload_and_a_killed_server(
    browser: Any, running: Callable[..., Running]
) -> None:
    server = running()
    page = opened(browser, server.address)
    for n in range(1, 31):
        row = give(page)
        count(page, n)
        # what the page has counted is on disk
        assert server.labels()[row - 1] == truth_of(row - 1)
    assert "come out right" in until(page, "return document.getElementById('sentences').textContent")
    assert page.execute_script("return document.querySelectorAll('#curve circle').length") == 2
    asked = row_asked(page)
    page.refresh()
    count(page, 30)
    assert row_asked(page) == asked
    assert complaints(page, server) == []
    before = server.labels()
    server.kill()
    assert "All 30 answers" in until(page, "return document.getElementById('banner').hidden ? '' : banner.textContent")
    assert page.execute_script("return [...document.querySelectorAll('.choice')].every(one => one.disabled)")
    again = running()
    assert again.labels() == before
    assert len(before) == 30
    page = opened(browser, again.address)
    count(page, 30)
    assert row_asked(page) not in [row + 1 for row in before]


def test_two_tabs_lose_nothing_of_each_other(browser: Any, running: Callable[..., Running]) -> None:
    server = running()
    page = opened(browser, server.address)
    first = page.current_window_handle
    page.switch_to.new_window("tab")
    second = page.current_window_handle
    opened(page, server.address)
    rows, n = [], 0
    for handle in (first, second, first, second, second, first):
        page.switch_to.window(handle)
        n += 1
        rows.append(give(page))
        count(page, n)
    assert len(set(rows)) == 6
    assert set(server.labels()) == {row - 1 for row in rows}
    # the same row in both: the later one is told, and nothing is written over
    page.switch_to.window(first)
    shared = row_asked(page)
    sent = "fetch('answer', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify("
    other = f"{{tab: 'other', row: {shared}, label: 'eel', before: ''}})}})"
    page.execute_script(f"document.title = ''; {sent}{other}; document.getElementById('choices').children[0].click()")
    count(page, n + 1)
    said = until(page, "return document.getElementById('banner').hidden ? '' : banner.textContent")
    kept = server.labels()[shared - 1]
    assert kept in ("eel", "cat")
    if kept == "eel":
        assert "in another tab or session. Yours was not saved" in said
        page.find_element("id", "banner-do").click()
        until(page, "return document.getElementById('banner').hidden")
        assert server.labels()[shared - 1] == "cat"
    page.close()
    page.switch_to.window(second)


@pytest.mark.parametrize("task", ["classes", "numbers", "tags"])
def test_every_task_is_answered_by_keyboard_and_axe_finds_nothing_serious(
    browser: Any, running: Callable[..., Running], task: str
) -> None:
    server = running(task)
    page = opened(browser, server.address)
    for n in range(1, 5):
        row = give(page, task)
        count(page, n)
        assert server.labels()[row - 1] == truth_of(row - 1, task)
    press(page, "u")
    count(page, 3)
    skipped = row_asked(page)
    press(page, "s")
    until(page, f"return !document.getElementById('title').textContent.startsWith('Row {skipped}:')")
    assert complaints(page, server) == []
    for width, scheme in ((1280, "light"), (400, "dark")):
        opened(browser, server.address, width, scheme)
        assert page.execute_script("return document.documentElement.scrollWidth") <= width
        assert page.execute_script(OUTSIDE) == []
        assert serious(page) == []


def test_a_new_class_is_named_by_keyboard(browser: Any, running: Callable[..., Running]) -> None:
    server = running()
    page = opened(browser, server.address)
    row = row_asked(page)
    press(page, "/", "gnu", "\ue007")
    count(page, 1)
    assert server.labels() == {row - 1: "gnu"}
    names = "return [...document.querySelectorAll('#choices .name')].map(one => one.textContent)"
    assert page.execute_script(names) == ["cat", "dog", "eel", "gnu"]


def test_texts_of_the_table_do_not_run(browser: Any, running: Callable[..., Running], tmp_path: Path) -> None:
    lines = ["<b>x</b>,answer"]
    hostile = ("<script>window.pwned = 1</script>", "<img src=x onerror=pwned=1>")
    for row in range(20):
        lines.append(f"{row * row % 7},{hostile[row % 2] if row < 8 else ''}")
    (tmp_path / "t.csv").write_text("\n".join(lines))
    assert parse((tmp_path / "t.csv").read_bytes(), "t.csv", format="csv").frame.shape == (20, 2)
    server = Running(tmp_path, "classes")
    try:
        page = opened(browser, server.address)
        press(page, "1")
        count(page, 1)
        assert page.execute_script("return typeof window.pwned") == "undefined"
        assert page.execute_script("return document.querySelectorAll('main img, main b').length") == 0
    finally:
        server.kill()
