"""The data sets of the paper by name: what they are, where they come from, what the paper prints of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

__all__ = ["DATASETS", "DatasetInfo", "PaperSize", "Task", "info", "paper_names"]

Task = Literal["multi-class", "multi-label", "regression"]


@dataclass(frozen=True)
class PaperSize:
    """One row of the paper's table of data sets, as printed.

    ``d`` counts the non-constant columns and one bias column.

    Examples
    --------
    >>> from reproduction.data import info
    >>> size = info("iris").paper
    >>> size.training, size.testing, size.rows
    (105, 45, 150)
    """

    training: int
    testing: int
    d: int
    K: int

    @property
    def rows(self) -> int:
        """Rows the paper must have had: training + testing."""
        return self.training + self.testing


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a data set before it is loaded.

    Attributes
    ----------
    name, task : str
        The paper's name and one of "multi-class", "multi-label", "regression".
    rows, columns : int
        Shape of X as loaded, constant columns included.
    varying : int
        Columns of X that are not constant; the paper's d is ``varying + 1``.
    K : int
        Classes, labels or targets.
    source, citation : str
        The site the paper's file comes from, and the work to cite.
    paper : PaperSize or None
        The printed sizes; None for a set that is not in the paper.
    counts : tuple of int
        Rows of each class, sorted, so that the order of the classes does not matter; empty where not known.
    sparse : bool
        X is a CSR matrix.
    complete : bool
        Rows with a missing input are dropped on loading.
    note : str
        What a reader must know: a difference to the paper, a missing part, a substitution.

    Examples
    --------
    >>> from reproduction.data import info
    >>> segment = info("segment")
    >>> segment.task, segment.columns, segment.varying, segment.d
    ('multi-class', 19, 18, 19)
    >>> print(segment.note)
    One of the 19 columns is constant, hence d = 18 + 1.
    """

    name: str
    task: Task
    rows: int
    columns: int
    varying: int
    K: int
    source: str
    citation: str
    paper: PaperSize | None = None
    counts: tuple[int, ...] = ()
    sparse: bool = False
    complete: bool = False
    note: str = ""

    @property
    def d(self) -> int:
        """The paper's feature count: non-constant columns + one bias column."""
        return self.varying + 1


_LIBSVM = "LIBSVM data, multi-class (https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass.html)"
_MULAN = "Mulan, multi-label (https://mulan.sourceforge.net/datasets-mlc.html)"
_MULAN_MTR = "Mulan, multi-target regression (https://mulan.sourceforge.net/datasets-mtr.html)"
_STATLOG = "D. Michie, D. J. Spiegelhalter, C. C. Taylor: Machine learning, neural and statistical classification, 1994"
_UCI = "UCI Machine Learning Repository, https://archive.ics.uci.edu"
_SPYROMITROS = (
    "E. Spyromitros-Xioufis, G. Tsoumakas, W. Groves, I. Vlahavas: Multi-target regression via input space "
    "expansion, Machine Learning 104, 2016"
)


def _classes(
    name: str,
    columns: int,
    varying: int,
    paper: PaperSize,
    citation: str,
    counts: tuple[int, ...] = (),
    *,
    rows: int | None = None,
    note: str = "",
) -> DatasetInfo:
    return DatasetInfo(
        name=name,
        task="multi-class",
        rows=paper.rows if rows is None else rows,
        columns=columns,
        varying=varying,
        K=paper.K,
        source=_LIBSVM,
        citation=citation,
        paper=paper,
        counts=counts,
        note=note,
    )


# fmt: off
_LETTERS = (540, 550, 550, 550, 556, 556, 562, 564, 565, 565, 566, 572, 577, 581, 583, 585, 585, 589, 593,
            596, 596, 598, 601, 603, 605, 612)
# fmt: on

