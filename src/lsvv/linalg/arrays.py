"""What the array API standard lacks to move, cut and join NumPy arrays, tensors and sparse matrices."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace, device, is_numpy_array, is_torch_array
from threadpoolctl import ThreadpoolController

from lsvv.extras import optional

Array = Any
"""A NumPy array or a torch tensor: whatever the caller passed."""

DEVICE_SHARE = 16
"""Part of a device's memory for one block of rows."""

SMALL_ROWS = 5000
"""Rows up to which one thread does all the work: handing small products to several costs more than it saves."""


@cache
def _thread_pools() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def threads_for(n_rows: int) -> Iterator[None]:
    """One thread for the linear algebra of small problems, as many as there are for large ones."""
    if n_rows > SMALL_ROWS:
        yield
        return
    with _thread_pools().limit(limits=1):
        yield


def namespace(*arrays: Array) -> Any:
    """The array API namespace of the dense arrays among ``arrays`` (NumPy's for sparse matrices)."""
    dense = [a for a in arrays if a is not None and not sp.issparse(a)]
    return array_namespace(*dense) if dense else array_namespace(np.empty(0))


def like(values: Array, reference: Array, dtype: Any = None) -> Array:
    """``values`` in the namespace and on the device of ``reference``; its dtype too unless one is given."""
    xp = namespace(reference)
    if sp.issparse(reference):
        return np.asarray(to_numpy(values), dtype=dtype or reference.dtype)
    dtype = dtype or reference.dtype
    if is_numpy_array(reference):
        return np.asarray(to_numpy(values), dtype=dtype)
    if is_numpy_array(values) and not values.flags.writeable:
        # a tensor would share memory that is not to be written
        values = values.copy()
    return xp.asarray(values, dtype=dtype, device=device(reference))


def like_numbers(values: np.ndarray, reference: Array) -> Array:
    """``values`` in the kind of ``reference``, with their own dtype; what is no number stays a NumPy array."""
    if not is_torch_array(reference) or values.dtype.kind not in "biuf":
        return values
    return namespace(reference).asarray(np.ascontiguousarray(values), device=device(reference))


def to_numpy(values: Array) -> np.ndarray:
    """``values`` as a NumPy array, fetched from its device if need be."""
    if is_torch_array(values):
        return values.detach().cpu().numpy()
    return np.asarray(values)


def is_on_device(X: Array) -> bool:
    """Whether ``X`` lies on an accelerator, not in the processor's memory."""
    return is_torch_array(X) and X.device.type != "cpu"


def bytes_at_once(X: Array, on_processor: int) -> int:
    """Memory for one block of work on ``X``: a share of its device's, or that many bytes ``on_processor``."""
    if not (is_on_device(X) and X.device.type == "cuda"):
        return on_processor
    import torch

    return int(torch.cuda.get_device_properties(X.device).total_memory) // DEVICE_SHARE


def refuse_another_device(X: Any, reference: Array, name: str = "X") -> None:
    """Tensors on two devices: what is meant to be fast would be copied to and fro."""
    if is_torch_array(X) and is_torch_array(reference) and X.device != reference.device:
        raise ValueError(
            f"{name} lies on {X.device}, but the rows that the model was fitted on lie on {reference.device}. Move it "
            f"with {name}.to({str(reference.device)!r}), or fit on {X.device}."
        )


def brought_to(X: Array, device_name: Any) -> Array:
    """A NumPy array as a tensor on a device of torch; None leaves it where it is.

    Examples
    --------
    >>> X = brought_to(np.ones((2, 1)), "cpu")
    >>> type(X).__name__, X.device.type
    ('Tensor', 'cpu')
    """
    if device_name is None:
        return X
    if sp.issparse(X):
        raise ValueError(
            f"device={device_name!r} takes dense rows, and X is sparse. Leave device out, or make X dense."
        )
    torch = optional("torch", f"device={device_name!r}", "torch")
    try:
        place = torch.empty(0, device=device_name).device
    except (RuntimeError, AssertionError, TypeError) as error:
        why = str(error).splitlines()[0].rstrip(".")
        raise ValueError(
            f"device={device_name!r} cannot be used here: {why}. Name a device that torch knows, such as 'cuda', or "
            f"leave it out."
        ) from error
    if is_torch_array(X) and X.device != place:
        raise ValueError(f"X lies on {X.device}, and device={device_name!r} is another. Move X, or leave device out.")
    return torch.as_tensor(X, device=place)


def brought_back(values: Array, device_name: Any) -> Array:
    """Numbers that were worked on a device that was named as a NumPy array; all else as it is."""
    return values if device_name is None else to_numpy(values)


def to_float64(values: Array) -> Array:
    """``values`` in double precision; moments and their solves are never computed in less."""
    if sp.issparse(values):
        return values.astype(np.float64, copy=False)
    xp = namespace(values)
    return xp.astype(values, xp.float64, copy=False)


def dense(values: Array) -> Array:
    """``values`` as a dense array."""
    return values.toarray() if sp.issparse(values) else values


def take_rows(X: Array, index: Array) -> Array:
    """``X[index]`` for dense, sparse and device arrays."""
    if sp.issparse(X) or not is_torch_array(X):
        return X[index]
    xp = namespace(X)
    return xp.take(X, xp.asarray(index, device=device(X)), axis=0)


def stack_rows(first: Array, second: Array) -> Array:
    """``first`` above ``second``: sparse where either is, else of the kind and device of ``first``."""
    if sp.issparse(first) or (sp.issparse(second) and is_numpy_array(first)):
        return sp.vstack([sp.csr_array(a if sp.issparse(a) else to_numpy(a)) for a in (first, second)], format="csr")
    xp, below = namespace(first), dense(second)
    dtype = xp.float64 if below.itemsize > first.itemsize else first.dtype
    return xp.concat([xp.astype(first, dtype, copy=False), like(below, first, dtype)], axis=0)


def in_blocks(work: Callable[[slice], Any], n_rows: int, at_once: int) -> Iterator[Any]:
    """What ``work`` returns for consecutive blocks of rows; a device that is full gets blocks of half the rows.

    Examples
    --------
    >>> list(in_blocks(lambda part: (part.start, part.stop), n_rows=5, at_once=3))
    [(0, 3), (3, 5)]
    """
    start = 0
    while start < n_rows:
        part = slice(start, min(start + at_once, n_rows))
        try:
            done = work(part)
        except RuntimeError as error:
            if type(error).__name__ != "OutOfMemoryError" or part.stop - part.start == 1:
                raise
            at_once = (part.stop - part.start) // 2
            warnings.warn(
                f"The device has no memory left for {part.stop - part.start} rows at once: going on with {at_once}.",
                ResourceWarning,
                stacklevel=2,
            )
            continue
        yield done
        start = part.stop
