"""All figures of a report set, one file after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING

from planner.errors import OptionError
from planner.motion.sampled_motion import sampled
from planner.plan import Plan
from reports.drawn_samples import DrawnSamples, drawn_samples
from reports.figures.joint_curves import joint_figure, quantities
from reports.figures.style import FORMATS, house_style, rendered
from reports.figures.tip_path import tip_path_figure
from reports.figures.total_power import total_power_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_figures(
    plan: Plan, drawn: DrawnSamples, wanted: Sequence[str] | None = None
) -> dict[str, bytes]:
    """Name and content of every figure's files, PNG and SVG.

    A plan without motion has only the figure of its points in space.

    Args:
        plan: whose motion it is.
        drawn: samples of its trajectory.
        wanted: names of the files that are wanted; None for all.
    """
    files: dict[str, bytes] = {}
    with house_style():
        for name, draw in _figures(plan, drawn):
            formats = [f for f in FORMATS if wanted is None or f"{name}.{f}" in wanted]
            if not formats:
                continue
            figure = draw()
            files |= {f"{name}.{f}": rendered(figure, f) for f in formats}
    return files


def plan_figure(plan: Plan, name: str = "tip path") -> Figure:
    """Draw one figure of a plan, for whoever goes on with it.

    Args:
        plan: whose motion it is.
        name: "tip path", "total power", "joint position", "joint speed", "joint acceleration",
            "joint torque" or "joint power"; files of the report set have hyphens.

    Raises:
        OptionError: there is no such figure, or no motion to draw.
    """
    drawn = drawn_samples(sampled(plan))
    with house_style():
        known = dict(_figures(plan, drawn))
        wanted = name.strip().replace(" ", "-")
        if wanted not in known:
            close = get_close_matches(wanted, known, n=1, cutoff=0.5)
            names = ", ".join(repr(one.replace("-", " ")) for one in known)
            advice = f"did you mean {close[0].replace('-', ' ')!r}? There" if close else "there"
            raise OptionError(
                f"The plan has no figure {name!r}; {advice} are {names}.", value=name, known=names
            )
        return known[wanted]()


def _figures(plan: Plan, drawn: DrawnSamples) -> Iterator[tuple[str, Callable[[], Figure]]]:
    if plan.timeline:
        for quantity in quantities(plan, drawn.samples):
            yield quantity.name, partial(joint_figure, plan, drawn, quantity)
        yield "total-power", partial(total_power_figure, plan, drawn)
    yield "tip-path", partial(tip_path_figure, plan, drawn)
