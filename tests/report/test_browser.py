"""The report in a real browser: quiet, self-contained, interactive, readable, accessible."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lsvv.report import write_fill_report
from lsvv.tables import fill, parse

Open = Callable[..., Any]

AXE = Path(__file__).with_name("axe.min.js")
MAP = 'canvas[data-chart="map"]'


def requests_of(browser: Any) -> list[str]:
    """The addresses a page asked for, itself and what it holds apart; the browser's own pages do not count."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [one["params"] for one in messages if one["method"] == "Network.requestWillBeSent"]
    here = browser.current_url
    addresses = [one["request"]["url"] for one in sent if one["documentURL"] == here]
    return [url for url in addresses if not url.startswith("data:") and url != here]


def shown_points(browser: Any) -> int:
    return int(browser.find_element("id", "map-count").text.split()[1])


def choose(browser: Any, selector: str, value: str) -> None:
    """As a person does who moves a slider or picks from a list."""
    script = (
        "const control = document.querySelector(arguments[0]); control.value = arguments[1];"
        "for (const name of ['input', 'change']) control.dispatchEvent(new Event(name))"
    )
    browser.execute_script(script, selector, value)


def tooltip_of(browser: Any, selector: str) -> str:
    script = (
        "const t = Chart.getChart(document.querySelector(arguments[0])).tooltip;"
        "return t.opacity ? t.body.flatMap(part => part.lines).join(' | ') : ''"
    )
    return str(browser.execute_script(script, selector))


def unfold(browser: Any) -> None:
    browser.execute_script("document.querySelectorAll('details').forEach(part => part.open = true)")


def hover_first_point(browser: Any, selector: str) -> None:
    from selenium.webdriver import ActionChains

    canvas = browser.find_element("css selector", selector)
    browser.execute_script(
        "document.documentElement.style.scrollBehavior = 'auto'; arguments[0].scrollIntoView({block: 'center'})", canvas
    )
    x, y = browser.execute_script(
        "const chart = Chart.getChart(arguments[0]);"
        "const place = chart.data.datasets.findIndex(set => set.data.some(value => value !== null));"
        "const {x, y} = chart.getDatasetMeta(place).data[0].getCenterPoint();"
        "return [x - chart.width / 2, y - chart.height / 2]",
        canvas,
    )
    ActionChains(browser).move_to_element_with_offset(canvas, round(x), round(y)).perform()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_is_quiet_asks_for_nothing_and_does_not_scroll_sideways(opened: Open, width: int, scheme: str) -> None:
    page = opened(width, scheme)
    assert page.get_log("browser") == []
    assert requests_of(page) == []
    assert page.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert page.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("n_classes", [5, 9])
def test_no_table_of_classes_is_clipped(opened: Open, tmp_path: Path, n_classes: int, width: int) -> None:
    names = [
        "storm",
        "depression",
        "hurricane",
        "extratropical",
        "subtropical",
        "disturbance",
        "low-pressure",
        "wave",
        "rest",
    ]
    rows = "".join(f"{i % n_classes},{names[i % n_classes] if i < 60 else ''}\n" for i in range(80))
    table = parse(f"size,status\n{rows}".encode(), "t.csv", format="csv")
    write_fill_report(fill(table, ["status"], features="linear"), tmp_path / "t.html")
    page = opened(width, path=tmp_path / "t.html")
    clipped = (
        "return [...document.querySelectorAll('#learnt .scroll')].map(part => part.scrollWidth - part.clientWidth)"
    )
    assert page.execute_script("return document.querySelectorAll('.heat tbody tr').length") >= n_classes
    assert max(page.execute_script(clipped)) <= 0


def test_a_link_to_what_is_folded_opens_it(opened: Open) -> None:
    page = opened()
    assert not page.find_element("id", "model-0").is_displayed()
    page.find_element("css selector", 'nav a[href="#inside"]').click()
    assert page.find_element("id", "model-0").is_displayed()


def test_texts_of_the_table_do_not_run(opened: Open) -> None:
    page = opened()
    assert page.execute_script("return typeof window.pwned") == "undefined"
    assert page.execute_script("return document.querySelectorAll('main img, main b, main i').length") == 0


