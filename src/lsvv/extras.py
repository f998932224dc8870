"""Packages outside the core: one that is missing is named with its extra, one that is broken shows its own error."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["optional"]


def optional(module: str, purpose: str, extra: str) -> Any:
    """The module of an extra, imported where it is used.

    Parameters
    ----------
    module : str
        Its full name.
    purpose : str
        What needs it; the sentence begins with this.
    extra : str
        The extra of lsvv that installs it.

    Raises
    ------
    ImportError
        If the package is not installed, or is and fails to import: to install it again would not mend that.

    Examples
    --------
    >>> optional("vectorise_all", "This", "tables")
    Traceback (most recent call last):
        ...
    ImportError: This needs vectorise_all. Install it with: pip install 'lsvv[tables]'
    """
    package = module.split(".")[0]
    try:
        return import_module(module)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name == package:
            raise ImportError(f"{purpose} needs {package}. Install it with: pip install 'lsvv[{extra}]'") from error
        raise ImportError(
            f"{purpose} needs {package}, which is installed but fails to import: {type(error).__name__}: {error}"
        ) from error
