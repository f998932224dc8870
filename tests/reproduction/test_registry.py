import numpy as np
import pytest

from reproduction.data import DATASETS, info, paper_names, split
from reproduction.data.sources import LAYOUTS, MIRRORS, NPZ_SHA256


def test_the_paper_has_17_class_4_label_and_2_regression_sets() -> None:
    tasks = [info(name).task for name in paper_names()]
    assert [tasks.count(task) for task in ("multi-class", "multi-label", "regression")] == [17, 4, 2]
    assert set(DATASETS) - set(paper_names()) == {"rf2_with_missing", "scm20d"}


@pytest.mark.parametrize("name", paper_names())
def test_entries_agree_with_the_printed_sizes(name: str) -> None:
    entry = info(name)
    assert entry.paper is not None
    assert (entry.d, entry.K) == (entry.paper.d, entry.paper.K)
    assert entry.varying <= entry.columns
    assert entry.rows == entry.paper.rows or (name == "shuttle" and "match no known file" in entry.note)
    assert not entry.counts or (sum(entry.counts), len(entry.counts)) == (entry.rows, entry.K)
    assert list(entry.counts) == sorted(entry.counts)


@pytest.mark.parametrize("name", paper_names())
def test_the_split_sizes_are_the_printed_ones(name: str) -> None:
    paper = info(name).paper
    assert paper is not None
    drawn = split(np.zeros(paper.rows, dtype=int), "multi-class", seed=0)
    assert (len(drawn.train), len(drawn.test)) == (paper.training, paper.testing)


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match="There is no data set named 'Iris'; choose one of: iris, wine"):
        info("Iris")


def test_every_set_has_files_to_look_for_and_a_place_to_fetch_them() -> None:
    assert set(LAYOUTS) == set(MIRRORS) == set(DATASETS)
    assert set(NPZ_SHA256) < set(DATASETS)
    assert all(len(value) == 64 for value in NPZ_SHA256.values())
    for name, mirrors in MIRRORS.items():
        readable = {file for layout in LAYOUTS[name] for file in (*layout.files, layout.labels)}
        for mirror in mirrors:
            assert all(url.startswith("https://") for url in mirror.files.values())
            assert {file.removesuffix(".bz2") for file in mirror.files} <= readable
