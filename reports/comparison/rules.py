"""Rules such as ``duration>+2%``: which changes are too much."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from planner.errors import OptionError
from reports.comparison.change import Change
from reports.comparison.compare import PlanComparison
from reports.visible_text import visible
from robots.core.schema_problems import nearest

_KEYS = {
    "duration": "duration_s",
    "energy": "energy_j",
    "net_work": "net_work_j",
    "peak_power": "peak_power_w",
    "joint_margin": "joint_margin_deg",
    "singularity_margin": "singularity_margin",
    "clearance": "clearance_mm",
    "points": "points_served",
    "findings": "findings",
}
QUANTITIES = tuple(_KEYS)

_UNITS = {
    "duration": "s",
    "energy": "J",
    "net_work": "J",
    "peak_power": "W",
    "joint_margin": "deg",
    "clearance": "mm",
}
_RULE = re.compile(r"(?P<quantity>[^<>=!≤≥]*+)(?P<operator>[<>=!≤≥]++)(?P<amount>.*)\Z", re.DOTALL)
_AMOUNT = re.compile(
    r"(?P<sign>[+\-−])\s*(?P<number>(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?)\s*(?P<unit>.*)\Z",
    re.ASCII,
)
_SHOWN = 60
_LIKE = "; a rule is like duration>+2%"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: it fires when the change from A to B is beyond an amount.

    Args:
        text: as it was given.
        quantity: one of ``QUANTITIES``.
        above: whether changes above the amount are too much, else those below it.
        amount: of the change, in the quantity's unit, or as a part of A's size.
        relative: whether it is such a part.
    """

    text: str
    quantity: str
    above: bool
    amount: float
    relative: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleVerdict:
    """Verdict of a rule on two plans.

    Args:
        rule: that was applied.
        change: that it looked at.
        fired: whether it is broken.
        reason: one sentence.
    """

    rule: Rule
    change: Change
    fired: bool
    reason: str


def parse_rule(text: str) -> Rule:
    """Read a rule.

    Args:
        text: quantity, ``>`` or ``<``, and a signed amount in percent or in the quantity's unit.

    Raises:
        OptionError: what is wrong, where, and the nearest that would be right.
    """
    found = _RULE.match(text)
    if found is None:
        raise _error(text, f"has no > or <{_LIKE}")
    quantity, operator = found["quantity"].strip(), found["operator"]
    if quantity not in _KEYS:
        raise _error(text, f"there is no quantity {_cut(quantity)!r}; {_advice(quantity)}")
    if operator not in ("<", ">"):
        raise _error(text, f"{operator!r} is no comparison; give > or <")
    said = found["amount"].strip()
    amount = _AMOUNT.match(said)
    if amount is None:
        raise _error(text, f"{_amount_fault(said)}{_LIKE}")
    number = float(amount["number"])
    if not math.isfinite(number):
        raise _error(text, f"{amount['number']} is no finite number")
    unit = amount["unit"]
    if unit not in ("", "%", _UNITS.get(quantity, "")):
        own = _UNITS.get(quantity)
        right = f"{own} or %" if own else "a bare number or %"
        raise _error(text, f"{_cut(unit)!r} is no unit of {quantity}; give {right}")
    signed = number if amount["sign"] == "+" else -number
    return Rule(
        text=text,
        quantity=quantity,
        above=operator == ">",
        amount=signed / 100.0 if unit == "%" else signed,
        relative=unit == "%",
    )


def judged(rule: Rule, comparison: PlanComparison) -> RuleVerdict:
    """Apply a rule; what A knows and B does not is broken, what A does not know cannot be."""
    change = comparison.change(_KEYS[rule.quantity])
    a, b = change.a, change.b
    if not isinstance(a, float) or not isinstance(b, float):
        lost = isinstance(a, float)
        reason = "is known in A but not in B" if lost else "is not known in A"
        return RuleVerdict(
            rule=rule, change=change, fired=lost, reason=f"{change.quantity.title} {reason}"
        )
    found = _step(a, b) if rule.relative else b - a
    fired = found > rule.amount if rule.above else found < rule.amount
    told, limit = (_amount(value, rule, change) for value in (found, rule.amount))
    side = "above" if rule.above else "below"
    kept = "" if fired else "not "
    reason = f"{change.quantity.title} changed by {told}, {kept}{side} {limit}"
    return RuleVerdict(rule=rule, change=change, fired=fired, reason=reason)


def _step(a: float, b: float) -> float:
    """The change as a part of a's size; from nothing to something it is without end."""
    if a == b:
        return 0.0
    return (b - a) / abs(a) if a else math.copysign(math.inf, b)


def _amount(value: float, rule: Rule, change: Change) -> str:
    if rule.relative:
        return f"{100.0 * value:+.4g} %"
    return f"{value:+.6g} {change.quantity.unit}".rstrip()


def _amount_fault(text: str) -> str:
    if not text:
        return "the amount is missing"
    if re.match(r"\.?\d", text, re.ASCII):
        sign = f"+{_cut(text)}"
        return f"the amount {_cut(text)!r} has no sign; it is a change from A to B: {sign}"
    return f"{_cut(text)!r} is no amount"


def _advice(quantity: str) -> str:
    return nearest(_cut(quantity), QUANTITIES) if quantity else f"known here: {_all()}."


def _all() -> str:
    return ", ".join(QUANTITIES)


def _error(text: str, sentence: str) -> OptionError:
    ended = sentence if sentence.endswith((".", "?")) else f"{sentence}."
    return OptionError(f"--fail-on {_cut(text)!r}: {ended}", rule=text)


def _cut(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
