"""One profile for property tests, and the two kinds of array every part of the core runs on."""

import os
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import settings

from laws import Put

settings.register_profile("fixed", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("fixed")


@pytest.fixture(params=["numpy", "torch"])
def xp_name(request: pytest.FixtureRequest) -> str:
    """The array library a test runs on."""
    return str(request.param)


@pytest.fixture
def put(xp_name: str) -> Put:
    """Turns a NumPy array into an array of that library, on the device that LSVV_TEST_DEVICE names."""
    device = os.environ.get("LSVV_TEST_DEVICE", "cpu")
    return np.asarray if xp_name == "numpy" else partial(torch.as_tensor, device=device)


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator that starts the same in every test."""
    return np.random.default_rng(0)
