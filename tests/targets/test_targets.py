"""Coding targets for a loss and reading scores back; weights of rows, entries and classes."""

from typing import Any

import numpy as np
import pytest

from lsvv.targets import Classes, Labels, Numbers, encode_classes, encode_labels, encode_numbers

NAN = float("nan")


# --------------------------------------------------------------------------------------------------------- classes


def test_classes_become_indicators() -> None:
    targets = encode_classes(["b", None, "a", "b"], 4, None, None)
    assert isinstance(targets.codec, Classes)
    assert targets.codec.classes.tolist() == ["a", "b"]
    np.testing.assert_array_equal(targets.values, [[0, 1], [0, 0], [1, 0], [0, 1]])
    np.testing.assert_array_equal(targets.weights, [[1, 1], [0, 0], [1, 1], [1, 1]])
    assert targets.labelled.tolist() == [0, 2, 3]
    assert targets.codec.decode(np.array([[0.1, 0.2], [0.5, 0.5]])).tolist() == ["b", "a"]


def test_the_weights_of_each_output_sum_to_one() -> None:
    targets = encode_classes([0, 1, -1, 1], 4, [1.0, 2.0, 5.0, 1.0], None)
    np.testing.assert_allclose(targets.normalised_weights(), np.array([[0.25] * 2, [0.5] * 2, [0.25] * 2]))
    np.testing.assert_array_equal(targets.counts, [[1, 1], [2, 2], [0, 0], [1, 1]])


def test_a_weight_of_zero_is_unlabelled() -> None:
    here = encode_classes([0, 1, 2, 1], 4, [1.0, 1.0, 0.0, 1.0], None)
    there = encode_classes([0, 1, -1, 1], 4, None, None)
    np.testing.assert_array_equal(here.values, there.values)
    np.testing.assert_array_equal(here.weights, there.weights)
    assert isinstance(here.codec, Classes)
    assert here.codec.classes.tolist() == [0, 1]


def test_rows_below_are_unlabelled() -> None:
    targets = encode_classes([0, 1], 2, None, None).followed_by(3)
    assert targets.values.shape == (5, 2)
    assert targets.labelled.tolist() == [0, 1]


def test_all_labelled_is_noted() -> None:
    all_labelled = encode_classes([0, 1], 2, None, None)
    assert all_labelled.notes == ("All 2 rows are labelled: the model is supervised.",)
    assert all_labelled.followed_by(1).notes == ()
    assert encode_classes([0, 1, -1], 3, None, None).notes == ()


def test_balanced_classes_weigh_the_same() -> None:
    targets = encode_classes([0, 0, 0, 1, -1], 5, None, "balanced")
    per_class = (targets.weights * targets.values).sum(axis=0)
    assert per_class.tolist() == [2.0, 2.0]
    assert not targets.weights[4].any()


