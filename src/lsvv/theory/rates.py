"""The paper's rates as data: its table of contributions, its three comparisons, and those its text alone tells.

A rate is an order of magnitude: the functions drop every constant, so only slopes compare.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log, sqrt
from typing import Literal

from lsvv.theory.arguments import Version, is_corrected, whole

TableName = Literal["contributions", "vector-valued", "multi-class", "multi-label", "text"]
RateFunction = Callable[[float, float, float], float]

SOURCES = {
    "Cortes et al. 2013": "Cortes, Mohri, Rostamizadeh. Multi-class classification with maximum margin "
    "multiple kernel. ICML 2013.",
    "Yu et al. 2014": "Yu, Jain, Kar, Dhillon. Large-scale multi-label learning with missing labels. ICML 2014.",
    "Cortes et al. 2016": "Cortes, Kuznetsov, Mohri, Yang. Structured prediction theory based on factor "
    "graph complexity. NeurIPS 2016.",
    "Maurer 2016": "Maurer. A vector-contraction inequality for Rademacher complexities. ALT 2016.",
    "Daniely et al. 2015": "Daniely, Sabato, Ben-David, Shalev-Shwartz. Multiclass learnability and the ERM "
    "principle. JMLR 16, 2015.",
    "Xu et al. 2016": "Xu, Liu, Tao, Xu. Local Rademacher complexity for multi-label learning. "
    "IEEE Transactions on Image Processing 25, 2016.",
    "Li et al. 2018": "Li, Liu, Yin, Zhang, Ding, Wang. Multi-class learning: from theory to algorithm. NeurIPS 2018.",
    "Maximov et al. 2018": "Maximov, Amini, Harchaoui. Rademacher complexity bounds for a penalized "
    "multi-class semi-supervised algorithm. JAIR 61, 2018.",
    "Lei et al. 2019": "Lei, Dogan, Zhou, Kloft. Data-dependent generalization bounds for multi-class "
    "classification. IEEE Transactions on Information Theory 65, 2019.",
    "Li et al. 2019": "Li, Liu, Yin, Wang. Multi-class learning using unlabeled samples: theory and "
    "algorithm. IJCAI 2019.",
    "Ciliberto et al. 2020": "Ciliberto, Rosasco, Rudi. A general framework for consistent structured prediction "
    "with implicit loss embeddings. JMLR 21, 2020.",
    "Wu et al. 2021": "Wu, Ledent, Lei, Kloft. Fine-grained generalization analysis of vector-valued "
    "learning. AAAI 2021.",
    "Li and Liu 2021": "Li, Liu. Towards sharper generalization bounds for structured prediction. NeurIPS 2021.",
    "Brogat-Motte et al. 2022": "Brogat-Motte, Rudi, Brouard, Rousu, d'Alche-Buc. Vector-valued least-squares "
    "regression under output regularity assumptions. JMLR 23, 2022.",
    "LSVV": "Li, Liu, Wang. Semi-supervised vector-valued learning: improved bounds and algorithms. "
    "Pattern Recognition.",
}


@dataclass(frozen=True)
class Order:
    """O(...): the formula as text, and as a function of (n, u, K) without its constant.

    Examples
    --------
    >>> from lsvv.theory import Order
    >>> order = Order("sqrt(K/n)", lambda n, u, K: (K / n) ** 0.5)
    >>> order(n=100, u=0, K=4)
    0.2
    """

    text: str
    function: RateFunction

    def __call__(self, n: float, u: float, K: float) -> float:
        """The order at n labelled rows, u unlabelled rows, K outputs; u = 0 may give infinity."""
        return self.function(n, u, K)


ROOT_N = Order("1/sqrt(n)", lambda n, u, K: 1 / sqrt(n))
ONE_N = Order("1/n", lambda n, u, K: 1 / n)
ROOT_K_N = Order("sqrt(K/n)", lambda n, u, K: sqrt(K / n))
ROOT_LOG = Order("sqrt(log K / n)", lambda n, u, K: sqrt(log(K) / n))
CUBED_LOG = Order("log^3(nK)/n", lambda n, u, K: log(n * K) ** 3 / n)
K_ROOT_N = Order("K/sqrt(n)", lambda n, u, K: K / sqrt(n))
LOG_ROOT = Order("log K / sqrt(n)", lambda n, u, K: log(K) / sqrt(n))
LOG_N = Order("log K / n", lambda n, u, K: log(K) / n)
LOG2_N = Order("log^2 K / n", lambda n, u, K: log(K) ** 2 / n)
MAXIMOV = Order("sqrt(K/n) + K sqrt(K/u)", lambda n, u, K: sqrt(K / n) + (K * sqrt(K / u) if u else float("inf")))
K_ALL = Order("K/sqrt(n+u) + 1/n", lambda n, u, K: K / sqrt(n + u) + 1 / n)
ALL = Order("1/sqrt(n+u) + 1/n", lambda n, u, K: 1 / sqrt(n + u) + 1 / n)
CUBE_ROOT = Order("n^(-1/3)", lambda n, u, K: n ** (-1 / 3))
FOURTH_ROOT = Order("n^(-1/4)", lambda n, u, K: n ** (-1 / 4))
NATARAJAN = Order("sqrt(d_N/n)", lambda n, u, K: sqrt(K / n))
CORRECTED_WORST = Order("sqrt(K/n) + 1/n", lambda n, u, K: sqrt(K / n) + 1 / n)
CORRECTED_SPECIAL = Order("K/n", lambda n, u, K: K / n)


@dataclass(frozen=True)
class Rate:
    """One row of one table.

    Attributes
    ----------
    table : str
        Which of the four tables; "text" for a rate that stands in none of them.
    name : str
        The bound, as the table calls it.
    source : str
        A key of ``SOURCES``.
    condition : str
        What the loss must satisfy; empty where the table does not say.
    worst, special : Order
        The rate in general and in the benign case (finite rank or fast decay); equal where the table
        gives one.
    unlabelled, excess : bool
        Whether it uses unlabelled rows, and whether it bounds the excess risk (the others bound the
        generalisation error).
    note : str
        What a reader must know.

    Examples
    --------
    >>> from lsvv.theory import RATES
    >>> rate = RATES[1]
    >>> rate.source, rate.worst.text, rate.unlabelled
    ('Li et al. 2019', 'K/sqrt(n+u) + 1/n', True)
    """

    table: TableName
    name: str
    source: str
    condition: str
    worst: Order
    special: Order
    unlabelled: bool = False
    excess: bool = False
    note: str = ""


_TWO = "The paper's table of contributions has log K / n, its multi-class table log^2 K / n, for one source."
_NATARAJAN = (
    "d_N is the Natarajan dimension; of linear classifiers it is of the order of K times the number of inputs, and is "
    "taken as K here."
)
_OURS = "n + u and the missing factor of K do not follow from the proof; see the corrected version."


def _ours(table: TableName) -> tuple[Rate, Rate]:
    kernel, linear = (
        Rate(
            table,
            f"LRC for {kind} VV (Corollary {number})",
            "LSVV",
            "Lipschitz",
            ALL,
            ONE_N,
            True,
            True,
            _OURS,
        )
        for number, kind in ((1, "kernel"), (2, "linear"))
    )
    return kernel, linear


RATES: tuple[Rate, ...] = (
    Rate("contributions", "MC, kernel", "Li et al. 2018", "smooth", LOG_N, LOG_N, note=_TWO),
    Rate("contributions", "SS-MC, linear", "Li et al. 2019", "smooth", K_ALL, K_ALL, unlabelled=True),
    Rate("contributions", "SS-VV, linear and kernel", "LSVV", "Lipschitz", ALL, ALL, True, True, _OURS),
    Rate("vector-valued", "GRC for VV, kernel", "Cortes et al. 2016", "Lipschitz", ROOT_LOG, ROOT_LOG),
    Rate("vector-valued", "GRC for VV, linear", "Cortes et al. 2016", "Lipschitz", ROOT_K_N, ROOT_K_N),
    Rate("vector-valued", "GRC for VV, kernel", "Maurer 2016", "Lipschitz", ROOT_N, ROOT_N),
    Rate("vector-valued", "GRC for VV, linear", "Maurer 2016", "Lipschitz", ROOT_K_N, ROOT_K_N),
    Rate("vector-valued", "LRC for VV", "Wu et al. 2021", "strongly convex", CUBED_LOG, CUBED_LOG),
    Rate("vector-valued", "LRC for VV", "Li and Liu 2021", "smooth", CUBED_LOG, CUBED_LOG),
    *_ours("vector-valued"),
    Rate("multi-class", "GRC for kernel MC", "Cortes et al. 2013", "", K_ROOT_N, K_ROOT_N),
    Rate("multi-class", "GRC for kernel MC", "Lei et al. 2019", "", LOG_ROOT, LOG_ROOT),
    Rate("multi-class", "GRC for kernel MC", "Maximov et al. 2018", "", MAXIMOV, MAXIMOV, unlabelled=True),
    Rate("multi-class", "LRC for kernel MC", "Li et al. 2018", "", LOG2_N, LOG2_N, note=_TWO),
    Rate("multi-class", "LRC for linear MC", "Li et al. 2019", "", K_ALL, ONE_N, unlabelled=True),
    *_ours("multi-class"),
    Rate("multi-label", "GRC for linear ML", "Yu et al. 2014", "", ROOT_N, ROOT_N),
    Rate("multi-label", "LRC for linear ML", "Xu et al. 2016", "", ROOT_N, ONE_N),
    *_ours("multi-label"),
    Rate("text", "PAC, MC", "Daniely et al. 2015", "", NATARAJAN, NATARAJAN, note=_NATARAJAN),
    Rate("text", "structured prediction", "Ciliberto et al. 2020", "", CUBE_ROOT, CUBE_ROOT, excess=True),
    Rate("text", "VV regression", "Brogat-Motte et al. 2022", "", FOURTH_ROOT, FOURTH_ROOT, excess=True),
)


def rates(table: TableName, *, version: Version = "corrected") -> tuple[Rate, ...]:
    """The rows of one table; corrected replaces the paper's own rows by sqrt(K/n) + 1/n and K/n.

    Parameters
    ----------
    table : str
        ``"contributions"``, ``"vector-valued"``, ``"multi-class"``, ``"multi-label"``, or ``"text"`` for the rates that
        the paper tells outside of its tables.
    version : str
        ``"printed"`` or ``"corrected"``. Other sources are carried as the paper reports them.

    Examples
    --------
    >>> [rate.worst.text for rate in rates("multi-label", version="printed")][:2]
    ['1/sqrt(n)', '1/sqrt(n)']
    """
    corrected = is_corrected(version)
    found = tuple(rate for rate in RATES if rate.table == table)
    if not found:
        known = ", ".join(dict.fromkeys(rate.table for rate in RATES))
        raise ValueError(f"table is {table!r}; choose one of {known}.")
    return tuple(_corrected(rate) if corrected and rate.source == "LSVV" else rate for rate in found)


def _corrected(rate: Rate) -> Rate:
    note = "At the labelled sample size, with the factor of K; needs the Bernstein condition of Theorem 1."
    if "linear VV" in rate.name:
        note += " The linear case is a motivation, not a certificate."
    special = CORRECTED_WORST if rate.table == "contributions" else CORRECTED_SPECIAL
    return Rate(rate.table, rate.name, rate.source, rate.condition, CORRECTED_WORST, special, False, True, note)


def rate_table(table: TableName, *, n: int, u: int, n_outputs: int, version: Version = "corrected") -> str:
    """One table as Markdown: every rate as a formula and evaluated at n, u, K, constants dropped.

    Parameters
    ----------
    table : str
        As in :func:`rates`.
    n, u, n_outputs : int
        Labelled rows, unlabelled rows, K.
    version : str
        ``"printed"`` or ``"corrected"``.

    Examples
    --------
    >>> print(rate_table("multi-label", n=100, u=0, n_outputs=4).splitlines()[2])
    | GRC for linear ML | Yu et al. 2014 | 1/sqrt(n) | 0.1 | 1/sqrt(n) | 0.1 |
    """
    rows, extra, K = whole("n", n), whole("u", u, least=0), whole("n_outputs", n_outputs)
    lines = [
        "| bound | source | worst case | at n, u, K | special case | at n, u, K |",
        "|---|---|---|---|---|---|",
    ]
    for rate in rates(table, version=version):
        marks = ("†" if rate.unlabelled else "") + ("‡" if rate.excess else "")
        name = f"{rate.name} {marks}".rstrip()
        orders = (f"{order.text} | {order(rows, extra, K):.3g}" for order in (rate.worst, rate.special))
        lines.append(f"| {name} | {rate.source} | {' | '.join(orders)} |")
    return "\n".join(lines)
