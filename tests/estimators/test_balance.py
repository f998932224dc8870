"""free_rank="balance": the count comes from the fit without a tail, and the model is that of the count."""

from typing import Any

import numpy as np
import pytest

import laws
from laws import Put
from lsvv.spectral import balanced_free_rank
from models import blobs, classifier, curves, indicators, regressor, some_labels

X, TRUTH = blobs(n=90, K=6)
Y = np.where(np.arange(90) // 6 % 3 == 0, TRUTH, -1)


@pytest.mark.parametrize("settings", [{}, {"loss": "logistic"}, {"solver": "minibatch", "max_iter": 2000, "tol": 0.1}])
def test_the_model_is_that_of_the_count_it_found(settings: dict[str, Any]) -> None:
    balanced = classifier(spectral=0.01, free_rank="balance", **settings).fit(X, Y)
    plain = classifier(spectral=0.0, **settings).fit(X, Y)
    assert balanced.free_rank_ == balanced_free_rank(plain.singular_values_, int(np.sum(Y != -1)))
    assert 0 < balanced.free_rank_ < 6
    counted = classifier(spectral=0.01, free_rank=balanced.free_rank_, **settings).fit(X, Y)
    np.testing.assert_array_equal(balanced.coef_, counted.coef_)


def test_labels_and_numbers_are_balanced_too() -> None:
    rows, labels = indicators()
    assert 1 <= classifier(spectral=0.01, free_rank="balance").fit(rows, labels).free_rank_ <= 3
    rows, numbers = curves()
    assert 1 <= regressor(spectral=0.01, free_rank="balance").fit(rows, numbers).free_rank_ <= 2


def test_arrays_of_another_library_are_balanced_alike(put: Put) -> None:
    here = classifier(spectral=0.01, free_rank="balance").fit(X, Y)
    there = classifier(spectral=0.01, free_rank="balance").fit(put(X), Y)
    assert there.free_rank_ == here.free_rank_
    laws.assert_close(there.coef_, here.coef_, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("free_rank", "count"), [(0, 0), (2, 2), (0.5, 2), (1.0, 3), ("balance", 2)])
def test_the_count_in_use_is_told(free_rank: Any, count: int) -> None:
    rows, truth = blobs()
    assert classifier(free_rank=free_rank).fit(rows, some_labels(truth)).free_rank_ == count


def test_a_word_that_is_no_rule_is_refused() -> None:
    with pytest.raises(ValueError, match=r"free_rank='best' is out of range\. Pass .* or 'balance'\."):
        classifier(free_rank="best").fit(X, Y)
