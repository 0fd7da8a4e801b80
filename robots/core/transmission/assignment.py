"""Which transmission holds which joint or motor: each exactly once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from robots.core.arrays import Indices
from robots.core.transmission.errors import TransmissionError


def places_of(names: tuple[str, ...], held: Sequence[tuple[str, ...]], what: str) -> list[Indices]:
    """Places in ``names`` of what every transmission holds.

    Args:
        names: of the robot's joints or motors, in order.
        held: names per transmission.
        what: "Joint" or "Motor", for messages.

    Raises:
        TransmissionError: a name that is held twice, by none, or not the robot's.
    """
    count = Counter(name for group in held for name in group)
    if len(set(names)) != len(names):
        raise TransmissionError(f"{what} names repeat: {', '.join(names)}; give each once.")
    for name, times in count.items():
        if name not in names:
            raise TransmissionError(
                f"{what} {name} is not one of the robot's: {', '.join(names)}.", name=name
            )
        if times > 1:
            raise TransmissionError(
                f"{what} {name} is in {times} transmissions; keep one of them.", name=name
            )
    for name in names:
        if name not in count:
            raise TransmissionError(
                f"{what} {name} is in no transmission; add one, as a fixed ratio.", name=name
            )
    return [np.array([names.index(name) for name in group], dtype=np.intp) for group in held]
