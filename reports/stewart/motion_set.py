"""The files of a platform's motion: figures, table, document and page; whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from planner.job.solids import SolidKind
from planner.plan import Segment, SegmentKind
from planner.result_files import write_set
from reports.drawn_samples import decimated
from reports.figures.style import (
    BLUE,
    LIMIT,
    WIDTH,
    caption,
    draw_limits,
    figure_files,
    limit_text,
    write_limits,
)
from reports.page.curves import drawn_set, motion, shading, time_axis
from reports.page.page import PageSummary, motion_page
from reports.page.scene import embeds
from reports.scene import model
from reports.scene.model import (
    RoundBody,
    Scene,
    SceneLink,
    SceneMotion,
    ScenePoints,
    axis_frame,
    link,
)
from reports.stewart import motion as tables
from reports.stewart.motion import LegQuantity, PlatformMotion, leg_quantities
from robots.core.arrays import Array
from robots.core.mechanism import BASE, JointKind
from robots.core.pose import angles_zyx
from robots.stewart.legs import leg_axes
from robots.stewart.platform import Platform, leg_vectors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KIND = "platform motion"
_BUCKETS = 610


def write_motion_set(
    shown: PlatformMotion, document: str, folder: Path, *, force: bool = False
) -> None:
    """Write the files; those of an earlier motion are replaced.

    Args:
        shown: what is written.
        document: text of its JSON document.
        folder: new, empty, or holding an earlier motion and nothing else.
        force: whether a folder with other files is written to all the same.

    Raises:
        OutputError: the folder holds other files, or cannot be written.
    """
    write_set(folder, KIND, _files(shown, document), force=force)


def _files(shown: PlatformMotion, document: str) -> Iterator[tuple[str, str | bytes]]:
    from reports.scene.viser_scene import scene_html

    yield "motion.json", document
    yield "motion.csv", tables.samples_csv(shown)
    yield from draw_leg_figures(shown).items()
    replay = scene_html(leg_scene(shown), dark=None)
    if not embeds(replay):
        yield "scene.html", replay
    yield "page.html", leg_page(shown, replay)


def leg_page(shown: PlatformMotion, scene_html: str | None) -> str:
    """The page; the same bytes for the same motion.

    Args:
        shown: every text in it may be hostile.
        scene_html: the 3D replay as a page of its own; None for none. One too large for a page is
            linked as ``scene.html``.
    """
    duration = shown.motion.duration
    segments = (_segment(shown),)
    sets = tuple(drawn_set(one, duration, 2 * _BUCKETS) for one in tables.curves(shown))
    summary = PageSummary(
        title=shown.title,
        verdict=tables.verdict(shown),
        status=tables.status(shown),
        facts=tables.facts(shown),
    )
    return motion_page(
        *("stewart.html.j2", "reports.stewart", summary, shown.findings, scene_html),
        sets=sets,
        time=time_axis(shading(segments, duration), duration),
        motion=motion(sets, segments, duration),
        legs=tables.leg_table(shown),
        provenance=tables.provenance_table(shown),
    )


def _segment(shown: PlatformMotion) -> Segment:
    return Segment(
        kind=SegmentKind.TRAVEL,
        point="platform",
        point_index=0,
        law=shown.law,
        start=0.0,
        duration=shown.motion.duration,
        binding=shown.binding,
    )


# ------------------------------------------------------------------------------------------- Scene
# Every leg is a chain of the scene: two turns of its universal joint, then the stroke. The platform
# is a chain of its own: three slides, then turns about z, y and x. Both follow the same poses, so
# the legs end at the platform in every frame.

_RATE = 60.0  # instants per second
_MOST = 3000
# The next joint's frame in the one before it, twice the same turn: (s, u, e), (u, e, s), (e, s, u).
_ROUND = np.array([[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0, 0, 0, 1]])
_CYLINDER = model.LINKS[1]
_PISTON = model.LINKS[0]
_PLATE = model.SOLIDS[SolidKind.PART]
_THICK = 0.022  # of a leg without radius, as a part of its length


def leg_scene(shown: PlatformMotion) -> Scene:
    """The scene of a motion."""
    platform, duration = shown.platform, shown.motion.duration
    count = int(np.clip(np.ceil(duration * _RATE), 2, _MOST)) + 1
    t = np.linspace(0.0, duration, count)
    T = shown.motion.state(t).T
    q = np.concatenate([*_leg_values(platform, T), _platform_values(T)], axis=1)
    size = float(np.median(np.linalg.norm(leg_vectors(platform, platform.home), axis=-1)))
    return Scene(
        title=shown.title,
        base=tuple(_ring(platform.base_points, 0.014 * size, "base", model.BASE_COLOUR)),
        links=(*_leg_links(platform, T, size), *_platform_links(platform, size)),
        rest=q[0],
        solids=(),
        points=ScenePoints(
            names=("home",),
            positions=platform.home[None, :3, 3],
            normals=platform.home[None, :3, 2],
            reached=np.ones(1, dtype=np.bool_),
            size=0.02 * size,
        ),
        probing=np.zeros((0, 2, 3)),
        travel=np.stack([T[:-1, :3, 3], T[1:, :3, 3]], axis=1),
        motion=SceneMotion(t=t, q=q, borders=np.array([0.0, duration]), deviation=0.0, turn=0.0),
        bounds=_bounds(platform, T, 0.05 * size),
        notes=(),
    )


def _leg_values(platform: Platform, T: Array) -> Iterator[Array]:
    """Both angles and the length of every leg. # (k, 3) each."""
    across = leg_vectors(platform, T)
    for leg in range(len(platform.legs)):
        along, aside, ahead = np.moveaxis(across[:, leg] @ leg_axes(platform, leg).triad, -1, 0)
        first = np.unwrap(np.arctan2(-aside, ahead))
        second = np.arctan2(along, np.hypot(aside, ahead))
        yield np.stack([first, second, np.linalg.norm(across[:, leg], axis=-1)], axis=-1)


