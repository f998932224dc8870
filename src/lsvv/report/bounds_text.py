"""The bounds of a model in words and as a picture; a vacuous number is called so."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from lsvv.extras import optional
from lsvv.tables.model_bounds import VERSIONS, ModelBounds
from lsvv.theory import ExcessBound

__all__ = ["bounds_lines", "bounds_summary", "spectrum_plot"]

CAUTION = (
    "The class was read off this model (its trace norm, its features), while the theorems want it fixed in advance: "
    "even a number below B is an indication of size here, not a guarantee."
)
SHOWN = 6


def bounds_lines(found: ModelBounds) -> list[str]:
    """What the theory says of one model, line by line."""
    subject = found.subject
    D, K = subject.n_features, subject.n_outputs
    return [
        f"{subject.name}: n = {subject.n} labelled rows, u = {subject.u} unlabelled ones, D = {D} features, "
        f"K = {K} outputs, {subject.loss} loss.",
        *(f"  Note: {note}" for note in subject.notes),
        "",
        "  The class",
        f"    trace norm of W at most {found.trace_norm:.4g}, that of this W; features of norm at most "
        f"{found.largest_norm:.4g}",
        f"    scores of norm at most {found.trace_norm * found.largest_norm:.4g}; on these the loss has "
        f"L = {found.constants.lipschitz:.4g} and B = {found.constants.loss_range:.4g}",
        *_spectra(found),
        *_complexity(found),
        *_table("Excess risk by eigenvalues (Corollary 1)", found.excess),
        *_table("Excess risk by singular values (Corollary 2)", found.motivation),
        "",
        f"  {CAUTION}",
    ]


def _spectra(found: ModelBounds) -> Iterator[str]:
    yield from ("", "  Spectra")
    yield f"    singular values of W: {_some(found.singular_values)}"
    yield f"    free rank that balances the two terms of Theorem 3: {found.balanced}"
    if found.spectrum is None:
        return
    values = found.spectrum.eigenvalues
    shares = np.cumsum(values) / max(found.spectrum.trace, 1e-300)
    half, most = (int(np.searchsorted(shares, level)) + 1 for level in (0.5, 0.99))
    yield f"    eigenvalues of the features, of {found.spectrum.n_rows} rows: {_some(values)}"
    yield f"    {half} of {values.size} hold half of their sum, {min(most, values.size)} hold 99% of it"
    if found.decay is not None:
        law = found.decay
        rank = "of rank" if law.kind == "finite rank" else "at rate"
        yield f"    nearest law: {law.kind} {rank} {law.rate:.3g} (goodness {law.goodness:.2f}, 1 is perfect)"


def _complexity(found: ModelBounds) -> Iterator[str]:
    if found.complexity is None:
        return
    measured = found.complexity
    yield from ("", f"  Rademacher complexity of the class of trace norm 1, at {measured.n_rows} rows")
    yield f"    measured: {measured.value:.4g}, standard error {measured.standard_error:.2g}"
    radius = {version: found.excess[version].r_star for version in VERSIONS}
    for version, words in zip(VERSIONS, ("as printed", "corrected"), strict=True):
        local = found.local[version]
        yield (
            f"    Theorem 2 for its part within r = {radius[version]:.3g}, {words}: {local.value:.4g} "
            f"(theta = {local.theta}, at {local.sample_size} rows)"
        )


def _table(title: str, bounds: dict[Any, ExcessBound]) -> Iterator[str]:
    if not bounds:
        return
    both = [bounds[version] for version in VERSIONS]
    rows = {
        "theta": [f"{one.theta}" for one in both],
        "r*": [f"{one.r_star:.4g}" for one in both],
        "multiple of r*": [f"{one.complexity_term:.4g}" for one in both],
        "multiple of log(1/delta)/n": [f"{one.confidence_term:.4g}" for one in both],
        "sum": [f"{one.bound:.4g}" for one in both],
        "range B of the loss": [f"{one.loss_range:.4g}" for one in both],
    }
    yield from ("", f"  {title:44}{'as printed':>14}{'corrected':>14}")
    for name, cells in rows.items():
        yield f"    {name:42}{cells[0]:>14}{cells[1]:>14}"
    for one, words in zip(both, ("As printed", "Corrected"), strict=True):
        yield f"    {words}: {one.verdict}"
        yield from (f"      {assumption}" for assumption in one.assumptions if assumption.holds is not True)


def _some(values: np.ndarray) -> str:
    listed = ", ".join(f"{value:.3g}" for value in values[:SHOWN])
    return listed if values.size <= SHOWN else f"{listed}, ... ({values.size} in all)"


def bounds_summary(found: ModelBounds) -> dict[str, Any]:
    """The same as plain values for scripts."""
    subject, measured = found.subject, found.complexity
    complexity = measured and {
        "value": measured.value,
        "standard_error": measured.standard_error,
        "rows": measured.n_rows,
    }
    return {
        "targets": subject.name,
        "labelled": subject.n,
        "unlabelled": subject.u,
        "features": subject.n_features,
        "outputs": subject.n_outputs,
        "loss": subject.loss,
        "trace_norm": found.trace_norm,
        "largest_norm": found.largest_norm,
        "lipschitz": found.constants.lipschitz,
        "loss_range": found.constants.loss_range,
        "singular_values": found.singular_values.tolist(),
        "balanced_free_rank": found.balanced,
        "complexity": complexity,
        "theorem_2": {version: one.value for version, one in found.local.items()},
        "corollary_1": {version: _plain(one) for version, one in found.excess.items()},
        "corollary_2": {version: _plain(one) for version, one in found.motivation.items()},
        "notes": [*subject.notes, CAUTION],
    }


def _plain(one: ExcessBound) -> dict[str, Any]:
    return {
        "theta": one.theta,
        "r_star": one.r_star,
        "complexity_term": one.complexity_term,
        "confidence_term": one.confidence_term,
        "sum": one.bound,
        "vacuous": bool(one.vacuous),
        "verdict": one.verdict,
        "assumptions": [str(assumption) for assumption in one.assumptions],
    }


def spectrum_plot(all_found: list[ModelBounds], kind: str = "svg") -> bytes:
    """Eigenvalues of the features with their fitted law, and singular values of W, one row of panels a model."""
    figure = optional("matplotlib.figure", "A plot", "plot").Figure(
        figsize=(8.4, 3.1 * len(all_found)), layout="constrained"
    )
    axes = figure.subplots(len(all_found), 2, squeeze=False)
    for (left, right), found in zip(axes, all_found, strict=True):
        _draw_eigenvalues(left, found)
        sigma = found.singular_values
        right.semilogy(np.arange(1, sigma.size + 1), np.maximum(sigma, 1e-12 * sigma[0]), "o-", markersize=3)
        right.axvline(found.balanced + 0.5, color="grey", linestyle=":", label="balanced free rank")
        right.set(xlabel="j", title=f"{found.subject.name}: singular values of W")
        right.legend(fontsize=7)
    stream = io.BytesIO()
    figure.savefig(stream, format=kind)
    return stream.getvalue()


def _draw_eigenvalues(axis: Any, found: ModelBounds) -> None:
    axis.set(xlabel="j", title=f"{found.subject.name}: eigenvalues of the features")
    if found.spectrum is None:
        axis.text(0.5, 0.5, "needs rows", ha="center", transform=axis.transAxes)
        return
    values = found.spectrum.eigenvalues[: found.spectrum.n_rows]
    j, floor = np.arange(1, values.size + 1), 1e-14 * values[0]
    axis.loglog(j, np.maximum(values, floor), "o", markersize=2, label="measured")
    if found.decay is not None:
        axis.loglog(j, np.maximum(found.decay.eigenvalues(values.size), floor), label=f"law: {found.decay.kind}")
    axis.legend(fontsize=7)
