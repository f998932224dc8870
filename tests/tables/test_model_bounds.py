"""The bounds of a model: the units of the theorems, the laws between the numbers, the wording."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import laws
from lsvv.features import MappedRows
from lsvv.graph import KNNGraph, Smoother
from lsvv.report.bounds_text import bounds_lines, bounds_summary, spectrum_plot
from lsvv.tables import fill, parse
from lsvv.tables.model_bounds import ModelBounds, Subject, bounds_of, subjects
from lsvv.tables.modelfile import TableModel
from lsvv.theory import rademacher_trace_norm

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(80, 5))
W = RNG.normal(size=(5, 3))


def found(**changes: Any) -> ModelBounds:
    rows = changes.pop("rows", ROWS)
    mapped = None if rows is None else MappedRows(rows, lambda X: X)
    weights = changes.pop("W", W)
    shape = {"singular_values": np.linalg.svd(weights, compute_uv=False), "n_features": len(weights), "n_outputs": 3}
    settings = {"name": "y", **shape, "loss": "squared", "target_bound": 1.0, "n": 30, "u": 50, **changes}
    return bounds_of(Subject(**settings, rows=mapped))


def test_the_unit_of_the_features_may_move_into_the_weights() -> None:
    one, other = found(), found(rows=10 * ROWS, W=W / 10)
    assert one.constants.loss_range == pytest.approx(other.constants.loss_range)
    assert one.complexity is not None
    assert other.complexity is not None
    assert one.complexity.value == pytest.approx(other.complexity.value)
    for version in ("printed", "corrected"):
        assert one.excess[version].bound == pytest.approx(other.excess[version].bound)


def test_the_class_of_the_theorems_is_met_but_for_the_eigenvalues_of_a_sample() -> None:
    failing = {
        version: [str(one) for one in bound.assumptions if one.holds is False]
        for version, bound in found().excess.items()
    }
    assert [one.split(" does not")[0] for one in failing["corrected"]] == ["lambda_j are the population's"]
    assert set(failing["corrected"]) < set(failing["printed"])


def test_the_corrected_theorem_lies_above_the_complexity_measured() -> None:
    one = found()
    assert one.complexity is not None
    assert one.spectrum is not None
    # beyond its radius the local class is the ball itself, so the bound at theta = 0 is one of the whole class
    assert one.local["corrected"].by_theta[0] > one.complexity.value


def test_the_complexity_is_that_of_the_scaled_rows_at_the_labelled_size() -> None:
    one = found(n=80, u=0)
    largest = np.linalg.norm(ROWS, axis=1).max()
    assert one.largest_norm == pytest.approx(largest)
    assert one.complexity is not None
    assert one.complexity.n_rows == 80
    exact = rademacher_trace_norm(ROWS / largest, 3, n_draws=50, random_state=0)
    laws.assert_close(one.complexity.draws, exact.draws)


def test_more_labels_lower_the_corrected_bound_and_more_unlabelled_rows_do_not() -> None:
    at = [found(n=n).excess["corrected"].bound for n in (10, 100, 1000)]
    assert at[0] > at[1] > at[2]
    assert found(u=10**6).excess["corrected"].bound == found(u=0).excess["corrected"].bound
    assert found(u=10**6).excess["printed"].bound < found(u=0).excess["printed"].bound


def test_a_vacuous_number_is_never_called_a_guarantee() -> None:
    said = "\n".join(bounds_lines(found()))
    assert said.count("it is vacuous and says nothing about this model") == 4
    assert "The excess risk is at most" not in said
    assert said.count("guarantee") == 1
    assert "not a guarantee" in said


def test_even_a_small_number_is_called_an_indication() -> None:
    said = "\n".join(bounds_lines(found(n=10**9, W=1e-3 * W)))
    assert "An estimate: the eigenvalues are those of 80 rows, and the bound needs the population's." in said
    assert "The excess risk is at most" not in said
    assert "an indication of size here, not a guarantee" in said


@pytest.mark.parametrize("loss", ["logistic", "sigmoid"])
def test_large_weights_do_not_overflow(loss: str) -> None:
    assert np.isfinite(found(W=1e4 * W, loss=loss).excess["corrected"].bound)


def test_without_rows_the_singular_values_speak_alone() -> None:
    one = found(rows=None)
    assert (one.spectrum, one.complexity, one.excess) == (None, None, {})
    said = bounds_summary(one)
    assert said["complexity"] is None
    assert said["corollary_1"] == {}
    assert said["corollary_2"]["corrected"]["vacuous"] is True
    assert b"<svg" in spectrum_plot([one, found()])


def test_few_rows_are_not_taken_for_a_finite_rank() -> None:
    slopes = np.arange(1, 101) ** -1.0
    few = found(rows=RNG.normal(size=(20, 100)) * slopes, W=RNG.normal(size=(100, 3)), n=10, u=10)
    assert few.decay is not None
    assert few.decay.kind != "finite rank"


def test_a_constant_model_is_refused() -> None:
    with pytest.raises(ValueError, match="The W of y is 0: the model is constant"):
        found(W=0 * W)


@pytest.mark.parametrize("selection", ["average", "best"])
@pytest.mark.parametrize("smoothing", [0.0, 0.9])
def test_the_subject_is_the_heaviest_model_and_smoothing_is_told(smoothing: float, selection: str) -> None:
    rows = "".join(f"{i * i},{i % 7},{('low' if i < 20 else 'high') if i % 3 else ''}\n" for i in range(40))
    filled = fill(parse(b"size,rest,kind\n" + rows.encode(), "t.csv", format="csv"), ["kind"], features="linear")
    (part,) = filled.fitted
    part.model.set_params(smoothing=smoothing, selection=selection, loss="squared").fit(filled.X, part.group.as_array())
    model = TableModel.of(replace(filled, fitted=(part,)))
    (subject,) = subjects(model, filled.X)
    fitted = part.model.best_estimator_ or part.model
    laws.assert_close(subject.singular_values, fitted.singular_values_)
    assert (subject.n_features, subject.n_outputs, subject.loss) == (filled.X.shape[1], 2, "squared")
    said = " ".join(subject.notes)
    assert ("its norm is at most theirs" in said) is (smoothing > 0.0)
    assert bounds_of(subject).largest_norm == pytest.approx(np.linalg.norm(filled.X, axis=1).max())


def test_smoothed_features_are_no_longer_than_the_longest() -> None:
    graph = KNNGraph(weights="self-tuned").fit(ROWS, 5)
    smoothed = Smoother(graph.S).columns(ROWS, 0.9)
    longest = np.linalg.norm(ROWS, axis=1).max()
    assert np.linalg.norm(smoothed, axis=1).max() <= longest
    new = 0.1 * RNG.normal(size=(20, 5))
    assert np.linalg.norm(0.1 * new + 0.9 * (graph.links(new) @ smoothed), axis=1).max() <= longest
