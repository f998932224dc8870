"""Generated tables of numbers in the manner of California's houses.

Skewed and whole-numbered columns beside coordinates, targets that hang on the place and on products of columns, noise
that grows with the target, and some targets that are log-normal. A set is always the same: its seed is fixed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reproduction.data import Dataset

ROWS = 6000

Columns = tuple[np.ndarray, np.ndarray]


def _field(places: np.ndarray, rng: np.random.Generator, hills: int = 12) -> np.ndarray:
    """A smooth function of the place: a sum of hills of several widths, with variance 1 over the rows."""
    centres, widths, heights = rng.uniform(size=(hills, 2)), rng.uniform(0.05, 0.3, hills), rng.normal(size=hills)
    distances = ((places[:, None, :] - centres) ** 2).sum(axis=2)
    values = np.exp(-distances / (2 * widths**2)) @ heights
    return np.asarray((values - values.mean()) / values.std())


def _towns(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Places that crowd around towns, some of them anywhere."""
    towns = rng.uniform(size=(15, 2))
    near = towns[rng.integers(len(towns), size=rows)] + 0.04 * rng.standard_t(3, size=(rows, 2))
    return np.clip(np.where(rng.random((rows, 1)) < 0.8, near, rng.uniform(size=(rows, 2))), 0.0, 1.0)


def _standard(values: np.ndarray) -> np.ndarray:
    return np.asarray((values - values.mean()) / values.std())


def _houses(rng: np.random.Generator) -> Columns:
    """One target, the price: log-normal, by income, place and coast."""
    places = _towns(rng, ROWS)
    wealth = _field(places, rng)
    income = np.exp(0.4 * rng.normal(size=ROWS) + 0.25 * wealth)
    rooms = 5.0 * rng.gamma(6.0, 1.0 / 6.0, ROWS)
    bedrooms = rooms * rng.beta(8, 24, ROWS)
    people = np.round(np.exp(7.0 + 0.8 * rng.normal(size=ROWS)))
    occupancy = 2.0 + rng.lognormal(0.0, 0.5, ROWS) / np.sqrt(income)
    age = np.minimum(rng.integers(1, 70, ROWS), 52)
    coast = np.abs(places[:, 0] - 0.2 - 0.3 * places[:, 1])
    log_price = 0.9 * np.log(income) + 0.5 * wealth + 0.7 * np.exp(-5.0 * coast) * np.sqrt(income)
    log_price += 0.15 * np.log(rooms / occupancy) + 0.004 * age * (wealth > 0)
    noise = 0.15 + 0.15 * (income > np.quantile(income, 0.8))
    price = np.exp(log_price + noise * rng.normal(size=ROWS))
    X = np.column_stack([places, income, rooms, bedrooms, people, occupancy, age])
    return X, price[:, None]


def _lettings(rng: np.random.Generator) -> Columns:
    """Three targets: rent (log-normal), way to work, share let; with kinds of houses and columns that say nothing."""
    places = _towns(rng, ROWS)
    demand, roads = _field(places, rng), _field(places, rng, hills=6)
    area = 40.0 * rng.gamma(4.0, 0.5, ROWS)
    kind = rng.integers(4, size=ROWS)
    built = 2020 - np.round(60 * rng.beta(1.2, 2.5, ROWS))
    salary = np.exp(0.5 * rng.normal(size=ROWS) + 0.3 * demand)
    rent = np.exp(0.7 * np.log(area) + 0.4 * demand + 0.2 * (kind == 2) * demand + 0.2 * rng.normal(size=ROWS))
    way = 30.0 + 12.0 * roads + 40.0 * np.hypot(*(places - 0.5).T) * (1.0 + 0.3 * (salary < 1))
    way += rng.gamma(2.0, 3.0 + 2.0 * np.abs(roads))
    chance = 1.0 / (1.0 + np.exp(-(0.8 * demand - 0.3 * np.log(salary) + 0.02 * (built - 1990))))
    let = np.clip(chance + 0.1 * rng.normal(size=ROWS), 0.0, 1.0)
    idle = np.column_stack([rng.normal(size=(ROWS, 3)), rng.exponential(size=ROWS)])
    X = np.column_stack([places, area, np.eye(4)[kind], built, salary, idle])
    return X, np.column_stack([rent, way, let])


def _stations(rng: np.random.Generator) -> Columns:
    """Five related targets of one place and season: a shared low rank, waves, and two that are log-normal."""
    places, season = _towns(rng, ROWS), rng.uniform(0, 2 * np.pi, ROWS)
    height = np.exp(0.6 * _field(places, rng) + 0.2 * rng.normal(size=ROWS))
    wind, traffic = rng.weibull(1.6, ROWS), rng.poisson(np.exp(2.0 + 0.8 * _field(places, rng))).astype(float)
    parts = np.column_stack(
        [
            _standard(np.sin(season) - 0.5 * np.log(height)),
            _standard(np.log1p(traffic) / (0.3 + wind)),
            _standard(_field(places, rng) * np.cos(season)),
        ]
    )
    mixed = parts @ rng.normal(size=(3, 5)) / np.sqrt(3.0)
    noisy = mixed + (0.2 + 0.3 * (wind < 0.5))[:, None] * rng.normal(size=mixed.shape)
    X = np.column_stack([places, np.sin(season), np.cos(season), height, wind, traffic, rng.lognormal(size=(ROWS, 2))])
    return X, np.column_stack([np.exp(0.8 * noisy[:, :2]), noisy[:, 2:]])


_MAKERS: dict[str, Callable[[np.random.Generator], Columns]] = {
    "houses": _houses,
    "lettings": _lettings,
    "stations": _stations,
}
GENERATED = tuple(_MAKERS)


def generated(name: str) -> Dataset:
    """One of the sets by name."""
    X, Y = _MAKERS[name](np.random.default_rng(GENERATED.index(name)))
    return Dataset(name, "regression", X, Y, (), ())
