"""Keys and values of a feature's phrase, in millimetres and degrees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.errors import FeatureError
from robots.core.arrays import Array

_MM = 1e-3
_LARGEST = 1e9  # [mm] beyond it no part is meant, and squares keep far from overflow
_SHORTEST = 1e-9  # [m]


def numbers_of(text: str, what: str, count: int) -> Array:
    """Numbers between commas. # (count,).

    Raises:
        FeatureError: another count, or not finite numbers.
    """
    try:
        values = np.array([float(cell) for cell in text.split(",")])
    except ValueError:
        values = np.zeros(0)
    if values.shape != (count,) or not np.all(np.abs(values) <= _LARGEST):
        raise FeatureError(
            f"{what} is {text[:60]!r}; expected {count} finite numbers between commas, none beyond "
            f"{_LARGEST:g}.",
            found=text,
        )
    return values


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """Keys of a phrase; those that are read are noted in ``used``."""

    kind: str
    texts: dict[str, str]
    used: set[str]

    def text(self, key: str) -> str:
        """What stands after a key that must be there."""
        self.used.add(key)
        if key not in self.texts:
            raise FeatureError(f"The {self.kind} needs {key}=…; it has {', '.join(self.texts)}.")
        return self.texts[key]

    def has(self, key: str) -> bool:
        """Whether a key, which may be left out, is there."""
        self.used.add(key)
        return key in self.texts

    def length(self, key: str) -> float:
        """A length above zero. [m]."""
        value = float(numbers_of(self.text(key), key, 1)[0]) * _MM
        if not value >= _SHORTEST:
            raise FeatureError(
                f"The {self.kind}'s {key} is {self.texts[key]} mm; expected above 0."
            )
        return value

    def angle(self, key: str, default: float) -> float:
        """An angle, or the default. [rad]."""
        if not self.has(key):
            return default
        return float(np.radians(numbers_of(self.text(key), key, 1)[0]))

    def point(self, key: str) -> Array:
        """A place. # (3,) [m]."""
        return numbers_of(self.text(key), key, 3) * _MM

    def direction(self, key: str, default: Array | None = None) -> Array:
        """A direction, brought to length one, or the default. # (3,)."""
        if default is not None and not self.has(key):
            return default
        vector = numbers_of(self.text(key), key, 3)
        length = float(np.linalg.norm(vector))
        if not length >= _SHORTEST:
            raise FeatureError(f"The {self.kind}'s {key} has no length; give a direction.")
        return np.asarray(vector / length)

    def require_all_used(self) -> None:
        """Refuse keys that nothing has asked for."""
        for key in self.texts:
            if key not in self.used:
                raise FeatureError(
                    f"The {self.kind} has no key {key!r}; it takes {', '.join(sorted(self.used))}.",
                    key=key,
                )


def values_of(kind: str, text: str) -> Values:
    """Keys and values of what stands after the colon."""
    texts: dict[str, str] = {}
    for piece in filter(None, (piece.strip() for piece in text.split(";"))):
        key, _, value = piece.partition("=")
        if key.strip() in texts:
            raise FeatureError(f"The {kind}'s {key.strip()} is given twice.", key=key.strip())
        texts[key.strip()] = value.strip()
    return Values(kind=kind, texts=texts, used=set())