def _platform_values(T: Array) -> Array:
    """Place, then angles about z, y, x. # (k, 6)."""
    angles = np.unwrap(angles_zyx(T[:, :3, :3]).angles, axis=0)
    return np.concatenate([T[:, :3, 3], angles], axis=1)


def _leg_links(platform: Platform, T: Array, size: float) -> Iterator[SceneLink]:
    across = np.linalg.norm(leg_vectors(platform, T), axis=-1)
    zero = np.zeros(3)
    for k, leg in enumerate(platform.legs):
        triad = leg_axes(platform, k).triad
        first = np.eye(4)
        first[:3, :3], first[:3, 3] = triad[:, [1, 2, 0]], leg.base
        radius = leg.radius or _THICK * size
        # The cylinder ends before the shortest leg does, the piston reaches into it always.
        barrel = 0.62 * float(across[:, k].min())
        rod = max(float(across[:, k].max()) - 0.8 * barrel, 0.3 * barrel)
        cylinder = RoundBody(
            name=f"cylinder {leg.name}",
            start=zero,
            end=np.array([barrel, 0.0, 0.0]),
            radius=radius,
            paint=_CYLINDER,
        )
        piston = RoundBody(
            name=f"piston {leg.name}",
            start=np.array([0.0, 0.0, -rod]),
            end=zero,
            radius=0.6 * radius,
            paint=_PISTON,
        )
        index = 3 * k
        turn, slide = JointKind.REVOLUTE, JointKind.PRISMATIC
        yield link(f"{leg.name} first", BASE, (turn, index), first)
        yield link(f"{leg.name} second", index, (turn, index + 1), _ROUND, (cylinder,))
        yield link(f"{leg.name} stroke", index + 1, (slide, index + 2), _ROUND, (piston,))


def _platform_links(platform: Platform, size: float) -> Iterator[SceneLink]:
    """x, y, z, then turns about z, y, x; frames with the axis as z."""
    first = 3 * len(platform.legs)
    frame_before = np.eye(4)
    steps = [(JointKind.PRISMATIC, k) for k in range(3)]
    steps += [(JointKind.REVOLUTE, k) for k in (2, 1, 0)]
    for number, (kind, axis) in enumerate(steps):
        frame = axis_frame(axis)
        placement = frame_before.T @ frame
        frame_before = frame
        last = number == len(steps) - 1
        # The last frame's axes are not the platform's: its bodies are given in it.
        points = platform.platform_points @ frame[:3, :3]
        bodies = tuple(_ring(points, 0.014 * size, "platform", _PLATE)) if last else ()
        parent = BASE if number == 0 else first + number - 1
        yield link(f"platform {number + 1}", parent, (kind, first + number), placement, bodies)


