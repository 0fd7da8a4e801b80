"""From a robot to a page that poses it, offline: sliders, the tool's pose, axes, frames, reach.

The scene is drawn as every other one (``reports.scene``), so whatever a robot's links are drawn as
there is drawn here. The page computes the forward geometry itself, from the placements of the
joints as they are in the mechanism, and tells the scene how each link stands in the one before it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

from planner.errors import OptionError
from planner.findings import Severity
from planner.findings.robot_audit import audit
from reports.content.table import Fact, Table, Value, ValueStatus, columns, number, signed, text
from reports.page.html import asset, data_block, filled
from reports.page.page import PageDetail, PageSummary, cards, provenance_table
from reports.page.scene import embedded
from reports.scene import model as scene_model
from reports.scene.build import scene_of_robot
from reports.scene.model import Scene
from reports.scene.viser_scene import guide_nodes, link_nodes, scene_html
from robots.core.arrays import Array
from robots.core.inverse.limits import inside_limits, limit_breaches
from robots.core.inverse.task import scale_length
from robots.core.mechanism import Joint, Mechanism
from robots.core.pose import angles_zyx
from robots.core.workspace import Workspace, workspace
from robots.robot import Robot

_ASSETS = "reports.robot/assets"
_DETAIL = PageDetail(buckets=0, rows=500, cell=300, listing=0)
_SAMPLES = 1 << 17  # postures of the workspace
_FREE = 2.0 * np.pi  # to each side, of a revolute joint without limits [rad]
_DECIMALS = 6  # of a value that is typed: nanometres and microdegrees


def robot_page(robot: Robot, q: ArrayLike | None = None) -> str:
    """The page of a robot; the same bytes for the same robot and posture.

    Args:
        robot: every text in it may be hostile.
        q: posture that it shows first; zero, or the nearest to it within limits. # (n,) [rad or m]

    Raises:
        OptionError: no joint that moves; a posture of another length, not finite, or outside the
            limits.
        OutputError: this machine refuses to listen on 127.0.0.1, which the scene needs.
    """
    from markupsafe import Markup

    mechanism = robot.mechanism
    first = posture_of(mechanism, q)
    reach = workspace(robot, samples=_SAMPLES)
    scene = scene_of_robot(robot, first, reach.border())
    sliders = _sliders(mechanism, first)
    T = robot.forward(first)
    findings = tuple(audit(mechanism))
    return filled(
        "robot.html.j2",
        "reports.robot",
        style=asset("report.css") + asset("robot.css", _ASSETS),
        script=asset("report.js") + asset("robot.js", _ASSETS),
        scene=embedded(
            scene_html(scene, dark=None),
            asset("scene.js")
            + asset("viewer.js", "reports.scene/assets")
            + asset("pose.js", _ASSETS),
        ),
        arm=Markup(data_block(_document(mechanism, scene, sliders, given=q is not None))),
        report=_summary(mechanism, reach),
        cards=cards(findings),
        detail=_DETAIL,
        sliders=sliders,
        given=q is not None,
        pose=_pose(T),
        option=f"--q={','.join(slider.value for slider in sliders)}",
        notes=scene.notes,
        samples=_SAMPLES,
        limits=_limits(mechanism),
        provenance=provenance_table(robot=mechanism.name, source=mechanism.source),
    )


def posture_of(mechanism: Mechanism, q: ArrayLike | None) -> Array:
    """A posture to be shown; zero, or the nearest to it within limits, where none is given.

    Args:
        mechanism: whose posture.
        q: # (n,) [rad or m]

    Raises:
        OptionError: no joint that moves; another length, not finite, or outside the limits.
    """
    if mechanism.dof == 0:
        raise OptionError(
            f"{mechanism.name} has only fixed joints; a page to move it needs one that moves.",
            robot=mechanism.name,
        )
    if q is None:
        return np.asarray(np.clip(0.0, mechanism.q_min, mechanism.q_max))
    posture = np.asarray(q, dtype=np.float64)
    if posture.shape != (mechanism.dof,) or not np.all(np.isfinite(posture)):
        raise OptionError(
            f"The posture has shape {posture.shape}; {mechanism.name} has {mechanism.dof} joints: "
            "give as many finite numbers.",
            found=posture.shape,
            expected=(mechanism.dof,),
        )
    if not inside_limits(mechanism, posture):
        raise OptionError(
            f"The posture cannot be shown: {limit_breaches(mechanism, posture)}. Give one within "
            "the limits.",
            value=posture.tolist(),
        )
    return posture


# ----------------------------------------------------------------------------------------- Sliders


@dataclass(frozen=True, slots=True, kw_only=True)
class Slider:
    """One joint as the page moves it; numbers in the unit that is shown.

    Args:
        number: by which tables and ``--q`` call the joint.
        name: of the joint; untrusted.
        place: of its variable in q.
        unit: deg or mm.
        low: end of the slider.
        high: the other end.
        value: of the first posture.
        range: its limits in words.
    """

    number: int
    name: str
    place: int
    unit: str
    low: float
    high: float
    value: str
    range: str

    @property
    def label(self) -> str:
        """Number and name, the name only where it says more."""
        own = f"q{self.number}"
        return own if self.name == own else f"{own} {self.name}"


def _sliders(mechanism: Mechanism, first: Array) -> tuple[Slider, ...]:
    slide = scale_length(mechanism)
    return tuple(
        _slider(number_, place, mechanism.movable[place], float(first[place]), slide)
        for number_, place in sorted(zip(mechanism.numbers, range(mechanism.dof), strict=True))
    )


def _slider(number_: int, place: int, joint: Joint, value: float, slide: float) -> Slider:
    unit, scale, free = _shown_unit(joint, slide)
    low, high = _ends(joint, free)
    return Slider(
        number=number_,
        name=joint.name,
        place=place,
        unit=unit,
        low=scale * low,
        high=scale * high,
        value=_typed(scale * value),
        range=_range(joint, scale),
    )


def _shown_unit(joint: Joint, slide: float) -> tuple[str, float, float]:
    """Unit, what SI is multiplied by, and how far a free joint goes to each side in SI."""
    return ("deg", 180.0 / np.pi, _FREE) if joint.kind.angular else ("mm", 1e3, slide)


def _ends(joint: Joint, free: float) -> tuple[float, float]:
    """Limits in SI; where there are none, what the slider reaches."""
    low, high = joint.q_min, joint.q_max
    if not np.isfinite(low):
        low = min(-free, high - free) if np.isfinite(high) else -free
    if not np.isfinite(high):
        high = max(free, low + free)
    return float(low), float(high)


def _range(joint: Joint, scale: float) -> str:
    ends = [
        signed(f"{round(scale * end, 3):g}") if np.isfinite(end) else "no limit"
        for end in (joint.q_min, joint.q_max)
    ]
    return "no limits" if ends == ["no limit"] * 2 else " to ".join(ends)


def _typed(value: float) -> str:
    """A number as it is typed, without a negative zero."""
    return f"{round(value, _DECIMALS) + 0.0:.{_DECIMALS}f}".rstrip("0").rstrip(".")


# -------------------------------------------------------------------------- What the script is told


def _document(
    mechanism: Mechanism, scene: Scene, sliders: tuple[Slider, ...], *, given: bool
) -> dict[str, object]:
    """Joints, links and nodes of the scene, in SI and full precision."""
    nodes, guides = link_nodes(scene), guide_nodes(scene)
    low, high = np.zeros(mechanism.dof), np.zeros(mechanism.dof)
    slide = scale_length(mechanism)
    for place, joint in enumerate(mechanism.movable):
        low[place], high[place] = _ends(joint, _shown_unit(joint, slide)[2])
    return {
        "links": [
            {
                "node": nodes[index],
                "parent": link.parent,
                "kind": link.kind.value,
                "variable": link.variable,
                "placement": link.placement[:3].ravel().tolist(),
                "wxyz": scene_model.of_rotation(link.placement[:3, :3]).tolist(),
            }
            for index, link in enumerate(scene.links)
        ],
        "tool": {"link": mechanism.tool_joint, "placement": mechanism.tool[:3].ravel().tolist()},
        "joints": [
            {"place": slider.place, "name": slider.label, "unit": slider.unit} for slider in sliders
        ],
        "low": low.tolist(),
        "high": high.tolist(),
        "postures": {
            "zero": np.clip(0.0, low, high).tolist(),
            "middle": _middle(mechanism).tolist(),
            **({"given": scene.rest.tolist()} if given else {}),
        },
        "first": scene.rest.tolist(),
        "guides": asdict(guides),
    }


def _middle(mechanism: Mechanism) -> Array:
    """Middle of the limits; of a joint without both, zero or the nearest to it."""
    low, high = mechanism.q_min, mechanism.q_max
    both = np.isfinite(low) & np.isfinite(high)
    middle = (np.where(both, low, 0.0) + np.where(both, high, 0.0)) / 2.0
    return np.asarray(np.where(both, middle, np.clip(0.0, low, high)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PoseNumber:
    """One number of the tool's pose. Args: key, safe; label; unit; text; value in that unit."""

    key: str
    label: str
    unit: str
    text: str
    value: float


