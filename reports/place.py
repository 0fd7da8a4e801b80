"""The best pose of a part as it is reported: JSON document, terminal summary, files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from planner.findings import Severity
from planner.part_pose.best_pose import SHARES, Placing, PlannedPose
from planner.part_pose.bounds import FixturingErrorKind
from planner.part_pose.place import ReachMap
from planner.part_pose.tolerance import MisFixturing
from planner.result_files import result_set
from reports.answers import rounded_list, rounded_number
from reports.figures.style import INK, QUIET, WIDTH, caption, house_style, rendered
from reports.plan_document import FORMAT, Document
from reports.verdict import aspect_names, measured_to, not_checked

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

_UNITS = {
    FixturingErrorKind.TRANSLATION: ("mm", 1e3),
    FixturingErrorKind.ROTATION: ("deg", 180.0 / np.pi),
}
_WIDTHS = (26, 18, 18)
KIND = "placing"
DOCUMENT, FIGURE = "place.json", "reach-map.png"
_HEIGHT = 8.1  # [in]
_UNSERVED = "#ececec"
_TITLES = ("given pose", "best pose")
# Place of each panel and of its colour bar, as parts of the figure: left, width.
_COLUMNS = ((0.085, 0.335), (0.56, 0.335))
_ROWS = (0.575, 0.145)
_TALL = 0.345


def place_document(placing: Placing, tolerances: tuple[MisFixturing, ...]) -> Document:
    """What was found, in millimetres, degrees and seconds.

    Args:
        placing: the given and the best pose.
        tolerances: of the best pose, one per kind of error.
    """
    job, best = placing.job, placing.best
    return {
        "format": FORMAT,
        "palpeur": version("palpeur"),
        "job": {"name": job.name, "sha256": job.sha256},
        "robot": job.robot_model,
        "feasible": placing.feasible,
        "unchecked": aspect_names(best.plan.unchecked),
        "goal": job.place.goal,
        "pose": _pose(best),
        "pose_line": best.pose.line,
        "shift_mm": rounded_list(1e3 * (best.pose.T[:3, 3] - placing.given.pose.T[:3, 3])),
        "given": _standing(placing.given),
        "best": _standing(best),
        "tolerance": {
            "reference_mm": _reference(best),
            **{kind.value: None for kind in FixturingErrorKind},
            **{found.kind.value: _tolerance(found) for found in tolerances},
        },
        "search": _search(placing),
    }


def _pose(standing: PlannedPose) -> Document:
    pose = standing.pose
    return {
        "translation_mm": list(pose.translation_mm),
        "rotation_zyx_deg": list(pose.rotation_zyx_deg),
    }


def _standing(standing: PlannedPose) -> Document:
    plan, tightest = standing.plan, standing.tightest
    clearance = standing.clearance
    return {
        "pose": _pose(standing),
        "feasible": plan.feasible,
        "points": len(plan.planned_points),
        "points_served": len(standing.measurable),
        "worst_margin_deg": rounded_number(np.degrees(standing.margin)),
        "joint_margin_deg": None
        if tightest is None
        else rounded_number(np.degrees(tightest.joint_margin)),
        "margin_joint": None if tightest is None else tightest.margin_joint,
        "margin_point": None if tightest is None else tightest.name,
        "singularity_margin": rounded_number(standing.singularity_margin),
        "min_clearance_mm": None if clearance is None else rounded_number(1e3 * clearance),
        "duration_s": rounded_number(plan.totals.duration),
        "energy_j": rounded_number(plan.totals.energy),
        "errors": [f.document() for f in plan.finding_list if f.severity is Severity.ERROR],
    }


def _tolerance(found: MisFixturing) -> Document:
    unit, factor = _UNITS[found.kind]
    first = found.first
    return {
        f"size_{unit}": rounded_number(factor * found.size),
        f"proven_{unit}": None if found.proven is None else rounded_number(factor * found.proven),
        "directions": found.directions,
        "plans": found.plans,
        "first_failure": None
        if first is None
        else {
            "point": first.point,
            "limit": first.limit,
            "direction": rounded_list(first.direction),
            "place_on_line": rounded_number(first.place),
        },
    }


def _search(placing: Placing) -> Document:
    settings = placing.job.place
    ranges = {
        axis: rounded_list(1e3 * span) for axis, span in zip("xyz", settings.shift, strict=True)
    }
    return {
        "range_mm": ranges,
        "yaw_deg": rounded_list(np.degrees(settings.yaw)),
        "full": settings.full,
        "seed": settings.seed,
        "poses_tried": placing.tried,
        "poses_planned": placing.planned,
        "interrupted": placing.interrupted,
    }


def _reference(standing: PlannedPose) -> list[float | None] | None:
    """What rotation errors turn about: the middle of the measurable points' contacts."""
    plan = standing.plan
    rows = [k for k, point in enumerate(plan.planned_points) if point.reachable]
    return rounded_list(1e3 * np.mean(plan.placed.contacts[rows], axis=0)) if rows else None


