"""What the report says: against the filled table, and of plain values."""

from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import f1_score

from lsvv import LSVVRegressorCV
from lsvv.features import Linear
from lsvv.report.checks import calibration_of
from lsvv.report.from_fill import Report, report_of
from lsvv.report.inside import MOST_COLUMNS, Help, help_of, mattered_of, smoothing_words
from lsvv.report.page import render
from lsvv.report.phrases import headline_of, number, percent, quality_of, shortened, span
from lsvv.report.rowmap import MOST_POINTS, Layer, drawn_rows, map_of, two_directions
from lsvv.report.view import atlas_range, layer_sizes, shade
from lsvv.selection import Importances
from lsvv.selection.averaging import guard
from lsvv.tables import Filled, fill, parse
from lsvv.tables.explaining import kinds_sentence
from lsvv.tables.results import Said
from lsvv.tables.words import count


@pytest.fixture(scope="module")
def report(filled: Filled) -> Report:
    return report_of(filled)


def test_the_content_is_plain(report: Report) -> None:
    def leaves(value: object) -> set[type]:
        if isinstance(value, dict):
            return set().union(*map(leaves, value.values()))
        if isinstance(value, (tuple, list)):
            return set().union(*map(leaves, value)) if value else set()
        return {type(value)}

    assert leaves(asdict(report)) <= {str, int, float, bool, type(None)}


def test_known_and_filled_cells_add_up(report: Report, filled: Filled) -> None:
    for learnt, result in zip(report.learnt, filled.results, strict=True):
        assert learnt.n_known + learnt.n_filled == report.column_summary.n_rows == 60
        assert learnt.n_filled == len(result.rows)
        assert sum(learnt.certainty) in (0, learnt.n_filled)
        if learnt.confusion is not None:
            assert sum(map(sum, learnt.confusion.counts)) == learnt.n_known
            assert sum(output.known for output in learnt.outputs) == learnt.n_known
            diagonal = sum(row[place] for place, row in enumerate(learnt.confusion.counts))
            assert diagonal / learnt.n_known == pytest.approx(learnt.value)


def test_every_target_has_its_own_kind_of_check(report: Report) -> None:
    tasks = {learnt.task: learnt for learnt in report.learnt}
    assert set(tasks) == {"classes", "labels", "tags", "numbers"}
    assert tasks["numbers"].numbers is not None
    assert tasks["numbers"].confusion is None
    assert tasks["tags"].confusion is None
    assert sorted(output.name for output in tasks["labels"].outputs) == ["0", "1"]
    assert all(bins.count > 0 for bins in tasks["tags"].calibration)


def test_each_headline_says_how_good_the_answers_are_beside_the_plainest(report: Report, filled: Filled) -> None:
    learnt = {one.task: one for one in report.learnt}
    numbers, result = learnt["numbers"].numbers, filled.results[1]
    assert numbers is not None
    truth = result.target.values[result.held_out_rows]
    others = [np.delete(truth, place).mean() for place in range(truth.size)]
    assert numbers.off == pytest.approx(np.median(np.abs(truth - result.held_out)))
    assert numbers.mean_off == pytest.approx(np.median(np.abs(truth - others)))
    assert headline_of(learnt["numbers"]) == f"off by {number(numbers.off, 2)}"
    assert f"guessing the mean is off by {number(numbers.mean_off, 2)}." in quality_of(learnt["numbers"])
    assert headline_of(learnt["tags"]) == f"F1 {percent(learnt['tags'].f1)}"
    assert f"would reach {percent(learnt['classes'].baseline)}" in quality_of(learnt["classes"])


def test_f1_of_tags_is_that_of_scikit_learn(report: Report, filled: Filled) -> None:
    tags, result = report.learnt[-1], filled.results[-1]
    truth = result.target.values[result.held_out_rows]
    chosen = (result.held_out > 0.5) | (result.held_out.max(axis=1, keepdims=True) == result.held_out)
    assert tags.f1 == pytest.approx(f1_score(truth, chosen, average="micro"))
    each = dict(zip(result.target.outputs, f1_score(truth, chosen, average=None), strict=True))
    assert {one.name: one.f1 for one in tags.outputs} == pytest.approx(each)


