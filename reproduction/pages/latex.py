r"""Tables as LaTeX with booktabs: \textbf for the best, \underline where it is not significantly different."""

from collections.abc import Iterator

from reproduction.pages.blocks import Entry, Grid, Page

__all__ = ["latex_text", "page_latex"]

LONGEST_ENTRY = 40
"""The letters beyond which an entry is a sentence."""
SENTENCES = 0.7
"""The share of the line that the sentences of a table have."""

_GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "varepsilon",
    "θ": "theta",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
    "φ": "varphi",
    "Σ": "Sigma",
}
_MEANING = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "−": "$-$",
    "†": r"$^{\dagger}$",
    "–": "--",
    "…": r"\ldots{}",
    "“": "``",
    "”": "''",
    "’": "'",
    "\u00a0": "~",
    **{letter: f"$\\{name}$" for letter, name in _GREEK.items()},
    **{raised: f"$^{digit}$" for digit, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
}


def page_latex(page: Page) -> str:
    """The tables of a page, one ``table`` environment each; the document needs the package booktabs."""
    return "\n".join("\n".join(_lines(grid)) + "\n" for grid in page.grids)


def latex_text(text: str) -> str:
    r"""Text that LaTeX prints as it is.

    Examples
    --------
    >>> print(latex_text("rf2_with_missing: 50% & more"))
    rf2\_with\_missing: 50\% \& more
    """
    return "".join(_MEANING.get(letter, letter) for letter in text)


def _lines(grid: Grid) -> Iterator[str]:
    yield from (r"\begin{table}", r"  \centering", r"  \small")
    yield f"  \\caption{{{latex_text(grid.caption)}}}"
    yield f"  \\begin{{tabular}}{{{_columns(grid)}}}"
    yield r"    \toprule"
    yield f"    {_row(Entry(name) for name in grid.header)}"
    yield r"    \midrule"
    for row in grid.rows:
        yield f"    {_row(row)}"
    yield from (r"    \bottomrule", r"  \end{tabular}")
    for note in grid.notes:
        yield f"  \\par {latex_text(note)}"
    yield r"\end{table}"


def _columns(grid: Grid) -> str:
    """Names to the left, figures to the right, and sentences in paragraphs that share most of the line."""
    longest = [max((len(row[place].text) for row in grid.rows), default=0) for place in range(len(grid.header))]
    n_sentences = sum(length > LONGEST_ENTRY for length in longest)
    kinds = ["l", *"r" * (len(longest) - 1)]
    return "".join(
        f"p{{{SENTENCES / n_sentences:.2f}\\linewidth}}" if length > LONGEST_ENTRY else kind
        for kind, length in zip(kinds, longest, strict=True)
    )


def _row(entries: "Iterator[Entry] | tuple[Entry, ...]") -> str:
    return f"{' & '.join(_entry(entry) for entry in entries)} \\\\"


def _entry(entry: Entry) -> str:
    text = latex_text(entry.text)
    if entry.bold:
        return f"\\textbf{{{text}}}"
    return f"\\underline{{{text}}}" if entry.underline else text
