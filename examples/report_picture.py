"""Two pictures of the report of animals.csv, taken in a headless Chromium; ``python report_picture.py FOLDER``."""

from __future__ import annotations

import shutil
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from selenium import webdriver

from lsvv.report import write_fill_report
from lsvv.tables import fill, read

TABLE = Path(__file__).parent / "animals.csv"
COLOURS = 64


def main() -> None:
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        sys.exit("There is no browser on this machine: install chromium and chromium-driver.")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,1180"):
        options.add_argument(option)
    filled = fill(read(str(TABLE)), ["species", "weight_kg"])
    with TemporaryDirectory() as folder, webdriver.Chrome(options, webdriver.ChromeService(driver)) as browser:
        page = Path(folder) / "report.html"
        write_fill_report(filled, page)
        browser.get(page.as_uri())
        save(browser.get_screenshot_as_png(), "report")
        browser.set_window_size(1100, 1400)
        save(browser.find_element("id", "map").screenshot_as_png, "report_map")


def save(shot: bytes, name: str) -> None:
    """A picture of few colours: a page has few, and the file stays small."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else ".") / f"{name}.png"
    few = Image.open(BytesIO(shot)).convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
    few.save(target, optimize=True)
    print(f"wrote {target}")


if __name__ == "__main__":
    main()
