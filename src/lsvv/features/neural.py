"""A neural network as a feature map: phi and W are learnt together by Algorithm 1, then W is solved exactly."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from array_api_compat import is_torch_array
from sklearn.exceptions import ConvergenceWarning

from lsvv.extras import optional
from lsvv.features.learning import LearningMap, Lesson
from lsvv.linalg import Array, like


class Neural(LearningMap):
    """phi(x) = act(Omega_L' ... act(Omega_1' x + b_1) ... + b_L), learnt from labels and from the graph of all rows.

    A step takes a batch of labelled rows for the loss, one of edges for the manifold term, and the ridge; then the prox
    of the tail is taken of the last layer, W (Algorithm 1). With ``smoothing`` each labelled row is replaced by the end
    of a walk over the graph (:meth:`lsvv.features.Lesson.reached`): the loss of what it is smoothed to. Training stops
    where the loss of labels held out has not fallen for a while, and the network of the lowest loss is kept, scaled to
    a mean squared length of 1. The estimator then solves for W on these features as on any others.

    The manifold term is that of power 1: edges can be drawn, the squared Laplacian cannot.

    Parameters
    ----------
    hidden : sequence of int
        Widths of the layers; the last one is D.
    network : torch.nn.Module or callable, optional
        In place of the default network: a module from rows of X to (rows, features), or a function that makes one from
        the number of columns. It is copied, starts from the weights it has, and gets the rows as they are.
    max_iter : int
        Looks at the labels held out, at most; there are fifty batches between two of them.
    patience : int
        Looks without a lower loss after which training stops.
    batch_size : int
        Labelled rows, and edges, a step.
    learning_rate : float
        Of Adam.
    validation_fraction : float
        Share of the labelled rows that are held out, between 0 and 1.
    device : str
        "auto" is the device of X; "cpu", "cuda", ... .
    random_state : int, Generator, RandomState or None
        Seeds weights and batches. On a CPU the same seed gives the same network.
    verbose : int
        1 prints every look.

    Attributes
    ----------
    network_ : torch.nn.Module
    unseen_ : array of int
        Places among the labelled rows of those held out.
    n_iter_ : int
        Looks taken.
    held_out_losses_ : array
        The mean loss of the labels held out, look by look.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from lsvv import LSVVClassifier
    >>> from lsvv.features import Neural
    >>> X, truth = make_moons(300, noise=0.08, random_state=0)
    >>> y = np.where(np.arange(300) < 20, truth, -1)
    >>> model = LSVVClassifier(features=Neural(hidden=(32, 16), random_state=0)).fit(X, y)
    >>> model.coef_.shape
    (2, 16)
    >>> bool(np.mean(model.transduction_ == truth) > 0.95)
    True
    """

    def __init__(
        self,
        hidden: Sequence[int] = (256, 128),
        *,
        network: Any = None,
        max_iter: int = 100,
        patience: int = 10,
        batch_size: int = 128,
        learning_rate: float = 1e-3,
        validation_fraction: float = 0.2,
        device: str = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.hidden = hidden
        self.network = network
        self.max_iter = max_iter
        self.patience = patience
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.validation_fraction = validation_fraction
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def _learn(self, X: Array, lesson: Lesson, held: np.ndarray) -> int:
        torch, training = _torch(), _training()
        device = _device(self.device, X)
        pace = training.Pace(self.max_iter, self.patience, self.batch_size, self.learning_rate)
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            torch.manual_seed(self._seed)
            network = self._made(X).to(device, torch.float32)
            D = int(training.width(network, X, device))
            rng = np.random.default_rng(self._seed)
            losses = training.train(
                network, lesson, X, held, D, pace, rng, device, self._tell if self.verbose else None
            )
        network.eval()
        squares = sum(float((Z**2).sum()) for Z in training.mapped(network, X, torch.float32, device))
        self.network_, self.scale_ = network.cpu(), (X.shape[0] / squares) ** 0.5 if squares > 0.0 else 1.0
        self.held_out_losses_, self.n_iter_ = np.array(losses), len(losses)
        self._judge()
        return D

    def transform_checked(self, X: Array) -> Array:
        """phi(x) for rows that have passed the gate, computed in their precision."""
        torch, device = _torch(), _device(self.device, X)
        dtype = torch.float32 if X.dtype.itemsize == 4 else torch.float64
        network = copy.deepcopy(self.network_).to(device, dtype)
        return like(self.scale_ * torch.concat(list(_training().mapped(network, X, dtype, device))), X)

    def _made(self, X: Array) -> Any:
        """A network that nobody else trains."""
        Module = _torch().nn.Module
        if self.network is None:
            return _training().perceptron(X, self.hidden)
        if isinstance(self.network, Module):
            return copy.deepcopy(self.network)
        network = self.network(int(X.shape[1])) if callable(self.network) else None
        if not isinstance(network, Module):
            raise ValueError(
                f"network={self.network!r} is not a network. Pass a torch.nn.Module, or a function that makes one from "
                f"the number of columns."
            )
        return network

    def _judge(self) -> None:
        """Warn where the loss of the labels held out may still fall."""
        best = int(np.argmin(self.held_out_losses_))
        if self.n_iter_ - 1 - best < self.patience:
            warnings.warn(
                f"Neural stopped after {self.n_iter_} looks at the labels held out, while their loss was still "
                f"falling, to {self.held_out_losses_[best]:.4g}. Raise max_iter or learning_rate.",
                ConvergenceWarning,
                stacklevel=2,
            )

    def _tell(self, look: int, loss: float) -> None:
        print(f"[Neural] look {look}: loss of the labels held out {loss:.4g}")


def _torch() -> Any:
    return optional("torch", "features.Neural", "torch")


def _training() -> Any:
    """The module that needs torch as soon as it is imported."""
    _torch()
    from lsvv.features import training

    return training


def _device(name: str, X: Array) -> Any:
    """Where to compute: where X is, or where the user says."""
    torch = _torch()
    if name == "auto":
        return X.device if is_torch_array(X) else torch.device("cpu")
    try:
        device = torch.device(name)
    except (RuntimeError, TypeError) as error:
        raise ValueError(f"device={name!r} is not known to torch. Pass 'auto', 'cpu' or 'cuda'.") from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ValueError(
            f"device={name!r} asks for a GPU, but torch finds none. Pass device='auto' or 'cpu', or install a torch "
            f"that was built for your GPU."
        )
    return device
