"""Make animals.csv: 300 invented animals of five species, most of them without a name for what they are.

Measurements, a habitat, a date of sighting and a short field note follow from the species and from chance. A fifth of
the species and a third of the weights are known; a few other cells are empty, as in any table that people keep.

Run ``python examples/make_animals.py`` to write it again; the seed is fixed.
"""

from __future__ import annotations

import csv
from datetime import date, timedelta
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
N_ROWS = 300
KNOWN_SPECIES = 0.2
KNOWN_WEIGHT = 0.35
EMPTY = 0.04

SPECIES = {
    "fox": ((70, 6), (40, 4), (38, 5), ("forest", "farmland"), ("red coat", "bushy tail", "white tip", "alert ears")),
    "badger": ((75, 7), (28, 3), (16, 3), ("forest", "hedge"), ("striped face", "digging", "short legs", "dusk")),
    "hare": ((58, 5), (25, 3), (9, 2), ("farmland", "meadow"), ("long ears", "zigzag run", "black tips", "crouching")),
    "otter": ((68, 6), (24, 2), (42, 5), ("river", "lake"), ("wet fur", "webbed feet", "swimming", "whiskers")),
    "stoat": ((25, 3), (7, 1), (10, 2), ("hedge", "meadow"), ("brown back", "black tip", "hunting", "very quick")),
}
"""Body length, shoulder height and tail length (mean, deviation) in cm; habitats; words of the notes."""

FILLERS = ("seen near the path", "at dawn", "after rain", "by the old wall", "with young", "alone", "photo taken")


def main() -> None:
    rng = np.random.default_rng(2020)
    rows = [animal(number, rng) for number in range(1, N_ROWS + 1)]
    with (HERE / "animals.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def animal(number: int, rng: np.random.Generator) -> dict[str, object]:
    species = str(rng.choice(list(SPECIES)))
    *sizes, habitats, words = SPECIES[species]
    length, height, tail = (round(float(rng.normal(*size)), 1) for size in sizes)
    weight = round(float(length * height**1.3 / 1100 * rng.lognormal(0, 0.1)), 2)
    habitat = str(rng.choice(habitats if rng.random() < 0.85 else ["forest", "meadow", "river"]))
    day = date(2024, 1, 1) + timedelta(days=int(rng.integers(730)))
    note = ", ".join([str(rng.choice(words)), str(rng.choice(FILLERS)), *rng.choice(words, 1).tolist()])
    described = {
        "length_cm": length,
        "height_cm": height,
        "tail_cm": tail,
        "habitat": habitat,
        "seen": day.isoformat(),
        "note": note,
    }
    kept = {name: "" if rng.random() < EMPTY else value for name, value in described.items()}
    known = {
        "species": species if rng.random() < KNOWN_SPECIES else "",
        "weight_kg": weight if rng.random() < KNOWN_WEIGHT else "",
    }
    return {"id": f"A{number:03d}", **kept, **known}


if __name__ == "__main__":
    main()
