"""Pictures of the labelling page on animals.csv, taken in a headless Chromium; ``python label_picture.py FOLDER``."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from selenium import webdriver

from lsvv.tables import fill, read
from lsvv.tables.labeling import Journal, Server, Session

TABLE = Path(__file__).resolve().parent / "animals.csv"
COLOURS = 160
ANSWERS = 14


def main() -> None:
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        sys.exit("There is no browser on this machine: install chromium and chromium-driver.")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1240,900"):
        options.add_argument(option)
    target = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    with (
        TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        webdriver.Chrome(options, webdriver.ChromeService(driver)) as browser,
    ):
        shutil.copy(TABLE, "animals.csv")
        table = read("animals.csv")
        # the person of the picture answers as a filled table would
        answers = fill(table, ["species"]).frame["species"]
        server = Server(Session(table, "species", Journal("animals.label.csv", table)))
        server.start()
        browser.get(server.address)
        for n in range(ANSWERS):
            label(browser, n, answers)
        time.sleep(3.0)
        save(browser.get_screenshot_as_png(), target / "label.png")
        media = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        size = {"width": 400, "height": 1100, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        save(browser.get_screenshot_as_png(), target / "label_phone.png")
        server.stop()


def label(browser: Any, n: int, answers: Any) -> None:
    """Waits for the row after ``n`` answers, and gives it its answer."""
    while f"{n} of them here" not in browser.find_element("id", "count").text:
        time.sleep(0.05)
    row = int(browser.find_element("id", "title").text.split(":")[0].removeprefix("Row "))
    script = (
        "[...document.querySelectorAll('.choice')]"
        ".find(one => one.querySelector('.name').textContent === arguments[0]).click()"
    )
    browser.execute_script(script, answers[row - 1])


def save(shot: bytes, target: Path) -> None:
    """A picture of few colours: a page has few, and the file stays small."""
    few = Image.open(BytesIO(shot)).convert("RGB").quantize(COLOURS, Image.Quantize.MEDIANCUT)
    few.save(target, optimize=True)
    print(f"wrote {target.name}")


if __name__ == "__main__":
    main()