_MULTI_CLASS = (
    _classes("iris", 4, 4, PaperSize(105, 45, 5, 3), f"R. A. Fisher, 1936; {_UCI}", (50, 50, 50)),
    _classes("wine", 13, 13, PaperSize(125, 53, 14, 3), f"M. Forina and others, 1988; {_UCI}", (48, 59, 71)),
    _classes("glass", 9, 9, PaperSize(150, 64, 10, 6), f"B. German, 1987; {_UCI}", (9, 13, 17, 29, 70, 76)),
    _classes(
        "svmguide2",
        20,
        20,
        PaperSize(274, 117, 21, 3),
        "C.-W. Hsu, C.-C. Chang, C.-J. Lin: A practical guide to support vector classification, 2003",
        (53, 117, 221),
    ),
    _classes(
        "vowel",
        10,
        10,
        PaperSize(370, 158, 11, 11),
        f"D. Deterding, 1989; {_UCI}",
        (48,) * 11,
        note="The 528 training rows of the original division, as in the paper.",
    ),
    _classes("vehicle", 18, 18, PaperSize(593, 253, 19, 4), _STATLOG, (199, 212, 217, 218)),
    _classes(
        "segment",
        19,
        18,
        PaperSize(1617, 693, 19, 7),
        _STATLOG,
        (330,) * 7,
        note="One of the 19 columns is constant, hence d = 18 + 1.",
    ),
    _classes(
        "satimage",
        36,
        36,
        PaperSize(3105, 1330, 37, 6),
        _STATLOG,
        (415, 470, 479, 961, 1038, 1072),
        note="The 4435 training rows of the original division, as in the paper.",
    ),
    _classes(
        "pendigits",
        16,
        16,
        PaperSize(5246, 2248, 17, 10),
        f"F. Alimoglu, E. Alpaydin, 1996; {_UCI}",
        (719, 719, 719, 720, 720, 778, 779, 780, 780, 780),
        note="The 7494 training rows of the original division, as in the paper.",
    ),
    _classes(
        "letter",
        16,
        16,
        PaperSize(10500, 4500, 17, 26),
        f"P. W. Frey, D. J. Slate, 1991; {_UCI}",
        _LETTERS,
        note="The first 15000 rows, as in the paper.",
    ),
    _classes(
        "poker",
        10,
        10,
        PaperSize(17507, 7503, 11, 10),
        f"R. Cattral, F. Oppacher, 2007; {_UCI}",
        (5, 5, 6, 36, 54, 93, 513, 1206, 10599, 12493),
        note="The 25010 training rows of the original division, as in the paper.",
    ),
    _classes(
        "shuttle",
        9,
        9,
        PaperSize(27631, 11841, 10, 7),
        _STATLOG,
        (6, 11, 37, 132, 2458, 6748, 34108),
        rows=43500,
        note="The training file has 43500 rows; the paper's 39472 match no known file.",
    ),
    _classes("Sensorless", 48, 48, PaperSize(40957, 17552, 49, 11), f"M. Bator, 2015; {_UCI}", (5319,) * 11),
    _classes(
        "MNIST",
        784,
        717,
        PaperSize(42000, 18000, 718, 10),
        "Y. LeCun and others: Gradient-based learning applied to document recognition, 1998",
        (5421, 5842, 5851, 5918, 5923, 5949, 5958, 6131, 6265, 6742),
        note="The 60000 training images; 67 of the 784 pixels are constant, hence d = 717 + 1.",
    ),
    _classes(
        "connect-4",
        126,
        126,
        PaperSize(47290, 20267, 127, 3),
        f"J. Tromp, 1995; {_UCI}",
        (6449, 16635, 44473),
        note="Three indicator columns for each of the 42 cells.",
    ),
    _classes(
        "acoustic",
        50,
        50,
        PaperSize(55177, 23646, 51, 3),
        "M. Duarte, Y. H. Hu: Vehicle classification in distributed sensor networks, 2004",
    ),
    _classes(
        "covtype",
        54,
        54,
        PaperSize(406709, 174303, 55, 7),
        f"J. A. Blackard, D. J. Dean, 1999; {_UCI}",
        (2747, 9493, 17367, 20510, 35754, 211840, 283301),
    ),
)

_MULTI_LABEL = (
    DatasetInfo(
        "scene", "multi-label", 2407, 294, 294, 6, _MULAN,
        "M. R. Boutell, J. Luo, X. Shen, C. M. Brown: Learning multi-label scene classification, 2004",
        PaperSize(1685, 722, 295, 6),
        note="The training file above the test file.",
    ),
    DatasetInfo(
        "yeast", "multi-label", 2417, 103, 103, 14, _MULAN,
        "A. Elisseeff, J. Weston: A kernel method for multi-labelled classification, 2001",
        PaperSize(1692, 725, 104, 14),
    ),
    DatasetInfo(
        "corel5k", "multi-label", 4500, 499, 499, 374, _MULAN,
        "P. Duygulu, K. Barnard, N. de Freitas, D. Forsyth: Object recognition as machine translation, 2002",
        PaperSize(3150, 1350, 500, 374),
        sparse=True,
        note="The 4500 training rows of the original division, as in the paper; 3 labels never occur.",
    ),
    DatasetInfo(
        "bibtex", "multi-label", 7395, 1836, 1836, 159, _MULAN,
        "I. Katakis, G. Tsoumakas, I. Vlahavas: Multilabel text classification for automated tag suggestion",
        PaperSize(5177, 2218, 1837, 159),
        sparse=True,
    ),
)  # fmt: skip

_REGRESSION = (
    DatasetInfo(
        "rf2", "regression", 7679, 576, 576, 8, _MULAN_MTR, _SPYROMITROS,
        PaperSize(5376, 2303, 577, 8),
        complete=True,
        note="The 7679 rows without a missing input, as in the paper; rf2_with_missing keeps all 9125.",
    ),
    DatasetInfo(
        "scm1d", "regression", 9803, 280, 280, 16, _MULAN_MTR, _SPYROMITROS,
        PaperSize(6863, 2940, 281, 16),
    ),
)  # fmt: skip

_EXTRA = (
    DatasetInfo(
        "rf2_with_missing", "regression", 9125, 576, 576, 8, _MULAN_MTR, _SPYROMITROS,
        note="All rows of rf2, with NaN where an input is missing; not in the paper.",
    ),
    DatasetInfo(
        "scm20d", "regression", 8966, 61, 61, 16, _MULAN_MTR, _SPYROMITROS,
        note="A substitute for scm1d, not in the paper: the same supply chain, prices 20 days ahead.",
    ),
)  # fmt: skip

DATASETS: Mapping[str, DatasetInfo] = MappingProxyType(
    {entry.name: entry for entry in (*_MULTI_CLASS, *_MULTI_LABEL, *_REGRESSION, *_EXTRA)}
)


def paper_names() -> tuple[str, ...]:
    """The 23 names of the paper's table, in its order.

    Examples
    --------
    >>> len(paper_names()), paper_names()[0], paper_names()[-1]
    (23, 'iris', 'scm1d')
    """
    return tuple(name for name, entry in DATASETS.items() if entry.paper is not None)


def info(name: str) -> DatasetInfo:
    """The registry entry of a data set.

    Examples
    --------
    >>> info("segment").rows, info("segment").d, info("segment").K
    (2310, 19, 7)
    """
    if name not in DATASETS:
        raise KeyError(f"There is no data set named {name!r}; choose one of: {', '.join(DATASETS)}.")
    return DATASETS[name]
