"""What of two plans is compared: key, unit, and which way is better."""

from __future__ import annotations

from reports.comparison.change import ComparedQuantity, Sense, ValueKind

_LESS, _MORE = Sense.LESS, Sense.MORE


def _text(key: str, title: str) -> ComparedQuantity:
    return ComparedQuantity(key=key, title=title, kind=ValueKind.TEXT)


def _number(key: str, title: str, unit: str = "", sense: Sense = Sense.NEITHER) -> ComparedQuantity:
    return ComparedQuantity(key=key, title=title, unit=unit, sense=sense)


FEASIBLE = ComparedQuantity(key="feasible", title="feasible", sense=_MORE, kind=ValueKind.TRUTH)
VALIDATED = ComparedQuantity(key="validated", title="validated", sense=_MORE, kind=ValueKind.TRUTH)
TOTALS = (
    _number("duration_s", "duration", "s", _LESS),
    _number("energy_j", "energy", "J", _LESS),
    _number("net_work_j", "net work", "J"),
    _number("peak_power_w", "peak power", "W", _LESS),
    _number("min_power_w", "least power", "W"),
)
UNCHECKED = ComparedQuantity(key="unchecked", title="not checked", sense=_LESS, whole=True)
SERVED = ComparedQuantity(key="points_served", title="points served", sense=_MORE, whole=True)
LEAST_MARGIN = _number("joint_margin_deg", "least joint margin", "deg", _MORE)
LEAST_SLIDE = _number("joint_margin_mm", "least margin of a sliding joint", "mm", _MORE)
LEAST_SINGULARITY = _number("singularity_margin", "least singularity margin", "", _MORE)
LEAST_CLEARANCE = _number("clearance_mm", "least clearance", "mm", _MORE)
COUNTED = ComparedQuantity(key="findings", title="errors and warnings", sense=_LESS, whole=True)

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
FINDING = (
    _text("severity", "severity"),
    _text("message", "message"),
    _text("hint", "hint"),
)
CHECK = (
    ComparedQuantity(key="passed", title="passed", sense=_MORE, kind=ValueKind.TRUTH),
    ComparedQuantity(key="value", title="residual", floor=0.0),
    ComparedQuantity(key="limit", title="limit", floor=0.0),
)
