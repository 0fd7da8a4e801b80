"""Figures of a plan as a batch's readers see them: title, unit, which way is better, how much."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reports.comparison.change import Sense


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of an outcome.

    Args:
        key: in ``Outcome.figures``.
        title: for readers.
        unit: empty for none.
        scale: from the figure to what is shown.
        sense: which way is better.
        step: smallest difference that counts as a change, as it is shown.
        share: smallest one as a part of the value before; the larger of both counts.
        limit: that a plan must keep, as it is shown; None for none.
        wide: whether it may range over decades.
    """

    key: str
    title: str
    unit: str = ""
    scale: float = 1.0
    sense: Sense = Sense.NEITHER
    step: float = 0.0
    share: float = 0.0
    limit: float | None = None
    wide: bool = False

    @property
    def rule(self) -> str:
        """From which difference on a change counts, in words."""
        share = f"{100.0 * self.share:g} %" if self.share else ""
        step = f"{self.step:g} {self.unit}".strip() if self.step else ""
        return " and ".join(filter(None, (share, step))) or "0"


_LESS, _MORE = Sense.LESS, Sense.MORE
KNOWN = (
    Figure(key="points", title="points"),
    Figure(key="points_reached", title="points reached", sense=_MORE),
    Figure(key="duration_s", title="duration", unit="s", sense=_LESS, share=0.02),
    Figure(key="energy_j", title="energy", unit="J", sense=_LESS, share=0.02),
    Figure(key="peak_power_w", title="peak power", unit="W", sense=_LESS, share=0.02),
    Figure(
        key="joint_margin_deg", title="joint margin", unit="°", sense=_MORE, step=0.5, limit=0.0
    ),
    Figure(
        key="joint_margin_mm", title="joint margin", unit="mm", sense=_MORE, step=0.5, limit=0.0
    ),
    Figure(
        key="clearance_mm",
        title="least clearance, proven",
        unit="mm",
        sense=_MORE,
        step=0.1,
        limit=0.0,
    ),
    Figure(key="singularity_margin", title="singularity margin", sense=_MORE, share=0.02),
    Figure(key="peak_torque_nm", title="peak torque", unit="N m", sense=_LESS, share=0.02),
    Figure(
        key="torque_fraction",
        title="torque of limit",
        unit="%",
        scale=100.0,
        sense=_LESS,
        step=1.0,
        limit=100.0,
    ),
)
SECONDS = Figure(key="seconds", title="time per job", unit="s", wide=True)
MEMORY = Figure(key="peak_bytes", title="memory per job", unit="MB", scale=1e-6, wide=True)
DRAWN = ("duration_s", "joint_margin_deg", "joint_margin_mm", "clearance_mm", "torque_fraction")
UNLIMITED = "peak_torque_nm"  # drawn where no job knows what part of a limit its torque is


def figures_among(names: Iterable[str]) -> tuple[Figure, ...]:
    """Figures of these names: known ones first, then those that nobody described."""
    wanted = set(names)
    known = [figure for figure in KNOWN if figure.key in wanted]
    others = sorted(wanted - {figure.key for figure in known})
    return (*known, *(Figure(key=name, title=name) for name in others))


def shown(value: float) -> str:
    """A number for readers: four digits."""
    return f"{value:.4g}".replace("-", "−")