def test_every_chart_draws_its_data(opened: Open) -> None:
    page = opened()
    kinds = page.execute_script(
        "return [...document.querySelectorAll('canvas')].map(canvas => [canvas.dataset.chart,"
        "Chart.getChart(canvas).data.datasets.reduce((sum, set) => sum + set.data.length, 0)])"
    )
    assert {kind for kind, _ in kinds} == {"map", "calibration", "certainty", "numbers", "spectrum"}
    assert all(size > 0 for _, size in kinds)


@pytest.mark.parametrize("kind", ["map", "calibration", "certainty", "numbers", "spectrum"])
def test_charts_answer_to_hover(opened: Open, kind: str) -> None:
    page = opened()
    selector = f'canvas[data-chart="{kind}"]'
    unfold(page)
    hover_first_point(page, selector)
    assert tooltip_of(page, selector) != ""


def test_the_map_answers_to_its_filters(opened: Open) -> None:
    page = opened()
    everything = shown_points(page)
    assert everything == 60
    button = page.find_element("css selector", "#map-groups button")
    page.execute_script("arguments[0].click()", button)
    assert button.get_attribute("aria-pressed") == "false"
    assert shown_points(page) == 40
    page.execute_script("arguments[0].click()", button)
    page.execute_script("document.getElementById('map-known').click()")
    filled = shown_points(page)
    assert 0 < filled < everything
    choose(page, "#map-sure", "0")
    assert shown_points(page) == 0


def test_another_target_colours_the_map(opened: Open) -> None:
    page = opened()
    choose(page, "#map-layer", "1")
    assert len(page.find_elements("css selector", "#map-groups button")) == 5
    assert not page.find_element("id", "map-sure").is_displayed()
    assert shown_points(page) == 60


def test_the_map_zooms_by_buttons_and_by_a_box(opened: Open) -> None:
    from selenium.webdriver import ActionChains

    page = opened()
    span = "const s = Chart.getChart(document.querySelector(arguments[0])).scales.x; return s.max - s.min"
    whole = page.execute_script(span, MAP)
    page.execute_script("document.querySelector('[data-zoom=\"1.4\"]').click()")
    assert page.execute_script(span, MAP) < whole
    page.execute_script("document.querySelector('[data-zoom=\"0\"]').click()")
    assert page.execute_script(span, MAP) == pytest.approx(whole)
    canvas = page.find_element("css selector", MAP)
    page.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", canvas)
    drag = ActionChains(page).move_to_element(canvas).click_and_hold().move_by_offset(80, 60).release()
    drag.perform()
    assert page.execute_script(span, MAP) < 0.5 * whole


def test_keys_read_the_points(opened: Open) -> None:
    page = opened()
    canvas = page.find_element("css selector", MAP)
    canvas.send_keys("\ue014")  # arrow to the right
    assert page.find_element("id", "live").get_attribute("textContent").startswith("Row ")


@pytest.mark.parametrize("width", [1280, 400])
def test_the_least_certain_cells_can_be_filtered(opened: Open, width: int) -> None:
    page = opened(width)
    unfold(page)
    rows = "return [...document.querySelectorAll('#unsure-table tbody tr')].filter(row => row.offsetHeight).length"
    everything = page.execute_script(rows)
    page.find_element("id", "unsure-filter").send_keys("is_old")
    assert 0 < page.execute_script(rows) < everything


def test_the_atlas_shows_another_panel(opened: Open) -> None:
    page = opened()
    choose(page, "select.panels", "1")
    seen = "return [...document.querySelectorAll('.panel[data-model=\"0\"]')].map(panel => !panel.hidden)"
    assert page.execute_script(seen)[:2] == [False, True]


def test_the_page_prints_in_light_colours(opened: Open) -> None:
    page = opened(scheme="dark")
    assert len(page.execute_cdp_cmd("Page.printToPDF", {})["data"]) > 10_000
    assert page.get_log("browser") == []
    assert page.execute_script("return document.documentElement.dataset.theme") is None


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_axe_finds_nothing_serious(opened: Open, width: int, scheme: str) -> None:
    page = opened(width, scheme)
    unfold(page)
    # through the debugger: the page's own policy lets no other script in
    page.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE.read_text(encoding="utf-8")})
    script = "const done = arguments[0]; axe.run(document).then(r => done([r.passes.length, r.violations]))"
    passes, found = page.execute_async_script(script)
    assert passes > 20
    serious = [
        f"{one['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
    assert serious == []