def place_lines(placing: Placing, tolerances: tuple[MisFixturing, ...]) -> Iterator[str]:
    """The lines of the summary.

    Args:
        placing: the given and the best pose.
        tolerances: of the best pose, one per kind of error.
    """
    job, best = placing.job, placing.best
    yield job.name
    if best is placing.given:
        yield "the part stands well: no pose that was tried is better by the rule"
    verdict = "every point is measurable" if placing.feasible else "NOT EVERY POINT IS MEASURABLE"
    count = f"{len(best.measurable)} of {len(best.plan.planned_points)} points"
    yield f"{verdict}: {count} from the best pose"
    if best.plan.unchecked:
        yield not_checked(best.plan.unchecked)
    yield f"pose for [part]:\n{best.pose.line}"
    yield ""
    yield from _table(placing.given, best)
    yield ""
    yield f"Clearance: {measured_to(best.plan)}."
    yield f"Rule: {_rule(placing)}"
    yield f"{placing.tried} poses tried, {placing.planned} of them planned."
    if placing.interrupted:
        yield "Interrupted: this is the best pose so far."
    yield ""
    if not tolerances:
        reason = (
            "the work was interrupted"
            if placing.interrupted or placing.feasible
            else "not every point is measurable"
        )
        yield f"Mis-fixturing that the best pose tolerates: not evaluated, as {reason}."
        return
    yield "Mis-fixturing that the best pose tolerates, the branches of the plan kept"
    for found in tolerances:
        yield from _place_summary_tolerance(found)
    if any(found.proven is not None for found in tolerances):
        yield "  proven: for joint limits, reach and singularities, in every direction"


def _table(given: PlannedPose, best: PlannedPose) -> Iterator[str]:
    rows = [
        ("", "given", "best"),
        (
            "measurable points",
            *(f"{len(s.measurable)} of {len(s.plan.planned_points)}" for s in (given, best)),
        ),
        ("smallest joint margin", *map(_joint, (given, best))),
        ("singularity margin", *map(_singular, (given, best))),
        ("clearance", *map(_clearance, (given, best))),
        ("duration", *(f"{s.plan.totals.duration:.4f} s" for s in (given, best))),
        ("energy", *(_energy(s) for s in (given, best))),
    ]
    for row in rows:
        first, *rest = (text.ljust(w) for text, w in zip(row, _WIDTHS, strict=True))
        yield "".join([first, *rest]).rstrip()


def _energy(standing: PlannedPose) -> str:
    energy = standing.plan.totals.energy
    return "not evaluated" if energy is None else f"{energy:.5g} J"


def _joint(standing: PlannedPose) -> str:
    point = standing.tightest
    if point is None:
        return "-"
    return f"{np.degrees(point.joint_margin):.2f} deg, {point.margin_joint}"


def _singular(standing: PlannedPose) -> str:
    return f"{standing.singularity_margin:.3g}" if standing.measurable else "-"


def _clearance(standing: PlannedPose) -> str:
    clearance = standing.clearance
    return "not checked" if clearance is None else f"{1e3 * clearance:.4g} mm"


def _rule(placing: Placing) -> str:
    goal = placing.job.place.goal
    least = "energy" if goal == "energy" else "time"
    return (
        f"most measurable points; then no less joint margin and no more {least} than the given "
        f"pose; then at least {100 * SHARES[goal]:.0f} % of the largest worst margin; then the "
        f"least {least}."
    )


def _place_summary_tolerance(found: MisFixturing) -> Iterator[str]:
    turns = found.kind is FixturingErrorKind.ROTATION
    what = "turned about the middle of its points" if turns else "shifted"
    factor, unit = (180.0 / np.pi, "deg") if turns else (1e3, "mm")
    proven = "" if found.proven is None else f" ({factor * found.proven:.4g} proven)"
    first = found.first
    amount = f"{factor * found.size:.4g} {unit}"
    if first is None:
        yield f"  {what} by up to {amount}{proven}: nothing fails, and no farther was searched"
        return
    yield f"  {what} by up to {amount}{proven}, whatever the direction"
    x, y, z = first.direction
    yield f"    first: {first.point}, {first.limit}, along ({x:.3f}, {y:.3f}, {z:.3f}) of the base"


def write_place_set(
    folder: Path, document: str, figure: bytes | None, *, force: bool = False
) -> None:
    """Write the files; those of an earlier placing are replaced.

    Args:
        folder: new, empty, or holding an earlier placing and nothing else.
        force: whether a folder with other files is written to all the same.
        document: text of the JSON document.
        figure: the reach map as PNG; None where it is not drawn.

    Raises:
        OutputError: the folder holds other files, or cannot be written.
    """
    with result_set(folder, KIND, force=force) as fresh:
        (fresh / DOCUMENT).write_text(document, encoding="utf-8", newline="")
        if figure is not None:
            (fresh / FIGURE).write_bytes(figure)


def reach_map_png(maps: tuple[ReachMap, ReachMap], name: str) -> bytes:
    """The figure as a PNG file.

    Args:
        maps: about the given and the best pose, over the same places.
        name: of the job.
    """
    with house_style():
        return rendered(reach_map_figure(maps, name), "png")


