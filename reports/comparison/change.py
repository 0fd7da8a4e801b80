"""Change: one quantity in two plans, and what the step from the first to the second means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

ROUNDING = 1e-9  # relative; below it two numbers are the same
Value = float | str | bool | tuple[float | None, ...] | None


class Sense(Enum):
    """Direction in which a quantity improves."""

    LESS = "less"
    MORE = "more"
    NEITHER = "neither"


_LESS, _MORE = Sense.LESS, Sense.MORE


class ValueKind(Enum):
    """Kind of a value."""

    NUMBER = "a number or null"
    NUMBERS = "a list of numbers or null"
    TEXT = "a text or null"
    TRUTH = "true or false"


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


FEASIBLE = ComparedQuantity(key="feasible", title="feasible", sense=_MORE, kind=ValueKind.TRUTH)
VALIDATED = ComparedQuantity(key="validated", title="validated", sense=_MORE, kind=ValueKind.TRUTH)


def _number(key: str, title: str, unit: str = "", sense: Sense = Sense.NEITHER) -> ComparedQuantity:
    return ComparedQuantity(key=key, title=title, unit=unit, sense=sense)


TOTALS = (
    _number("duration_s", "duration", "s", _LESS),
    _number("energy_j", "energy", "J", _LESS),
    _number("net_work_j", "net work", "J"),
    _number("peak_power_w", "peak power", "W", _LESS),
    _number("min_power_w", "minimum power", "W"),
)
UNCHECKED = ComparedQuantity(key="unchecked", title="not checked", sense=_LESS, whole=True)
SERVED = ComparedQuantity(key="points_served", title="measurable points", sense=_MORE, whole=True)
LEAST_MARGIN = _number("joint_margin_deg", "minimum joint margin", "deg", _MORE)
LEAST_SLIDE = _number("joint_margin_mm", "minimum margin of a sliding joint", "mm", _MORE)
LEAST_SINGULARITY = _number("singularity_margin", "minimum singularity margin", "", _MORE)
LEAST_CLEARANCE = _number("clearance_mm", "minimum clearance", "mm", _MORE)
COUNTED = ComparedQuantity(key="findings", title="errors and warnings", sense=_LESS, whole=True)


def _text(key: str, title: str) -> ComparedQuantity:
    return ComparedQuantity(key=key, title=title, kind=ValueKind.TEXT)


POINT = (
    ComparedQuantity(key="reachable", title="reachable", sense=_MORE, kind=ValueKind.TRUTH),
    _text("branch", "branch"),
    ComparedQuantity(key="visit", title="place in the order", whole=True),
    _number("joint_margin_deg", "joint margin", "deg", _MORE),
    _number("joint_margin_mm", "joint margin", "mm", _MORE),
    _number("singularity_margin", "singularity margin", "", _MORE),
    _number("min_clearance_mm", "clearance", "mm", _MORE),
    ComparedQuantity(
        key="q_contact_deg", title="joints at contact", unit="deg", kind=ValueKind.NUMBERS
    ),
)
SEGMENT = (
    _number("duration_s", "duration", "s", _LESS),
    _text("law", "law"),
    _text("binding", "what limits it"),
    _number("certified_mm", "proven clearance", "mm", _MORE),
    _text("pair", "what comes near"),
)
JOINT = (
    _number("peak_velocity_rad_s", "peak speed", "rad/s", _LESS),
    _number("peak_velocity_m_s", "peak speed", "m/s", _LESS),
    _number("peak_acceleration_rad_s2", "peak acceleration", "rad/s²", _LESS),
    _number("peak_acceleration_m_s2", "peak acceleration", "m/s²", _LESS),
    _number("peak_torque_nm", "peak torque", "N m", _LESS),
    _number("peak_force_n", "peak force", "N", _LESS),
    _number("rms_torque_nm", "rms torque", "N m", _LESS),
    _number("rms_force_n", "rms force", "N", _LESS),
    _number("peak_power_w", "peak power", "W", _LESS),
    _number("energy_j", "energy", "J", _LESS),
)
FINDING = (_text("severity", "severity"), _text("message", "message"), _text("hint", "hint"))
CHECK = (
    ComparedQuantity(key="passed", title="passed", sense=_MORE, kind=ValueKind.TRUTH),
    ComparedQuantity(key="value", title="residual", floor=0.0),
    ComparedQuantity(key="limit", title="limit", floor=0.0),
)


class ChangeVerdict(Enum):
    """Meaning of a change."""

    SAME = "same"
    BETTER = "better"
    WORSE = "worse"
    CHANGED = "changed"


class Presence(Enum):
    """In which of the two plans something stands."""

    BOTH = "both"
    GONE = "gone"
    NEW = "new"


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
