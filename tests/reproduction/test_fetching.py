import hashlib
import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_iris

from reproduction.data import DataError, fetch, fetching, load, sources, verify

pytest.importorskip("pooch")


@dataclass
class Site:
    """A web server on this machine: answers ranges, can break off, and notes what it was asked."""

    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    break_after: int | None = None
    ranges: bool = True
    seconds_a_byte: float = 0.0
    url: str = ""


def drip(stream: BufferedIOBase, content: bytes, seconds: float) -> None:
    """One byte after the other, until nobody listens any more."""
    with suppress(OSError):
        for place in range(len(content)):
            stream.write(content[place : place + 1])
            stream.flush()
            time.sleep(seconds)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            site.asked.append((self.path, wanted))
            if self.path not in site.files:
                self.send_error(404)
                return
            content = site.files[self.path]
            start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
            if wanted and start >= len(content):
                self.send_error(416)
                return
            start = start if site.ranges else 0
            self.send_response(206 if wanted else 200)
            self.send_header("Content-Length", str(len(content) - start))
            if wanted:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.end_headers()
            if site.seconds_a_byte:
                drip(self.wfile, content, site.seconds_a_byte)
            else:
                self.wfile.write(content[start : site.break_after])

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield site
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def iris_site(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    X, y = load_iris(return_X_y=True)
    dump_svmlight_file(X, y, str(tmp_path / "iris"), zero_based=False)
    site.files["/iris.scale"] = (tmp_path / "iris").read_bytes()
    mirror = sources.Mirror({"iris.scale": f"{site.url}/iris.scale"})
    monkeypatch.setattr(sources, "MIRRORS", {**sources.MIRRORS, "iris": (mirror,)})
    return site


def test_a_fetched_set_loads_and_is_not_asked_for_again(iris_site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "deep"
    steps: list[tuple[str, int, int | None]] = []
    files = fetch("iris", folder, lambda *step: steps.append(step))
    assert files == (folder / "iris.scale",)
    np.testing.assert_array_equal(load("iris", folder).X, load_iris().data)
    size = len(iris_site.files["/iris.scale"])
    assert steps[-1] == ("iris.scale", size, size)
    iris_site.files.clear()
    assert fetch("iris", folder) == files
    assert len(iris_site.asked) == 1
    assert verify(folder, ("iris",))[0].good


def test_a_broken_download_goes_on_where_it_stopped(iris_site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    iris_site.break_after = 1000
    with pytest.raises(DataError, match=r"could not be fetched: .*broke off after 1000 of \d+ bytes"):
        fetch("iris", folder)
    iris_site.break_after = None
    (path,) = fetch("iris", folder)
    assert iris_site.asked[-1] == ("/iris.scale", "bytes=1000-")
    assert path.read_bytes() == iris_site.files["/iris.scale"]
    assert not list(folder.glob("*.part"))


def test_a_part_that_cannot_be_continued_is_dropped(iris_site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "iris.scale.part").write_bytes(b"x" * 100_000)
    (path,) = fetch("iris", folder)
    assert [wanted for _, wanted in iris_site.asked] == ["bytes=100000-", None]
    assert path.read_bytes() == iris_site.files["/iris.scale"]


def test_a_file_that_changed_since_it_arrived_is_fetched_again(iris_site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    (path,) = fetch("iris", folder)
    path.write_bytes(path.read_bytes()[:-1] + b" ")
    assert "SHA-256 is not the known one" in verify(folder, ("iris",))[0].sentence
    fetch("iris", folder)
    assert path.read_bytes() == iris_site.files["/iris.scale"]
    path.write_bytes(b"changed")
    iris_site.files["/iris.scale"] += b"# changed at the site too\n"
    with pytest.raises(DataError, match="hash of downloaded file"):
        fetch("iris", folder)


def test_a_page_in_place_of_the_file_is_not_kept(iris_site: Site, tmp_path: Path) -> None:
    folder, right = tmp_path / "cache", iris_site.files["/iris.scale"]
    for wrong in (b"<!doctype html><title>Sign in</title>", right[: len(right) // 2].rpartition(b"\n")[0] + b"\n", b""):
        iris_site.files["/iris.scale"] = wrong
        with pytest.raises(DataError, match=r"/iris\.scale sent is not iris: "):
            fetch("iris", folder)
        assert list(folder.iterdir()) == []
    iris_site.files["/iris.scale"] = right
    assert fetch("iris", folder)[0].read_bytes() == right


def test_an_answer_that_does_not_go_on_where_the_part_ends_is_not_appended(iris_site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    iris_site.break_after = 1000
    with pytest.raises(DataError, match="broke off"):
        fetch("iris", folder)
    iris_site.break_after, iris_site.ranges = None, False
    (path,) = fetch("iris", folder)
    assert path.read_bytes() == iris_site.files["/iris.scale"]
    assert [wanted for _, wanted in iris_site.asked] == [None, "bytes=1000-", None]


def test_a_server_that_sends_too_much_is_cut(iris_site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "_LARGEST", 1000)
    with pytest.raises(DataError, match=r"/iris\.scale sends more than"):
        fetch("iris", tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_server_that_drips_is_cut(iris_site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "_PATIENCE", 0.3)
    iris_site.seconds_a_byte = 0.02
    with pytest.raises(DataError, match="sends less than 1024 bytes a second"):
        fetch("iris", tmp_path / "cache")


def test_every_site_that_failed_is_told(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mirrors = (
        sources.Mirror({"iris.scale": f"{site.url}/gone"}),
        sources.Mirror({"iris.scale": "http://127.0.0.1:1/closed"}),
    )
    monkeypatch.setattr(sources, "MIRRORS", {"iris": mirrors})
    with pytest.raises(DataError, match=r"gone answered 404 Not Found; .*closed was out of reach .* by hand"):
        fetch("iris", tmp_path)


def iris_arff() -> bytes:
    X, y = load_iris(return_X_y=True)
    columns = "".join(f"@attribute x{column} numeric\n" for column in range(4))
    rows = "".join(f"{','.join(map(str, x))},{label}\n" for x, label in zip(X, y, strict=True))
    return f"@relation iris\n{columns}@attribute class {{0,1,2}}\n@data\n{rows}".encode()


def test_openml_is_asked_by_name_and_its_checksum_holds(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = iris_arff()
    listed = [
        {"did": 1, "format": "ARFF", "quality": [{"name": "NumberOfInstances", "value": "10.0"}]},
        {"did": 2, "format": "ARFF", "quality": [{"name": "NumberOfInstances", "value": "150.0"}]},
    ]
    about = {"url": f"{site.url}/iris.arff", "md5_checksum": hashlib.md5(content).hexdigest()}
    site.files.update(
        {
            "/list/data_name/iris/status/active": json.dumps({"data": {"dataset": listed}}).encode(),
            "/2": json.dumps({"data_set_description": about}).encode(),
            "/iris.arff": content,
        }
    )
    monkeypatch.setattr(sources, "OPENML", site.url)
    monkeypatch.setattr(sources, "MIRRORS", {"iris": (sources.Mirror({}, openml="iris"),)})
    (path,) = fetch("iris", tmp_path)
    assert path.read_bytes() == content
    path.unlink()
    (tmp_path / "checksums.json").unlink()
    site.files["/iris.arff"] = b"something else"
    with pytest.raises(DataError, match="hash of downloaded file"):
        fetch("iris", tmp_path)
    listed.pop()
    site.files["/list/data_name/iris/status/active"] = json.dumps({"data": {"dataset": listed}}).encode()
    with pytest.raises(DataError, match="OpenML has no data set iris with at least 150 rows"):
        fetch("iris", tmp_path)
    site.files["/list/data_name/iris/status/active"] = b'{"data": {}}'
    with pytest.raises(DataError, match="OpenML answered without 'dataset'"):
        fetch("iris", tmp_path)


def test_without_pooch_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r"needs pooch: pip install '\.\[reproduction\]'"):
        fetch("iris", tmp_path)


def test_a_folder_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LSVV_DATA", raising=False)
    with pytest.raises(DataError, match="No folder to fetch into: pass one or set the variable LSVV_DATA"):
        fetch("iris")
