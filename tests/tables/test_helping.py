"""Other targets as inputs: of help where they are related, of none where they are not, and never a leak."""

from typing import Any

import numpy as np
import pytest

from lsvv.tables import Filled, Table, fill, filling, parse
from lsvv.tables.helping import FEWEST_TOGETHER, Helped
from lsvv.tables.table import Edits


def table_of(
    *names: str, related: bool = True, sign: float = 1.0, n: int = 240, **kept: np.ndarray
) -> tuple[Table, dict[str, Any]]:
    """Two inputs that say little, and targets that say much of each other if they are related."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    hidden = [rng.normal(size=n)] * 4 if related else [rng.normal(size=n) for _ in range(4)]
    truth: dict[str, Any] = {
        "size": sign * (X[:, 0] + 2 * hidden[0] + 0.3 * rng.normal(size=n)),
        "kind": np.where(hidden[1] > 0, "wide", "slim"),
        "old": (X[:, 1] + 2 * hidden[2] > 0).astype(int),
        "tags": [["a", "b"][: 1 + (one > 0)] for one in hidden[3]],
    }
    known = {name: rng.random(n) < 0.5 for name in truth} | kept
    cells = {
        "x": [f"{value:.4f}" for value in X[:, 0]],
        "y": [f"{value:.4f}" for value in X[:, 1]],
        "size": [f"{value:.3f}" for value in truth["size"]],
        "kind": list(truth["kind"]),
        "old": [str(value) for value in truth["old"]],
        "tags": ["; ".join(tags) for tags in truth["tags"]],
    }
    used = ("x", "y", *names)
    lines = [",".join(used)]
    for row in range(n):
        lines.append(",".join(cells[name][row] if name not in known or known[name][row] else "" for name in used))
    return parse("\n".join(lines).encode(), "t.csv", format="csv"), truth | {"known": known}


def both(table: Table, targets: list[str], **settings: Any) -> tuple[Filled, Filled]:
    """Filled from the inputs alone, and with the other targets."""
    alone, helped = (
        fill(table, targets, features="linear", together=together, **settings) for together in (False, True)
    )
    return alone, helped


def told(filled: Filled) -> list[str]:
    return [note for note in filled.notes if "it was predicted from that too" in note]


def test_related_targets_help_each_other_and_are_named() -> None:
    table, truth = table_of("size", "kind")
    alone, helped = both(table, ["size", "kind"])
    holes = ~truth["known"]["size"] & truth["known"]["kind"]
    errors = [np.mean((one.results[0].predictions - truth["size"])[holes] ** 2) for one in (alone, helped)]
    assert errors[1] < 0.6 * errors[0]
    assert helped.results[0].quality.value > alone.results[0].quality.value + 0.15
    assert helped.results[1].quality.value > alone.results[1].quality.value + 0.05
    assert [note.split(",")[0] for note in told(helped)] == ["size: where kind is known", "kind: where size is known"]
    assert told(alone) == []
    lower, upper = helped.results[0].said.ends or (np.zeros(0),) * 2
    assert np.mean((lower <= truth["size"])[holes] & (truth["size"] <= upper)[holes]) > 0.8
    assert helped.results[0].interval is not None
    assert 0.85 <= helped.results[0].interval.measured <= 0.97


def test_rows_with_no_other_known_target_are_answered_as_before() -> None:
    targets = ["size", "kind", "old"]
    table, truth = table_of(*targets)
    alone, helped = both(table, targets)
    assert told(helped)
    for before, after in zip(alone.results, helped.results, strict=True):
        others = [truth["known"][name] for name in targets if name != before.target.column]
        lonely = ~np.any(others, axis=0)
        np.testing.assert_array_equal(after.predictions[lonely], before.predictions[lonely])
        for one, other in zip(
            after.said.of(lonely).beside(after.target).values(),
            before.said.of(lonely).beside(before.target).values(),
            strict=True,
        ):
            assert one == other


def test_unrelated_targets_change_nothing_to_speak_of() -> None:
    table, _ = table_of("size", "kind", "old", related=False)
    alone, helped = both(table, ["size", "kind", "old"])
    for before, after in zip(alone.results, helped.results, strict=True):
        assert abs(before.quality.value - after.quality.value) < 0.05
    assert len(told(helped)) <= 1


@pytest.mark.parametrize("task", ["old", "tags", "size"])
def test_every_kind_of_target_is_helped(task: str) -> None:
    table, truth = table_of(task, "kind")
    alone, helped = both(table, [task, "kind"])
    where = truth["known"]["kind"] & ~truth["known"][task]
    assert told(helped)[0].startswith(f"{task}: where kind is known")
    before, after = alone.results[0], helped.results[0]
    assert after.quality.value > before.quality.value
    assert not np.array_equal(after.predictions[where], before.predictions[where])
    if task == "old":
        right = [np.mean((one.predictions == truth["old"])[where]) for one in (before, after)]
        assert right[1] > right[0]


def test_labels_that_are_learnt_together_help_each_other_one_by_one() -> None:
    rng = np.random.default_rng(0)
    hidden, x = rng.normal(size=200), rng.normal(size=200)
    labels = [(hidden + 0.2 * rng.normal(size=200) > 0).astype(int) for _ in range(2)]
    known = rng.random((2, 200)) < 0.6
    cells = [
        [str(v) if k else "" for v, k in zip(one, some, strict=True)] for one, some in zip(labels, known, strict=True)
    ]
    lines = [f"{x[row]:.3f},{cells[0][row]},{cells[1][row]}" for row in range(200)]
    alone, helped = both(parse("\n".join(["x,one,two", *lines]).encode(), "t.csv", format="csv"), ["one", "two"])
    assert alone.fitted[0].group.task == "labels"
    assert len(told(helped)) == 2
    where = ~known[0] & known[1]
    assert np.mean(helped.results[0].predictions[where] == labels[0][where]) > 0.85
    assert np.mean(alone.results[0].predictions[where] == labels[0][where]) < 0.7
    np.testing.assert_allclose(np.asarray(helped.results[0].probabilities).sum(axis=1), 1.0)


def test_no_cell_of_a_target_is_among_its_own_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, np.ndarray]] = []
    learnt = filling._model_beside

    def watched(new_model: Any, class_weight: str, group: Any, X: np.ndarray) -> Any:
        seen.append((group.name, X))
        return learnt(new_model, class_weight, group, X)

    monkeypatch.setattr(filling, "_model_beside", watched)
    for sign in (1.0, -5.0):
        fill(table_of("size", "kind", sign=sign)[0], ["size", "kind"], features="linear")
    of_size = [X for name, X in seen if name == "size"]
    of_kind = [X for name, X in seen if name == "kind"]
    assert (len(of_size), len(of_kind)) == (2, 2)
    np.testing.assert_array_equal(of_size[0], of_size[1])
    assert not np.array_equal(of_kind[0], of_kind[1])


def test_nothing_is_learnt_twice_where_no_hole_has_another_target(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("learnt twice")

    monkeypatch.setattr(filling, "_model_beside", refuse)
    same = np.arange(240) % 2 == 0
    few = np.arange(240) < FEWEST_TOGETHER - 1
    for kept in ({"size": same, "kind": same}, {"size": few, "kind": few | ~same}):
        fill(table_of("size", "kind", **kept)[0], ["size", "kind"], features="linear")
    with pytest.raises(AssertionError, match="learnt twice"):
        fill(table_of("size", "kind")[0], ["size", "kind"], features="linear")


def test_a_class_that_no_helped_row_has_is_still_an_answer() -> None:
    table, truth = table_of("size", "kind")
    lines = table.source.rendered(Edits({}, {})).decode().splitlines()
    rare = np.flatnonzero(truth["known"]["kind"] & ~truth["known"]["size"])[:5]
    for row in rare:
        lines[1 + row] = lines[1 + row].replace("wide", "rare").replace("slim", "rare")
    filled = fill(parse("\n".join(lines).encode(), "t.csv", format="csv"), ["size", "kind"], features="linear")
    assert filled.results[1].target.outputs == ("rare", "slim", "wide")
    assert np.asarray(filled.results[1].probabilities).shape == (240, 3)
    assert any(note.startswith("kind: where size") for note in told(filled))


def test_helpers_are_named_and_where_they_are_many_counted() -> None:
    targets = ["size", "kind", "old", "tags"]
    helped = fill(table_of(*targets)[0], targets, features="linear")
    assert "size: where kind, old or tags is known, it was predicted from that too" in " ".join(told(helped))
    many = Helped(helped.results[0], tuple("abcdef"), 0.5).sentence()
    assert many == (
        "size: where a, b, c or 3 more targets is known, it was predicted from that too, which lowers the squared "
        "error on known cells left out by 50 %."
    )
