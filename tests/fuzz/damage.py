"""Bytes that are not those that were written."""

from __future__ import annotations

from .draws import Draw


def damaged(draw: Draw, data: bytes) -> bytes:
    """Bits flipped, bytes lost, cut, doubled or overwritten."""
    broken = bytearray(data)
    for _ in range(draw.one_of((1, 1, 1, 2, 8))):
        if not broken:
            break
        place, length = draw.count(0, len(broken) - 1), draw.one_of((1, 1, 4, 64))
        match draw.one_of(("flip", "flip", "flip", "lose", "cut", "twice", "zeros", "noise", "swap")):
            case "flip":
                broken[place] ^= 1 << draw.count(0, 7)
            case "lose":
                del broken[place : place + length]
            case "cut":
                del broken[place:]
            case "twice":
                broken[place:place] = broken[place : place + length]
            case "zeros":
                broken[place : place + length] = bytes(len(broken[place : place + length]))
            case "noise":
                broken[place:place] = draw.rng.bytes(length)
            case _:
                other = draw.count(0, len(broken) - 1)
                broken[place], broken[other] = broken[other], broken[place]
    return bytes(broken)