def _ring(points: Array, radius: float, name: str, paint: model.Paint) -> Iterator[RoundBody]:
    """Bars from joint to joint, in order round their middle."""
    centred = points - points.mean(axis=0)
    _, _, plane = np.linalg.svd(centred)
    order = np.argsort(np.arctan2(centred @ plane[1], centred @ plane[0]), kind="stable")
    ring = points[order]
    for number, (start, end) in enumerate(zip(ring, np.roll(ring, -1, axis=0), strict=True)):
        yield RoundBody(
            name=f"{name} {number + 1}", start=start, end=end, radius=radius, paint=paint
        )


def _bounds(platform: Platform, T: Array, margin: float) -> Array:
    tips = leg_vectors(platform, T) + platform.base_points
    places = np.concatenate([tips.reshape(-1, 3), platform.base_points])
    return np.stack([places.min(axis=0) - margin, places.max(axis=0) + margin])


_PANEL = 1.35  # [in]
_ABOVE, _BELOW = 0.5, 0.75  # [in]


def draw_leg_figures(shown: PlatformMotion) -> dict[str, bytes]:
    """Name and content of every figure's files, PNG and SVG."""
    return figure_files(
        (quantity.key, partial(leg_figure, shown, quantity)) for quantity in leg_quantities(shown)
    )


def leg_figure(shown: PlatformMotion, quantity: LegQuantity) -> Figure:
    """One panel per leg, one above the other."""
    from matplotlib.figure import Figure

    legs = shown.platform.legs
    height = len(legs) * _PANEL + _ABOVE + _BELOW
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.subplots(len(legs), 1, sharex=True, squeeze=False)[:, 0]
    figure.subplots_adjust(
        left=0.105, right=0.965, top=1 - _ABOVE / height, bottom=_BELOW / height, hspace=0.16
    )
    for leg, axis in enumerate(axes):
        curve = decimated(shown.samples.t, quantity.values[:, leg])
        axis.plot(curve.t, curve.values, color=BLUE)
        axis.set_ylabel(f"{legs[leg].name} [{quantity.unit}]")
        axis.margins(y=0.08)
        _draw_limits(axis, quantity, leg)
    axes[-1].set_xlim(0.0, shown.motion.duration)
    axes[-1].set_xlabel("time [s]")
    figure.align_ylabels(list(axes))
    caption(figure, f"{quantity.title}: {shown.title}", _note(shown, quantity))
    return figure


def _draw_limits(axis: Axes, quantity: LegQuantity, leg: int) -> None:
    """Limits beside the panel, and as dashed lines where they do not flatten the curve."""
    values, unit = quantity.values[:, leg], quantity.unit
    lower, upper = float(quantity.lower[leg]), float(quantity.upper[leg])
    draw_limits(axis, float(values.min()), float(values.max()), lower, upper)
    outside = values[(values < lower) | (values > upper)]
    if outside.size:
        t = axis.lines[0].get_xdata()
        y = np.asarray(axis.lines[0].get_ydata())
        axis.fill_between(
            *(t, np.clip(y, lower, upper), y), color=LIMIT, alpha=0.3, linewidth=0, zorder=1.5
        )
    write_limits(axis, limit_text(lower, upper, unit), broken=bool(outside.size))


def _note(shown: PlatformMotion, quantity: LegQuantity) -> str:
    low, high = float(quantity.values.min()), float(quantity.values.max())
    what = f"{shown.platform.name}, {shown.law}, {shown.motion.duration:.6g} s. "
    what += f"All legs: {low:.6g} to {high:.6g} {quantity.unit}."
    if quantity.key == "leg-force":
        what += " A positive force pushes the platform away from the base."
    return what