def test_classes_weigh_what_a_dict_says() -> None:
    targets = encode_classes(["a", "b", "b"], 3, [1.0, 1.0, 2.0], {"a": 3.0})
    assert targets.weights[:, 0].tolist() == [3.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("class_weight", "sentence"),
    [
        ({"z": 1.0}, "class_weight names 'z', which is no class of y"),
        ({"a": -1.0}, "class_weight holds -1. Weights are finite and at least 0"),
        ({"a": NAN}, "class_weight holds nan. Weights are finite and at least 0"),
        ({"a": 0, "b": 0}, "class_weight is all zero, so that no row is labelled"),
        ("heavy", "class_weight='heavy' is not known. Pass None, 'balanced' or a dict"),
    ],
)
def test_wrong_class_weights_are_refused(class_weight: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        encode_classes(["a", "b"], 2, None, class_weight)


def test_no_label_and_one_class_are_refused() -> None:
    with pytest.raises(ValueError, match="No row is labelled: every y is missing"):
        encode_classes([-1, -1], 2, None, None)
    with pytest.raises(
        ValueError, match=r"All labelled rows are of one class, 3\. A classifier .*: label a row of another class"
    ):
        encode_classes([3, -1, 3], 3, None, None)


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        ([1.0, -2.0], "sample_weight holds -2. Weights are at least 0"),
        ([0.0, 0.0], "sample_weight is all zero"),
        ([1.0, NAN], "sample_weight holds NaN or infinity"),
        ([1.0], r"sample_weight has shape \(1,\), expected \(2,\)"),
        ([[1.0, 1.0], [1.0, 1.0]], r"sample_weight has shape \(2, 2\), expected \(2,\)"),
    ],
)
def test_wrong_weights_are_refused(weight: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        encode_classes([0, 1], 2, weight, None)


# ---------------------------------------------------------------------------------------------------------- labels


def test_labels_are_known_entry_by_entry() -> None:
    Y = np.array([[1, NAN], [0, 1], [NAN, NAN], [1, 0]])
    targets = encode_labels(Y, None, None)
    assert isinstance(targets.codec, Labels)
    np.testing.assert_array_equal(targets.weights > 0, ~np.isnan(Y))
    assert targets.labelled.tolist() == [0, 1, 3]
    np.testing.assert_allclose(targets.normalised_weights().sum(axis=0), 1.0)
    np.testing.assert_array_equal(targets.codec.decode(np.array([[0.1, 0.0], [-1.0, 2.0]])), [[1, 0], [0, 1]])


def test_weights_of_entries_and_rows() -> None:
    Y = np.array([[1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_array_equal(encode_labels(Y, [1.0, 2.0], None).weights, [[1, 1], [2, 2]])
    np.testing.assert_array_equal(encode_labels(Y, [[1.0, 2.0], [3.0, 0.0]], None).weights, [[1, 2], [3, 0]])
    with pytest.raises(
        ValueError, match=r"sample_weight has shape \(2, 3\), expected \(2,\) for one weight a row or \(2, 2\)"
    ):
        encode_labels(Y, np.ones((2, 3)), None)


def test_balanced_labels_weigh_the_same_on_both_sides() -> None:
    Y = np.array([[1, 0], [0, 0], [0, 1], [0, NAN]])
    targets = encode_labels(Y, None, "balanced")
    yes = (targets.weights * targets.values).sum(axis=0)
    np.testing.assert_allclose(yes, targets.weights.sum(axis=0) / 2)
    np.testing.assert_allclose(encode_labels(Y, None, {1: 3.0}).weights[0], [3.0, 1.0])
    with pytest.raises(ValueError, match=r"class_weight={5: 1.0} is not known"):
        encode_labels(Y, None, {5: 1.0})


def test_negative_label_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="class_weight holds -3"):
        encode_labels(np.array([[1, 0], [0, 1]]), None, {1: -3.0})


def test_labels_that_never_vary_are_noted() -> None:
    Y = np.array([[0, 1, NAN, 1], [0, 1, NAN, 0], [NAN, NAN, NAN, NAN]])
    assert encode_labels(Y, None, None).notes == (
        "Label column 2 has no known entry and is predicted 0.",
        "Label column 0 never occurs and is predicted 0.",
        "Label column 1 always occurs and is predicted 1.",
    )


@pytest.mark.parametrize(("entry", "shown"), [(2, "2"), (-1, "-1"), (0.5, "0.5"), (np.inf, "inf")])
def test_an_indicator_holds_zero_one_or_nothing(entry: float, shown: str) -> None:
    Y = np.array([[1, 0], [0, entry]], dtype=float)
    with pytest.raises(
        ValueError, match=rf"Y holds {shown} at row 1, column 1. A 2-d Y for the classifier is an indicator"
    ):
        encode_labels(Y, None, None)


def test_an_indicator_without_a_known_entry_is_refused() -> None:
    with pytest.raises(ValueError, match="No row is labelled"):
        encode_labels(np.full((2, 2), NAN), None, None)


# --------------------------------------------------------------------------------------------------------- numbers


def test_numbers_are_standardised_over_their_known_entries(rng: np.random.Generator) -> None:
    Y = rng.normal(size=(20, 2), loc=5.0, scale=[1.0, 100.0])
    Y[:5, 0] = NAN
    targets = encode_numbers(Y, 20, None)
    assert isinstance(targets.codec, Numbers)
    np.testing.assert_allclose(targets.codec.mean, np.nanmean(Y, axis=0))
    np.testing.assert_allclose(targets.codec.scale, np.nanstd(Y, axis=0))
    known = ~np.isnan(Y)
    np.testing.assert_allclose(targets.codec.decode(targets.values)[known], Y[known])


def test_weighted_numbers_are_standardised_as_repeated_ones(rng: np.random.Generator) -> None:
    y, weight = rng.normal(size=10), rng.integers(0, 4, size=10)
    here, there = (
        encode_numbers(y, 10, weight).codec,
        encode_numbers(np.repeat(y, weight), int(weight.sum()), None).codec,
    )
    assert isinstance(here, Numbers)
    assert isinstance(there, Numbers)
    np.testing.assert_allclose([here.mean, here.scale], [there.mean, there.scale])


@pytest.mark.parametrize("constant", [0.0, 3.0, 1e30, 0.1])
def test_constant_numbers_keep_the_unit_one(constant: float) -> None:
    targets = encode_numbers(np.full(7, constant), 7, None)
    assert isinstance(targets.codec, Numbers)
    assert targets.codec.scale.tolist() == [1.0]
    np.testing.assert_allclose(targets.codec.decode(targets.values), constant)


def test_one_dimension_stays_one() -> None:
    targets = encode_numbers([1.0, NAN, 3.0], 3, None)
    assert targets.codec.decode(np.zeros((3, 1))).tolist() == [2.0, 2.0, 2.0]
    assert encode_numbers([[1.0], [3.0]], 2, None).codec.decode(np.zeros((2, 1))).shape == (2, 1)


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ([1.0, np.inf], "y contains infinity at row 1, column 0"),
        ([NAN, NAN], "No row is labelled"),
        ([[1.0, NAN], [2.0, NAN]], "Column 1 of y has no known entry. Drop the column"),
        ([1e200, -1e200], "y holds values whose squares overflow"),
        (["a", "b"], "y holds entries that are not numbers"),
    ],
)
def test_what_is_no_number_is_refused(y: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        encode_numbers(y, 2, None)


def test_without_an_intercept_numbers_are_standardised_about_zero(rng: np.random.Generator) -> None:
    Y = rng.normal(size=(20, 2)) + 5.0
    targets = encode_numbers(Y, 20, None, about_zero=True)
    assert isinstance(targets.codec, Numbers)
    np.testing.assert_array_equal(targets.codec.mean, [0.0, 0.0])
    np.testing.assert_allclose(targets.codec.scale, np.sqrt((Y**2).mean(axis=0)))
    np.testing.assert_allclose(targets.codec.decode(targets.values), Y)


def test_a_class_of_weight_zero_is_known_and_not_learnt_from() -> None:
    for targets in (
        encode_classes([0, 1, 2, -1], 4, None, {0: 0.0}),
        encode_labels(np.array([[0.0], [1.0], [1.0], [NAN]]), None, {0: 0.0}),
    ):
        np.testing.assert_array_equal(targets.known[:, 0], [True, True, True, False])
        np.testing.assert_array_equal(targets.weights[:, 0], [0.0, 1.0, 1.0, 0.0])


@pytest.mark.parametrize("unit", [1.0, 2.0, 0.1, 1e-200])
def test_a_weight_stands_for_rows_in_units_of_the_smallest(unit: float) -> None:
    counts = encode_classes([0, 1, -1, 1], 4, unit * np.array([1.0, 3.0, 5.0, 2.0]), None).counts
    np.testing.assert_array_equal(counts[:, 0], [1, 3, 0, 2])
    np.testing.assert_array_equal(encode_classes([0, 1, 1], 3, unit * np.array([1, 2.5, 2]), None).counts[:, 0], 1)
