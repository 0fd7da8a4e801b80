"""One thing that the doctor looked at."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum


class Health(Enum):
    """How a check came out."""

    GOOD = "ok"
    LESS = "missing, not needed"
    RISK = "not as it should be"  # it works, and somebody should look at it
    BAD = "FAILED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """One thing looked at."""

    name: str
    health: Health
    found: str

    def document(self) -> dict[str, object]:
        """As it stands in JSON."""
        return asdict(self) | {"health": self.health.name.lower()}


def needed(good: bool) -> Health:
    """Health of what must be good."""
    return Health.GOOD if good else Health.BAD


def listed(names: list[str], most: int = 3) -> str:
    """The first few of many names."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