def test_some_filled_rows_are_shown_from_the_first_to_the_last(report: Report, filled: Filled) -> None:
    frame, rows = filled.frame, [one.row for one in report.examples]
    holes = np.unique(np.concatenate([result.rows for result in filled.results])) + 1
    assert rows == sorted(rows)
    assert (len(rows), rows[0], rows[-1]) == (6, holes[0], holes[-1])
    for one in report.examples:
        assert [cell.value for cell in one.cells] == [
            shortened(str(frame[cell.column][one.row - 1]), 40) for cell in one.cells
        ]
        assert all(cell.beside for cell in one.cells)


def test_models_are_shared_by_targets_learnt_together(report: Report) -> None:
    places = {learnt.column: learnt.model for learnt in report.learnt}
    assert places["is <b>wet</b>"] == places["is_old"]
    assert len(report.models) == 4
    assert all(0 <= place < len(report.models) for place in places.values())


def test_the_atlas_holds_the_lowest_loss(report: Report) -> None:
    for model in report.models:
        lowest, highest = atlas_range(model.atlas)
        assert model.atlas.best <= lowest <= highest
        assert model.atlas.maps[0][1] == pytest.approx(model.atlas.best)
        for panel in model.atlas.panels:
            assert len(panel.losses) == len(panel.values)
            assert all(len(row) == len(panel.ridges) for row in panel.losses)
            assert (panel.axis, panel.values[0], panel.scaled) == ("smoothing", 0.0, True)


def test_a_sentence_says_how_much_of_the_model_looks_at_neighbours(filled: Filled) -> None:
    for part, model in zip(filled.fitted, report_of(filled).models, strict=True):
        fitted = part.model
        if fitted.guard_.share == 0.0:
            assert model.smoothing.startswith("Asking neighbours was tried and did not pay")
            continue
        smoothing = np.array([line.smoothing for line in fitted.plan_])
        looking = fitted.shares_.mean(axis=1)[smoothing > 0].sum()
        taken = fitted.shares_.mean(axis=1) @ smoothing
        assert model.smoothing.startswith(f"{percent(looking)} of the average looks at neighbours")
        assert f"{percent(taken)} of what decides about a row comes from its neighbours" in model.smoothing


@pytest.mark.parametrize(
    ("smoothing", "sentence"),
    [
        (0.0, "Neighbours were not asked: each row is judged by its own columns alone."),
        (0.9, "100\xa0% of the average looks at neighbours"),
        ((0.0, 0.9), "Asking neighbours was tried and did not pay"),
    ],
)
def test_the_sentence_on_smoothing_fits_a_refitted_setting(smoothing: float, sentence: str) -> None:
    # neighbours have opposite numbers
    x = np.arange(40.0)
    model = LSVVRegressorCV(features=Linear(), ridge=1e-3, smoothing=smoothing, selection="best")
    model.fit(np.column_stack([x, 0.01 * (-1.0) ** x]), (-1.0) ** x)
    assert sentence in smoothing_words(model)


@pytest.fixture(scope="module")
def with_trees() -> Filled:
    """Of the three inputs the size makes the kind, by steps that trees see best; a date and a colour do not."""
    rng = np.random.default_rng(0)
    drawn = zip(rng.uniform(0, 4, 160), rng.integers(1, 10, 160), rng.choice(["red", "blue"], 160), strict=True)
    rows = "".join(
        f"{size:.2f},2024-01-1{day},{colour},{'ab'[int(size) % 2] if row % 2 else ''}\n"
        for row, (size, day, colour) in enumerate(drawn)
    )
    return fill(parse(f"size,<i>day</i>,colour,kind\n{rows}".encode(), "t.csv", format="csv"), ["kind"])


