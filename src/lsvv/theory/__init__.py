"""The theory, computable: complexities measured, bounds as printed and as corrected, rates, plans."""

from lsvv.theory.assumptions import Assumption, Facts, LossConstants, loss_constants, measure_facts
from lsvv.theory.complexities import (
    Complexity,
    rademacher_local,
    rademacher_loss,
    rademacher_outputs,
    rademacher_trace_norm,
)
from lsvv.theory.corollaries import ExcessBound, corollary_1, corollary_2
from lsvv.theory.curves import CurveFit, fit_curve
from lsvv.theory.fixed_points import (
    FixedPointCase,
    exponential_decay,
    finite_rank,
    fixed_point_coefficients,
    worst_case,
)
from lsvv.theory.hypothesis_tails import kernel_tail, linear_tail
from lsvv.theory.local_bounds import LocalBound, tail_sums, theorem_2, theorem_3
from lsvv.theory.localised import LocalSupremum, local_supremum
from lsvv.theory.planning import BackTest, LabelPlan, back_test, plan_labels
from lsvv.theory.rates import RATES, SOURCES, Order, Rate, rate_table, rates
from lsvv.theory.spectra import (
    Decay,
    Spectrum,
    covariance_spectrum,
    fit_decay,
    kernel_rank,
    kernel_spectrum,
)
from lsvv.theory.subroot import LinearUnderRoot, Minimum, Numerical, RootPlusConstant, SubRoot
from lsvv.theory.theorems import ContractionBound, RiskBound, contraction, proposition_1, theorem_1

__all__ = [
    "RATES",
    "SOURCES",
    "Assumption",
    "BackTest",
    "Complexity",
    "ContractionBound",
    "CurveFit",
    "Decay",
    "ExcessBound",
    "Facts",
    "FixedPointCase",
    "LabelPlan",
    "LinearUnderRoot",
    "LocalBound",
    "LocalSupremum",
    "LossConstants",
    "Minimum",
    "Numerical",
    "Order",
    "Rate",
    "RiskBound",
    "RootPlusConstant",
    "Spectrum",
    "SubRoot",
    "back_test",
    "contraction",
    "corollary_1",
    "corollary_2",
    "covariance_spectrum",
    "exponential_decay",
    "finite_rank",
    "fit_curve",
    "fit_decay",
    "fixed_point_coefficients",
    "kernel_rank",
    "kernel_spectrum",
    "kernel_tail",
    "linear_tail",
    "local_supremum",
    "loss_constants",
    "measure_facts",
    "plan_labels",
    "proposition_1",
    "rademacher_local",
    "rademacher_loss",
    "rademacher_outputs",
    "rademacher_trace_norm",
    "rate_table",
    "rates",
    "tail_sums",
    "theorem_1",
    "theorem_2",
    "theorem_3",
    "worst_case",
]
