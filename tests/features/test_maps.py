"""Feature maps: kernels approximated or exact, draws that depend on the seed alone, every kind of array."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge

import laws
from laws import Put
from lsvv.features import FeatureMap, LandmarkMap, Linear, Nystroem, RandomFourier, Sketch, as_feature_map
from lsvv.features.kernels import KERNELS, as_kernel
from lsvv.features.maps import MAPS
from lsvv.linalg import to_numpy

MEMBERS: dict[str, FeatureMap] = {
    "linear": Linear(),
    "fourier": RandomFourier(20, random_state=0),
    "fourier, plain draws": RandomFourier(20, orthogonal=False, random_state=0),
    "fourier, laplacian": RandomFourier(20, kernel="laplacian", random_state=0),
    "nystroem": Nystroem(8, random_state=0),
    "nystroem, cauchy": Nystroem(8, kernel="cauchy", random_state=0),
    "sketch": Sketch(5, n_landmarks=15, random_state=0),
    "sketch, subsample": Sketch(5, n_landmarks=15, sketch="subsample", random_state=0),
}


@pytest.fixture(name="X")
def rows(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(30, 4))


@pytest.mark.parametrize("name", MEMBERS)
def test_a_map_is_a_scikit_learn_transformer(name: str) -> None:
    reason = "landmarks are drawn: a repeated row can be drawn twice, a row of weight 2 once"
    drawn = {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")}
    laws.assert_fails_only(clone(MEMBERS[name]), drawn if isinstance(MEMBERS[name], LandmarkMap) else {})


@pytest.mark.parametrize("name", MEMBERS)
def test_numpy_and_torch_agree(name: str, put: Put, X: np.ndarray) -> None:
    expected = clone(MEMBERS[name]).fit_transform(X)
    there = clone(MEMBERS[name]).fit_transform(put(X))
    assert type(there) is type(put(X))
    laws.assert_close(there, expected)
    laws.assert_close(clone(MEMBERS[name]).fit(X).transform(put(X)), expected)


@pytest.mark.parametrize("name", MEMBERS)
def test_sparse_rows_map_like_dense_ones(name: str, X: np.ndarray) -> None:
    holes = np.where(X > 0.5, X, 0.0)
    phi = clone(MEMBERS[name]).fit(holes)
    mapped = clone(MEMBERS[name]).fit(sp.csr_array(holes)).transform(sp.csr_array(holes))
    assert sp.issparse(mapped) is (name == "linear")
    laws.assert_close(mapped.toarray() if sp.issparse(mapped) else mapped, phi.transform(holes))


@pytest.mark.parametrize("name", MEMBERS)
def test_single_precision_stays_single(name: str, put: Put, X: np.ndarray) -> None:
    single = clone(MEMBERS[name]).fit_transform(put(X.astype(np.float32)))
    assert to_numpy(single).dtype == np.float32
    gram, expected = (to_numpy(Phi) @ to_numpy(Phi).T for Phi in (single, clone(MEMBERS[name]).fit_transform(X)))
    np.testing.assert_allclose(gram, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", MEMBERS)
def test_a_row_maps_the_same_alone_and_among_others(name: str, X: np.ndarray) -> None:
    phi = clone(MEMBERS[name]).fit(X)
    laws.assert_close(phi.transform(X)[[7, 3]], phi.transform(X[[7, 3]]))


@pytest.mark.parametrize("name", MEMBERS)
def test_the_names_of_the_features_are_as_many_as_the_columns(name: str, X: np.ndarray) -> None:
    phi = clone(MEMBERS[name]).fit(X)
    assert len(phi.get_feature_names_out()) == phi.transform(X).shape[1]


# ------------------------------------------------------------------------------------------------ random Fourier


@pytest.mark.parametrize("orthogonal", [False, True])
@pytest.mark.parametrize("kernel", sorted(KERNELS))
def test_fourier_features_approximate_the_kernel(kernel: str, orthogonal: bool, X: np.ndarray) -> None:
    D = 20_000
    phi = RandomFourier(D, kernel=kernel, width=2.0, orthogonal=orthogonal, random_state=1).fit(X)
    Phi = phi.transform(X[:8])
    exact = as_kernel(kernel).values(X[:8] / 2.0, X[:8] / 2.0)
    np.testing.assert_allclose(Phi @ Phi.T, exact, atol=6 / np.sqrt(D))


def test_draws_depend_on_neither_rows_nor_width(X: np.ndarray) -> None:
    here = RandomFourier(10, width=1.0, random_state=3).fit(X)
    there = RandomFourier(10, width=5.0, random_state=3).fit(X[:4] + 2.0)
    laws.assert_close(here.frequencies_, 5.0 * there.frequencies_)
    laws.assert_close(here.offsets_, there.offsets_)
    auto = RandomFourier(10, random_state=3).fit(X)
    laws.assert_close(here.frequencies_, auto.width_ * auto.frequencies_)


def test_orthogonal_draws_err_less(X: np.ndarray) -> None:
    exact = as_kernel("gaussian").values(X / 2, X / 2)
    errors = {
        orthogonal: np.mean(
            [
                np.sum((Phi @ Phi.T - exact) ** 2)
                for seed in range(30)
                for Phi in [RandomFourier(40, width=2.0, orthogonal=orthogonal, random_state=seed).fit_transform(X)]
            ]
        )
        for orthogonal in (False, True)
    }
    assert errors[True] < errors[False]


# --------------------------------------------------------------------------------------------------- landmarks


def test_nystroem_with_all_rows_is_the_kernel(X: np.ndarray) -> None:
    Phi = Nystroem(99, width=1.5).fit_transform(X)
    laws.assert_close(Phi @ Phi.T, as_kernel("gaussian").values(X / 1.5, X / 1.5), atol=1e-8)


def test_nystroem_with_all_rows_is_kernel_ridge(X: np.ndarray, rng: np.random.Generator) -> None:
    y, new, alpha = rng.normal(size=30), rng.normal(size=(10, 4)), 0.1
    phi = Nystroem(30, width=1.5).fit(X)
    Phi = phi.transform(X)
    w = np.linalg.solve(Phi.T @ Phi + alpha * np.eye(Phi.shape[1]), Phi.T @ y)
    reference = KernelRidge(alpha=alpha, kernel="rbf", gamma=1 / (2 * 1.5**2)).fit(X, y)
    laws.assert_close(phi.transform(new) @ w, reference.predict(new), rtol=1e-6, atol=1e-8)


def test_a_full_sketch_spans_what_its_landmarks_span(X: np.ndarray) -> None:
    for sketch in ("gaussian", "subsample"):
        Phi = Sketch(30, n_landmarks=30, sketch=sketch, width=1.5, random_state=0).fit_transform(X)
        laws.assert_close(Phi @ Phi.T, as_kernel("gaussian").values(X / 1.5, X / 1.5), atol=1e-6)


def test_a_subsampled_sketch_is_exact_on_its_columns(X: np.ndarray) -> None:
    phi = Sketch(6, n_landmarks=20, sketch="subsample", width=1.5, random_state=0).fit(X)
    Phi = phi.transform(X)
    exact = as_kernel("gaussian").values(X / 1.5, X / 1.5)
    is_landmark = np.isclose(Phi @ Phi.T, exact, atol=1e-8).all(axis=1)
    assert is_landmark.sum() == 6


def test_a_sketch_errs_no_more_with_more_columns(X: np.ndarray) -> None:
    exact = as_kernel("gaussian").values(X / 1.5, X / 1.5)
    errors = []
    for D in (5, 15, 30):
        Phi = Sketch(D, n_landmarks=30, width=1.5, random_state=0).fit_transform(X)
        errors.append(np.linalg.norm(Phi @ Phi.T - exact))
    assert errors[0] > errors[1] > errors[2]


@pytest.mark.parametrize("phi", [Nystroem(10, random_state=0), Sketch(5, n_landmarks=10, random_state=0)], ids=str)
def test_repeated_rows_are_handled(phi: FeatureMap, X: np.ndarray) -> None:
    Phi = clone(phi).fit_transform(np.repeat(X[:3], 10, axis=0))
    assert np.isfinite(Phi).all()
    assert Phi.shape[1] <= 3


def test_rows_of_weight_zero_are_no_landmarks(X: np.ndarray) -> None:
    weight = np.r_[np.zeros(20), np.ones(10)]
    phi = Nystroem(99, width=1.0).fit(X, sample_weight=weight)
    laws.assert_close(np.sort(phi.landmarks_, axis=0), np.sort(X[20:], axis=0))


def test_weights_are_checked(X: np.ndarray) -> None:
    with pytest.raises(ValueError, match="sample_weight holds -1"):
        Nystroem(5).fit(X, sample_weight=-np.ones(30))
    with pytest.raises(ValueError, match="sample_weight is all zero"):
        RandomFourier(5).fit(X, sample_weight=np.zeros(30))
    with pytest.raises(ValueError, match=r"sample_weight has shape \(3,\), expected \(30,\)"):
        Linear().fit(X, sample_weight=np.ones(3))


def test_constant_columns_change_no_distance(X: np.ndarray) -> None:
    wide = np.hstack([X, np.full((30, 1), 5.0)])
    laws.assert_close(Nystroem(30).fit(wide).width_, Nystroem(30).fit(X).width_)
    Phi, Wide = Nystroem(30).fit_transform(X), Nystroem(30).fit_transform(wide)
    laws.assert_close(Wide @ Wide.T, Phi @ Phi.T, atol=1e-8)


# ------------------------------------------------------------------------------------------ parameters and names


@pytest.mark.parametrize(
    ("phi", "sentence"),
    [
        (RandomFourier(0), "n_components=0 is out of range. Pass an integer of at least 1"),
        (RandomFourier(2.5), "n_components=2.5 is out of range"),  # type: ignore[arg-type]
        (RandomFourier(True), "n_components=True is out of range"),
        (Nystroem(-3), "n_components=-3 is out of range"),
        (Sketch(5, n_landmarks=0), "n_landmarks=0 is out of range"),
        (Sketch(5, sketch="hadamard"), "sketch='hadamard' is out of range. Pass 'gaussian' or 'subsample'"),
        (RandomFourier(5, width="wide"), "width='wide' is not a width"),
        (Nystroem(5, width=-1.0), "width=-1.0 is not a width"),
        (RandomFourier(5, width=1e-310), "The width 1e-310 is so narrow that frequencies overflow. Scale the columns"),
        (RandomFourier(5, kernel="rbf"), "kernel='rbf' is not known"),
        (RandomFourier(5, random_state="x"), "random_state='x' cannot seed a generator"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused(phi: FeatureMap, sentence: str, X: np.ndarray) -> None:
    with pytest.raises(ValueError, match=sentence):
        phi.fit(X)


def test_maps_have_short_names() -> None:
    assert {name: type(as_feature_map(name, 0)) for name in MAPS} == {
        "linear": Linear,
        "fourier": RandomFourier,
        "nystroem": Nystroem,
        "sketch": Sketch,
    }


def test_an_object_is_cloned_and_seeded_only_where_it_has_no_seed() -> None:
    phi = RandomFourier(7)
    copy = as_feature_map(phi, 42)
    assert copy is not phi
    assert phi.random_state is None
    assert (copy.n_components, copy.random_state) == (7, 42)
    assert as_feature_map(RandomFourier(7, random_state=1), 42).random_state == 1


@pytest.mark.parametrize("features", ["rbf", RandomFourier, 3, None, object()])
def test_what_is_no_map_is_refused(features: Any) -> None:
    with pytest.raises(ValueError, match=r"is not known. Choose one of|is not a transformer. Pass a short name"):
        as_feature_map(features, 0)