def test_the_report_says_what_carried_the_answer_and_which_columns_mattered(with_trees: Filled) -> None:
    (model,) = report_of(with_trees).models
    assert model.carried == kinds_sentence(with_trees.fitted[0].model)
    assert model.mattered is not None
    ((name, rise, error),) = model.mattered.columns
    assert name == "size"
    assert rise > 5.0 * error
    assert model.mattered.words == "2 columns did not matter measurably."
    page = render(report_of(with_trees))
    assert f'<td class="n">{number(rise, 2)}</td><td class="n">{number(error, 1)}</td>' in page
    assert page.count('class="weight"') == 1


def test_what_was_not_measured_or_does_not_matter_is_said(report: Report) -> None:
    assert all(model.mattered is None for model in report.models)
    assert "This was not measured: it takes trees" in render(report)
    nothing = mattered_of(Importances(("a", "b"), np.array([0.01, -0.2]), np.array([0.1, 0.1])))
    page = render(replace(report, models=tuple(replace(model, mattered=nothing) for model in report.models)))
    assert (nothing.columns, "None matters measurably by itself" in page, 'class="weight"' in page) == ((), True, False)


def test_ten_columns_are_shown_and_the_others_summed_up() -> None:
    rise = np.linspace(0.0, 1.0, 20)
    found = mattered_of(Importances(tuple(map(str, range(20))), rise, np.full(20, 0.1)))
    assert [name for name, _, _ in found.columns] == [str(19 - place) for place in range(MOST_COLUMNS)]
    assert found.words == "4 more columns mattered less; 6 columns did not matter measurably."
    assert mattered_of(Importances(("a",), np.ones(1), np.full(1, 0.1))).words == ""


def test_votes_of_neighbours_count_as_what_neighbours_say() -> None:
    model = SimpleNamespace(
        plan_=[SimpleNamespace(smoothing=0.0), SimpleNamespace(smoothing=0.5)],
        shares_=np.array([[0.2], [0.4]]),
        kinds_={"maps": 0.6, "neighbours": 0.3, "extra trees": 0.1, "bagged trees": 0.0},
        best_estimator_=None,
    )
    said = smoothing_words(model).replace("\xa0", " ")
    assert said.startswith("70 % of the average looks at neighbours")
    assert "50 % of what decides about a row comes from its neighbours" in said


def test_unsure_cells_come_in_order_with_their_rows(report: Report, filled: Filled) -> None:
    p = [cell.probability for cell in report.unsure]
    assert p == sorted(p)
    for cell in report.unsure:
        result = next(one for one in filled.results if one.target.column == cell.column)
        assert not result.target.known[cell.row - 1]
        assert f"id r{cell.row - 1}" in cell.about


def test_the_summary_says_what_unlabelled_rows_did(report: Report) -> None:
    said = " ".join(report.summary)
    assert said.count("The rows without a label") == 1
    assert all(f"“{shortened(model.name, 80)}”" in said for model in report.models)


def test_the_command_repeats_the_settings(report: Report) -> None:
    assert report.repeat.command.startswith("lsvv fill 'beasts & <others>.csv' --target kind")
    assert report.repeat.command.endswith("--features linear --seed 0")
    assert dict(report.repeat.versions)["lsvv"]


def test_the_command_holds_what_reading_took(filled: Filled) -> None:
    settings = {**filled.settings, "format": "csv", "missing": "", "labels": ["a b.csv", "c.csv"]}
    piped = replace(filled, table=replace(filled.table, name="standard input"), settings=settings)
    command = report_of(piped).repeat.command
    assert command.startswith("lsvv fill - --target kind")
    assert command.endswith("--labels 'a b.csv' --labels c.csv --format csv --missing '' --features linear --seed 0")


@pytest.mark.parametrize(
    ("gain", "word"), [(np.full(50, 1.0) + np.arange(50) / 50, "Yes"), (-np.arange(1.0, 51.0), "No")]
)
def test_help_is_told_in_a_word(gain: np.ndarray, word: str) -> None:
    found = help_of(guard(gain, np.zeros(50)))
    assert found.headline.startswith(word)
    assert (found.gain > 0) == (word == "Yes") == (found.sure > 0.5)


