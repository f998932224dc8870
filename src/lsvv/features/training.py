"""Algorithm 1 on a network in torch: batches of labelled rows and of edges, a prox of W after each step."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from lsvv.extras import optional
from lsvv.features.learning import Lesson
from lsvv.linalg import Array, dense, like, take_rows, to_numpy
from lsvv.nn import LSVVHead, ManifoldLoss

if TYPE_CHECKING:
    from torch.nn import Module

torch = optional("torch", "features.Neural", "torch")
Module = torch.nn.Module

STEPS = 50
"""Batches between two looks at the labels held out."""
ROWS_AT_ONCE = 4096
"""Rows that go through a network together; a block of features may hold many more."""
MOST_ROWS_LOOKED_AT = 10_000
"""For the mean and the spread of columns."""


@dataclass(frozen=True)
class Pace:
    """How long and how fast to train."""

    looks: int
    patience: int
    batch_size: int
    learning_rate: float


class Standardised(Module):
    """(x - mean) / spread, one spread for all columns: as for kernels, their units are the caller's matter."""

    def __init__(self, X: Array) -> None:
        super().__init__()
        some = take_rows(X, np.arange(0, X.shape[0], max(1, X.shape[0] // MOST_ROWS_LOOKED_AT)))
        rows = np.asarray(to_numpy(dense(some)), dtype=np.float64)
        spread = float(np.sqrt(np.mean((rows - rows.mean(axis=0)) ** 2))) or 1.0
        self.register_buffer("mean", torch.as_tensor(rows.mean(axis=0)))
        self.register_buffer("spread", torch.tensor(spread))

    def forward(self, rows: Any) -> Any:
        """The rows in units of their spread."""
        return (rows - self.mean) / self.spread


def perceptron(X: Array, hidden: Sequence[int]) -> Any:
    """Layers with rectifiers."""
    layers: list[Any] = [Standardised(X)]
    for before, width in pairwise((X.shape[1], *hidden)):
        layers += [torch.nn.Linear(before, width), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers)


def tensor_of(X: Array, index: np.ndarray | slice, dtype: Any, device: Any) -> Any:
    """Some rows as a dense tensor."""
    rows = dense(X[index] if isinstance(index, slice) else take_rows(X, index))
    if isinstance(rows, np.ndarray) and not rows.flags.writeable:
        rows = rows.copy()
    return torch.as_tensor(rows, dtype=dtype, device=device)


def mapped(network: Any, X: Array, dtype: Any, device: Any) -> Iterator[Any]:
    """The network's features of all rows, some rows at a time."""
    with torch.no_grad():
        for start in range(0, X.shape[0], ROWS_AT_ONCE):
            yield network(tensor_of(X, slice(start, start + ROWS_AT_ONCE), dtype, device))


def width(network: Any, X: Array, device: Any) -> int:
    """D, from what a network makes of two rows; refused where that is not one row of numbers each."""
    two = tensor_of(X, np.zeros(2, dtype=int), torch.float32, device)
    try:
        with torch.no_grad():
            found = network.eval()(two)
    except RuntimeError as error:
        raise ValueError(f"The network does not take rows of {X.shape[1]} columns: {error}") from error
    shape = tuple(getattr(found, "shape", ()))
    if len(shape) != 2 or shape[0] != 2:
        raise ValueError(
            f"The network makes an output of shape {shape} of 2 rows. Pass one that makes (rows, features), for "
            f"instance by ending it with torch.nn.Flatten()."
        )
    return shape[1]


class Training:
    """A network with the last layer W, on the labelled rows that are not held out."""

    def __init__(
        self, network: Any, lesson: Lesson, X: Array, held: np.ndarray, n_features: int, pace: Pace, device: Any
    ) -> None:
        self.network, self.lesson, self.X, self.held, self.pace, self.device = network, lesson, X, held, pace, device
        self.kept = np.setdiff1d(np.arange(len(lesson.labelled)), held)
        total = lesson.A[self.kept].sum(axis=0)
        self.A = lesson.A / np.where(total > 0, total, 1.0)
        self.head = LSVVHead(
            n_features,
            lesson.T.shape[1],
            ridge=lesson.ridge,
            spectral=lesson.spectral,
            free_rank=lesson.free_rank,
            n_labelled=len(lesson.labelled),
        ).to(device)
        self.manifold = ManifoldLoss(lesson.S, lesson.laplacian) if lesson.S is not None and lesson.manifold else None
        parameters = [*network.parameters(), *self.head.parameters()]
        self.optimizer = torch.optim.Adam(parameters, lr=pace.learning_rate)
        self.steps = 0

    def step(self, rng: np.random.Generator) -> None:
        """One batch: the gradient of loss, ridge and manifold term, a step of Adam, the prox of the tail."""
        size = self.pace.batch_size
        some = self.kept[rng.integers(self.kept.size, size=size)]
        rows = self.lesson.reached(self.lesson.labelled[some], rng)
        i, j = (rows[:0], rows[:0]) if self.manifold is None else self.manifold.draw(size, rng)
        F = self.head(self.network(self._rows(np.concatenate([rows, i, j]))))
        value = self._loss(F[:size], some, self.kept.size / size) + self.head.penalty()
        if self.manifold is not None:
            value = value + self.lesson.manifold * self.manifold(F[size : 2 * size], F[2 * size :], i, j)
        self.steps += 1
        told = float(value.detach())
        if not np.isfinite(told):
            raise ValueError(
                f"The loss of the network is {told} at step {self.steps}. The likely cause is a learning rate "
                f"of {self.pace.learning_rate:g} that is too high, or columns of X that are far from 0 or on very "
                f"different scales. Lower learning_rate, or scale the columns."
            )
        self.optimizer.zero_grad()
        value.backward()
        self.optimizer.step()
        self.head.prox_(self._mean_step())

    def judged(self) -> float:
        """The mean loss of the labels held out, as their rows are."""
        total = self.lesson.A[self.held].sum(axis=0)
        A = self.lesson.A[self.held] / np.where(total > 0, total, 1.0)
        value, start = 0.0, 0
        self.network.eval()
        for Z in mapped(self.network, take_rows(self.X, self.lesson.labelled[self.held]), torch.float32, self.device):
            with torch.no_grad():
                F = self.head(Z)
            part = slice(start, start + len(F))
            value += self.lesson.loss.value(F, like(self.lesson.T[self.held[part]], F), like(A[part], F))
            start += len(F)
        self.network.train()
        return value

    def _rows(self, index: np.ndarray) -> Any:
        return tensor_of(self.X, index, torch.float32, self.device)

    def _loss(self, F: Any, some: np.ndarray, share: float) -> Any:
        """The loss with the gradient that it states itself."""
        value, slope = self.lesson.loss.value_and_gradient(
            F.detach(), like(self.lesson.T[some], F), like(share * self.A[some], F)
        )
        through = (F * slope).sum()
        return through - through.detach() + value

    def _mean_step(self) -> float:
        """Adam's step for W, by the mean size of its gradients: the prox has one step for all entries."""
        state, group = self.optimizer.state[self.head.linear.weight], self.optimizer.param_groups[0]
        size = float((state["exp_avg_sq"] / (1.0 - group["betas"][1] ** self.steps)).sqrt().mean())
        return float(group["lr"] / (size + group["eps"]))


def train(
    network: Any,
    lesson: Lesson,
    X: Array,
    held: np.ndarray,
    n_features: int,
    pace: Pace,
    rng: np.random.Generator,
    device: Any,
    tell: Callable[[int, float], None] | None,
) -> list[float]:
    """Train a network in place, as far as the labels held out speak for; their loss, look by look."""
    training = Training(network.train(), lesson, X, held, n_features, pace, device)
    losses: list[float] = []
    best = copy.deepcopy(network.state_dict())
    while len(losses) < pace.looks and len(losses) - int(np.argmin(losses or [0.0])) <= pace.patience:
        for _ in range(STEPS):
            training.step(rng)
        losses.append(training.judged())
        if losses[-1] == min(losses):
            best = copy.deepcopy(network.state_dict())
        if tell is not None:
            tell(len(losses), losses[-1])
    network.load_state_dict(best)
    return losses