def reach_map_figure(maps: tuple[ReachMap, ReachMap], name: str) -> Figure:
    """Points within reach and worst margin over x and y, a row of panels for each pose."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, _HEIGHT))
    top = max(float(np.nanmax(m.margin, initial=0.0)) for m in maps)
    for row, (shown, title) in enumerate(zip(maps, _TITLES, strict=True)):
        for column in range(2):
            left, width = _COLUMNS[column]
            axis = figure.add_axes((left, _ROWS[row], width, _TALL))
            image = _points(axis, shown) if column == 0 else _margins(axis, shown, np.degrees(top))
            what = "points within reach [%]" if column == 0 else "worst margin [deg]"
            _finish(axis, maps, row, f"{what}, {title}")
            bar = figure.add_axes((left + width + 0.012, _ROWS[row], 0.014, _TALL))
            figure.colorbar(image, cax=bar).outline.set_visible(False)
    caption(figure, f"Reach map: {name}", _note(maps))
    return figure


def _points(axis: Axes, shown: ReachMap) -> AxesImage:
    measurable = np.where(shown.points > 0.0, 100.0 * shown.points, np.nan)
    image = _image(axis, shown, measurable, 100.0)
    whole = shown.points >= 1.0
    if np.any(whole) and not np.all(whole):
        axis.contour(
            1e3 * shown.x, 1e3 * shown.y, whole.astype(float), [0.5], colors=[INK], linewidths=0.8
        )
    return image


def _margins(axis: Axes, shown: ReachMap, top: float) -> AxesImage:
    margin = np.degrees(np.where(shown.points >= 1.0, shown.margin, np.nan))
    return _image(axis, shown, margin, max(top, 1e-3))


def _image(
    axis: Axes, shown: ReachMap, values: Sequence[float] | np.ndarray, top: float
) -> AxesImage:
    """Values over places; cividis reads the same for colour-blind eyes."""
    half = 0.5e3 * np.array([np.diff(shown.x)[0], np.diff(shown.y)[0]])
    extent = (
        1e3 * shown.x[0] - half[0],
        1e3 * shown.x[-1] + half[0],
        1e3 * shown.y[0] - half[1],
        1e3 * shown.y[-1] + half[1],
    )
    axis.set_facecolor(_UNSERVED)
    return axis.imshow(
        np.asarray(values),
        origin="lower",
        extent=extent,
        cmap="cividis",
        vmin=0.0,
        vmax=top,
        interpolation="nearest",
        aspect="equal",
    )


def _finish(axis: Axes, maps: tuple[ReachMap, ReachMap], row: int, title: str) -> None:
    """Marks of both poses: the one this row is turned as is filled."""
    for other, (shown, marker) in enumerate(zip(maps, ("o", "*"), strict=True)):
        x, y = shown.standing.pose.translation_mm[:2]
        size = 60.0 if marker == "o" else 150.0
        face = "white" if other == row else "none"
        edge = INK if other == row else QUIET
        axis.scatter(
            [x], [y], s=size, marker=marker, facecolors=face, edgecolors="white", linewidths=2.6
        )
        axis.scatter(
            [x], [y], s=size, marker=marker, facecolors=face, edgecolors=edge, linewidths=1.2
        )
    (left, right), (low, high) = 1e3 * maps[row].allowed
    corners = ([left, right, right, left, left], [low, low, high, high, low])
    axis.plot(*corners, color="white", linewidth=2.0)
    axis.plot(*corners, color=INK, linewidth=1.0, linestyle=(0.0, (4.0, 3.0)))
    axis.grid(visible=False)
    axis.set_title(title, fontsize=9.0, loc="left")
    if row == 1:
        axis.set_xlabel("base x of the part's origin [mm]")
    axis.set_ylabel("base y [mm]")


def _note(maps: tuple[ReachMap, ReachMap]) -> str:
    turned = [
        ", ".join(f"{angle:g}" for angle in shown.standing.pose.rotation_zyx_deg) for shown in maps
    ]
    heights = [f"{shown.standing.pose.translation_mm[2]:g}" for shown in maps]
    return (
        f"Upper row: the part turned as given (zyx {turned[0]} deg, z {heights[0]} mm), the given "
        f"place a filled circle. Lower row: turned as proposed (zyx {turned[1]} deg, z "
        f"{heights[1]} mm), the best place a filled star. Within reach: on {maps[0].judged} of "
        f"{_count(maps[0])} points, a branch keeps joint limits and singularities along the line "
        "and clears the obstacles at its ends. The part itself, the travels and the torques are "
        f"not in the map; with them the plan of the given pose measures {_measurable(maps[0])}, "
        f"that of the best {_measurable(maps[1])}. Thin line: all within reach; grey: none, and "
        "for margins not all. Dashes: where the job lets the origin be. Worst margin: angle to the "
        "nearest joint limit or singularity, for the quickest branches."
    )


def _count(shown: ReachMap) -> int:
    return len(shown.standing.plan.planned_points)


def _measurable(shown: ReachMap) -> str:
    return f"{len(shown.standing.measurable)} of {_count(shown)} points"