def test_help_in_between_is_hard_to_tell() -> None:
    found = help_of(guard(np.tile([1.0, -1.0], 20), np.zeros(40)))
    assert found == Help(found.headline, found.sentence, 0.0, found.error, 0.5, 0.5)
    assert found.headline.startswith("Hard to tell")


def test_large_tables_are_drawn_in_part(filled: Filled, rng: np.random.Generator) -> None:
    n = 4 * MOST_POINTS
    result = filled.results[0]
    target = replace(result.target, known=np.arange(n) < 100, values=np.where(np.arange(n) < 100, np.arange(n) % 3, -1))
    large = replace(result, target=target, said=Said(np.zeros(n, dtype=int), np.full((n, 3), 1 / 3)))
    rows = drawn_rows([large], n, 0)
    assert rows.size == MOST_POINTS == np.unique(rows).size
    assert set(range(100)) <= set(rows.tolist())
    drawn = map_of(rng.normal(size=(n, 3)), [large])
    assert drawn is not None
    assert len(drawn.x) == len(drawn.layers[0].places) == MOST_POINTS
    assert sum(known for known, _ in layer_sizes(drawn.layers[0])) == 100


def test_two_directions_match_the_singular_vectors(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 6)) * np.arange(1, 7)
    places, shares = two_directions(X)
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(np.abs(places), np.abs(U[:, :2] * s[:2]), atol=1e-8)
    np.testing.assert_allclose(shares, s[:2] ** 2 / np.sum(s**2))


def test_one_column_still_has_a_map() -> None:
    places, shares = two_directions(np.arange(5.0)[:, None])
    assert np.ptp(places[:, 1]) == 0.0
    assert shares.tolist() == [1.0, 0.0]


def test_two_rows_have_no_map() -> None:
    assert map_of(np.zeros((2, 3)), []) is None


def test_a_few_texts_among_numbers_leave_a_histogram() -> None:
    rows = "".join(f"{'n.a.' if i == 7 else i},{'' if i % 3 else 'ab'[i > 30]}\n" for i in range(60))
    report = report_of(fill(parse(f"size,kind\n{rows}".encode(), "t.csv", format="csv"), ["kind"], features="linear"))
    size = next(column for column in report.column_summary.columns if column.name == "size")
    assert (size.words, sum(size.histogram)) == ("0 to 59, half below 30", 59)


def test_many_classes_share_the_last_colour(filled: Filled) -> None:
    names = [f"k{place}" for place in range(20)]
    rows = "".join(f"{i * 1.5},{names[i % 20] if i < 60 else ''}\n" for i in range(80))
    report = report_of(fill(parse(f"size,kind\n{rows}".encode(), "t.csv", format="csv"), ["kind"], features="linear"))
    assert report.map is not None
    assert report.map.layers[0].groups[-1] == "13 others"
    assert max(report.map.layers[0].places) == 7
    assert report.learnt[0].confusion is None
    assert report.learnt[0].mix_ups


def test_calibration_bins_hold_every_cell(rng: np.random.Generator) -> None:
    said = rng.uniform(size=97)
    bins = calibration_of(said, rng.uniform(size=97) < said)
    assert sum(one.count for one in bins) == 97
    assert [one.said for one in bins] == sorted(one.said for one in bins)
    assert all(one.low <= one.right <= one.high for one in bins)


def test_layer_sizes_and_shades() -> None:
    layer = Layer("kind", ("a", "b"), False, (0, 0, 1), (True, False, False), None)
    assert layer_sizes(layer) == [(1, 1), (0, 1)]
    assert shade(0.0, 0.0, 1.0) == 1.0


def test_words() -> None:
    assert number(float("nan")) == percent(None) == span(None, 1.0) == "–"
    assert number(1e-9) == "1.00e-09"
    assert (number(1975.0), number(12345.6), number(0.0), number(-99999.0)) == ("1975", "12,346", "0", "-99,999")
    assert count(0, "row") == "0 rows"
    assert shortened("x" * 100, 10) == "x" * 9 + " …"