def _pose(T: Array) -> tuple[PoseNumber, ...]:
    """Position and turns about z, y and x; the script writes the same."""
    turns = np.degrees(angles_zyx(T[:3, :3]).angles)
    rows = [
        *((axis, axis, "mm", 1e3 * value, 3) for axis, value in zip("xyz", T[:3, 3], strict=True)),
        *((f"r{a}", f"r{a}", "deg", value, 4) for a, value in zip("zyx", turns, strict=True)),
        *(
            (f"a{a}", f"tool z · {a}", "", value, 5)
            for a, value in zip("xyz", T[:3, 2], strict=True)
        ),
    ]
    return tuple(
        PoseNumber(
            key=key,
            label=label,
            unit=unit,
            text=signed(f"{value:.{digits}f}"),
            value=float(value),
        )
        for key, label, unit, value, digits in rows
    )


# ------------------------------------------------------------------------------- Summary and tables


def _summary(mechanism: Mechanism, reach: Workspace) -> PageSummary:
    doubts = sum(one.severity is not Severity.NOTE for one in audit(mechanism))
    told = (
        f"{doubts} {'doubt' if doubts == 1 else 'doubts'} about this robot's data"
        if doubts
        else "No doubt about this robot's data"
    )
    return PageSummary(
        title=mechanism.name,
        verdict=f"{told}. The page shows geometry and limits; it checks no motion and no contact.",
        status=ValueStatus.DOUBTFUL if doubts else ValueStatus.PLAIN,
        facts=tuple(_facts(mechanism, reach)),
    )


