"""Change: one quantity in two plans, and what the step from the first to the second means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

ROUNDING = 1e-9  # relative; below it two numbers are the same

Value = float | str | bool | tuple[float | None, ...] | None


class Sense(Enum):
    """Which way is better."""

    LESS = "less"
    MORE = "more"
    NEITHER = "neither"


class ChangeVerdict(Enum):
    """What a change means."""

    SAME = "same"
    BETTER = "better"
    WORSE = "worse"
    CHANGED = "changed"


class ValueKind(Enum):
    """What a value is."""

    NUMBER = "a number or null"
    NUMBERS = "a list of numbers or null"
    TEXT = "a text or null"
    TRUTH = "true or false"


class Presence(Enum):
    """In which of the two plans something stands."""

    BOTH = "both"
    GONE = "gone"
    NEW = "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedQuantity:
    """Something that is compared.

    Args:
        key: in JSON, unit included.
        title: for readers.
        unit: of its numbers; empty for none.
        sense: which way is better.
        kind: of its values.
        floor: difference below which numbers are the same, in the unit.
        whole: whether it is counted, not measured.
    """

    key: str
    title: str
    unit: str = ""
    sense: Sense = Sense.NEITHER
    kind: ValueKind = ValueKind.NUMBER
    floor: float = ROUNDING
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One quantity in two plans.

    Args:
        quantity: what it is.
        a: value in the first plan; None where there is none.
        b: value in the second one.
        where_a: what has the value, such as the point with the least margin.
        where_b: likewise in the second plan.
    """

    quantity: ComparedQuantity
    a: Value
    b: Value
    where_a: str = ""
    where_b: str = ""

    @property
    def absolute(self) -> float | None:
        """B - a, of several numbers the largest difference; None where there are no two."""
        if self.quantity.kind is ValueKind.NUMBERS:
            return _largest(self.a, self.b)
        if isinstance(self.a, float) and isinstance(self.b, float):
            return _finite(self.b - self.a)
        return None

    @property
    def relative(self) -> float | None:
        """The change as a part of a's size; None where that is zero or not known."""
        if isinstance(self.a, float) and self.a and self.absolute is not None:
            return _finite(self.absolute / abs(self.a))
        return None

    @property
    def size(self) -> float:
        """The largest absolute number on either side; 0 where there is none."""
        return _size(self.a, self.b)

    @property
    def verdict(self) -> ChangeVerdict:
        """Better, worse, merely another, or the same."""
        if self._same():
            return ChangeVerdict.SAME
        scalar = isinstance(self.a, float) and isinstance(self.b, float)
        if self.quantity.sense is Sense.NEITHER or not (scalar or isinstance(self.b, bool)):
            return ChangeVerdict.CHANGED
        if not scalar and not isinstance(self.a, bool):
            return ChangeVerdict.CHANGED
        more = float(self.b) > float(self.a)  # type: ignore[arg-type]
        return (
            ChangeVerdict.BETTER
            if more is (self.quantity.sense is Sense.MORE)
            else ChangeVerdict.WORSE
        )

    def _same(self) -> bool:
        if self.a == self.b:
            return True
        change = self.absolute
        if change is None:
            return False
        return abs(change) <= max(self.quantity.floor, ROUNDING * self.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterparts:
    """One point, motion, joint, finding or check in two plans.

    Args:
        names: that it is known by; untrusted.
        presence: in which plan it stands.
        changes: of its quantities; those of the missing side are None.
    """

    names: tuple[str, ...]
    presence: Presence
    changes: tuple[Change, ...]

    @property
    def changed(self) -> tuple[Change, ...]:
        """Those that are not the same."""
        return tuple(one for one in self.changes if one.verdict is not ChangeVerdict.SAME)

    @property
    def differs(self) -> bool:
        """Whether anything about it does."""
        return self.presence is not Presence.BOTH or bool(self.changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """All pairs of one kind.

    Args:
        key: in JSON.
        title: for readers.
        labels: what each of a pair's names is.
        pairs: in the order of the first plan, then those that only the second one has.
    """

    key: str
    title: str
    labels: tuple[str, ...]
    pairs: tuple[Counterparts, ...]

    @property
    def differing(self) -> tuple[Counterparts, ...]:
        """Pairs in which anything changed."""
        return tuple(pair for pair in self.pairs if pair.differs)

    def count(self, presence: Presence) -> int:
        """How many pairs stand there."""
        return sum(pair.presence is presence for pair in self.pairs)


def _largest(a: Value, b: Value) -> float | None:
    if not isinstance(a, tuple) or not isinstance(b, tuple) or len(a) != len(b):
        return None
    steps = [y - x for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    return _finite(max(map(abs, steps), default=0.0)) if len(steps) == len(a) else None


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _size(*values: Value) -> float:
    numbers: list[float] = []
    for value in values:
        several = value if isinstance(value, tuple) else (value,)
        numbers += [abs(one) for one in several if isinstance(one, float)]
    return max(numbers, default=0.0)
