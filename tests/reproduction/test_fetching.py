import hashlib
import importlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_iris

from reproduction.data import DataError, fetch, load, sources, verify

pytest.importorskip("pooch")


@dataclass
class Site:
    """A web server on this machine: answers ranges, can break off, and notes what it was asked."""

    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    break_after: int | None = None
    url: str = ""


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
            self.send_response(206 if wanted else 200)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
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


def test_every_site_that_failed_is_told(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mirrors = (
        sources.Mirror({"iris.scale": f"{site.url}/gone"}),
        sources.Mirror({"iris.scale": "http://127.0.0.1:1/closed"}),
    )
    monkeypatch.setattr(sources, "MIRRORS", {"iris": mirrors})
    with pytest.raises(DataError, match=r"gone answered 404 Not Found; .*closed was out of reach .* by hand"):
        fetch("iris", tmp_path)


def test_openml_is_asked_by_name_and_its_checksum_holds(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"@relation scm20d\n@attribute a numeric\n@data\n1\n"
    listed = [
        {"did": 1, "format": "ARFF", "quality": [{"name": "NumberOfInstances", "value": "10.0"}]},
        {"did": 2, "format": "ARFF", "quality": [{"name": "NumberOfInstances", "value": "8966.0"}]},
    ]
    about = {"url": f"{site.url}/scm20d.arff", "md5_checksum": hashlib.md5(content).hexdigest()}
    site.files.update(
        {
            "/list/data_name/scm20d/status/active": json.dumps({"data": {"dataset": listed}}).encode(),
            "/2": json.dumps({"data_set_description": about}).encode(),
            "/scm20d.arff": content,
        }
    )
    monkeypatch.setattr(sources, "OPENML", site.url)
    monkeypatch.setattr(sources, "MIRRORS", {"scm20d": (sources.Mirror({}, openml="scm20d"),)})
    (path,) = fetch("scm20d", tmp_path)
    assert path.read_bytes() == content
    path.unlink()
    (tmp_path / "checksums.json").unlink()
    site.files["/scm20d.arff"] = b"something else"
    with pytest.raises(DataError, match="hash of downloaded file"):
        fetch("scm20d", tmp_path)
    listed.pop()
    site.files["/list/data_name/scm20d/status/active"] = json.dumps({"data": {"dataset": listed}}).encode()
    with pytest.raises(DataError, match="OpenML has no data set scm20d with at least 8966 rows"):
        fetch("scm20d", tmp_path)
    site.files["/list/data_name/scm20d/status/active"] = b'{"data": {}}'
    with pytest.raises(DataError, match="OpenML answered without 'dataset'"):
        fetch("scm20d", tmp_path)


def test_without_pooch_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(ImportError, match=r"needs pooch: pip install '\.\[reproduction\]'"):
        fetch("iris", tmp_path)


def test_a_folder_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LSVV_DATA", raising=False)
    with pytest.raises(DataError, match="No folder to fetch into: pass one or set the variable LSVV_DATA"):
        fetch("iris")