def _facts(mechanism: Mechanism, reach: Workspace) -> list[Fact]:
    kinds = [joint.kind.value for joint in mechanism.movable]
    counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    facts = [
        Fact(label="joints", value=text(mechanism.dof), detail=counted),
        Fact(
            label="farthest from the base",
            value=number(1e3 * reach.radii[1], 4),
            unit="mm",
            detail="of the tool, within the limits",
        ),
        Fact(
            label="farthest from the first axis",
            value=number(1e3 * reach.axis_radii[1], 4),
            unit="mm",
        ),
    ]
    if reach.dimension:
        what = {3: "reachable volume", 2: "reachable area", 1: "reachable length"}
        facts.append(
            Fact(
                label=what[reach.dimension],
                value=number(reach.measure, 3),
                unit=reach.unit,
                detail=f"±{100.0 * reach.growth:.2g} %, any orientation",
            )
        )
    stated = mechanism.masses_known and mechanism.total_mass > 0.0
    facts.append(
        Fact(label="mass", value=number(mechanism.total_mass, 4), unit="kg")
        if stated
        else Fact(label="mass", value=text("unknown", ValueStatus.DOUBTFUL))
    )
    return facts


def _limits(mechanism: Mechanism) -> Table:
    heads = columns("joint", "kind", "unit", ("min", ""), ("max", ""), ("speed", "per s"),
                    ("acceleration", "per s²"), ("torque, force", "N m, N"))  # fmt: skip
    rows: list[tuple[Value, ...]] = []
    for _, place in sorted(zip(mechanism.numbers, range(mechanism.dof), strict=True)):
        joint = mechanism.movable[place]
        unit, scale, _ = _shown_unit(joint, 0.0)
        rows.append(
            (
                *(text(cell) for cell in (joint.name, joint.kind.value, unit)),
                *(number(scale * end, 6) for end in (joint.q_min, joint.q_max)),
                *(number(scale * most) for most in (joint.max_speed, joint.max_acceleration)),
                number(joint.max_effort),
            )
        )
    return Table(
        key="limits",
        title="Limits",
        columns=heads,
        rows=tuple(rows),
        note="A dash is a limit that the robot's file does not give.",
    )
