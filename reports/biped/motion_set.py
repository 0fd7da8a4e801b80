"""The files of a biped's motion: figures, table, document and page; whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from planner.job.solids import SolidKind
from planner.plan import Segment, SegmentKind
from planner.result_files import write_set
from reports.biped import motion as tables
from reports.biped.motion import ReportedMotion
from reports.biped.stick_figure import StickBar, bar_ends, ground_polygons, stick_figure
from reports.page.curves import (
    HEIGHT,
    WIDTH,
    DrawnSet,
    Shade,
    Shading,
    drawn_set,
    motion,
    time_axis,
)
from reports.page.html import asset
from reports.page.page import PageFigure, PageSummary, motion_page, page_figure
from reports.page.scene import embeds
from reports.scene import model
from reports.scene.model import (
    Paint,
    RoundBody,
    Scene,
    SceneLink,
    SceneMotion,
    ScenePoints,
    axis_frame,
    link,
)
from robots.biped.motion import BipedMotion
from robots.biped.posture.verdict import Stance
from robots.core.arrays import Array
from robots.core.mechanism import BASE, JointKind
from robots.core.pose import angles_zyx

KIND = "biped motion"
_BUCKETS = 400


def write_motion_set(
    shown: ReportedMotion, document: str, folder: Path, *, force: bool = False
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


def _files(shown: ReportedMotion, document: str) -> Iterator[tuple[str, str | bytes]]:
    from reports.biped.figures import draw_figures
    from reports.scene.viser_scene import scene_html

    yield "motion.json", document
    yield "motion.csv", tables.samples_csv(shown)
    figures = draw_figures(shown)
    yield from figures.items()
    replay = scene_html(biped_scene(shown), dark=None)
    if not embeds(replay):
        yield "scene.html", replay
    yield "page.html", biped_page(shown, replay, figures)


def biped_page(
    shown: ReportedMotion, scene_html: str | None, figures: Mapping[str, bytes] | None = None
) -> str:
    """The page; the same bytes for the same motion.

    Args:
        shown: every text in it may be hostile.
        scene_html: the 3D replay as a page of its own; None for none. One too large for a page is
            linked as ``scene.html``.
        figures: content of the figures' files by name; the view from above and the
            chronophotograph become part of the page.
    """
    duration = shown.duration
    sets = tuple(drawn_set(one, duration, 2 * _BUCKETS) for one in tables.curves(shown))
    summary = PageSummary(
        title=shown.motion.title,
        verdict=tables.headline(shown),
        status=tables.status(shown),
        facts=tables.facts(shown),
    )
    return motion_page(
        *("biped.html.j2", "reports.biped", summary, shown.findings, scene_html),
        sets=sets,
        time=time_axis(stance_shading(shown), duration),
        motion=stance_motion(shown, sets),
        style=asset("biped.css", "reports.biped/templates"),
        robot=shown.motion.biped.name,
        remarks=shown.motion.remarks,
        drawings=_drawings(shown, figures or {}),
        joints=tables.joint_table(shown),
        motors=tables.motor_table(shown) if shown.motors else None,
        provenance=tables.provenance_table(shown),
    )


def _drawings(shown: ReportedMotion, figures: Mapping[str, bytes]) -> tuple[PageFigure, ...]:
    verdict = tables.verdict_words(shown)
    wanted = (
        (
            *("balance", "Seen from above"),
            f"Centre of mass and zero-moment point in the support polygon. {verdict}",
        ),
        (
            *("chronophotograph", "Chronophotograph"),
            "The robot at some instants from the right, from above and from the front; numbers are "
            f"in the tables and in motion.csv. {verdict}",
        ),
    )
    return tuple(
        page_figure(key, title, words, figures[f"{key}.svg"])
        for key, title, words in wanted
        if f"{key}.svg" in figures
    )


def stance_shading(shown: ReportedMotion) -> Shading:
    """One colour while it stands, another one afterwards."""
    shades = []
    for stance, start, end in _pieces(shown):
        left, right = (int(np.rint(WIDTH * at / shown.duration)) for at in (start, end))
        path = f"M{left} 0h{right - left}v{HEIGHT}h{left - right}z"
        shades.append(Shade(kind=stance.value, path=path))
    return Shading(shades=tuple(shades), strips=0)


def stance_motion(shown: ReportedMotion, sets: Sequence[DrawnSet]) -> dict[str, object]:
    """What the page's script tells at any instant: values, scenario and stance."""
    pieces = _pieces(shown)
    told = motion(sets, [_segment(shown, *piece) for piece in pieces], shown.duration)
    words: dict[str, object] = {"kinds": [shown.scenario]}
    return {**told, **words} if isinstance(told, dict) else words


def _pieces(shown: ReportedMotion) -> tuple[tuple[Stance, float, float], ...]:
    """Stance, start and end; times from the motion's start. [s]."""
    verdict, end = shown.motion.verdict, shown.duration
    if verdict.stance is Stance.STANDING:
        return ((Stance.STANDING, 0.0, end),)
    change = float(np.clip(np.nan_to_num(verdict.time - shown.motion.t[0]), 0.0, end))
    pieces = ((Stance.STANDING, 0.0, change), (verdict.stance, change, end))
    return tuple(piece for piece in pieces if piece[2] > piece[1])


def _segment(shown: ReportedMotion, stance: Stance, start: float, end: float) -> Segment:
    """The script knows segments of plans; one of a biped has its stance for a law."""
    return Segment(
        kind=SegmentKind.TRAVEL,
        point=shown.motion.biped.name,
        point_index=0,
        law=stance.value,
        start=start,
        duration=end - start,
        binding="",
    )


# ------------------------------------------------------------------------------------------- Scene
# The robot stands on a chain of the scene that moves freely, both points on three slides, the
# ground on two turns. A support polygon that is not stood on at an instant waits a kilometre below,
# where nobody sees it.

_MOST = 3000  # instants
_POLYGONS = 60  # that are drawn
_AWAY = 1000.0  # [m]
_BONE, _SOLE, _POINT, _MARK = 0.022, 0.006, 0.03, 0.018  # radii [m]
_SQUARE = 0.35 * np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])  # [m]
_COM, _ZMP, _POLYGON = model.TRAVEL, model.FAILED, model.REACHED
_GROUND = model.SOLIDS[SolidKind.OBSTACLE]
_EDGE = 0.009  # radius of a ring's bars [m]


def biped_scene(shown: ReportedMotion) -> Scene:
    """The scene of a motion."""
    motion = _thinned(shown.motion)
    bars = stick_figure(motion.biped)
    ends = bar_ends(motion, np.arange(len(motion.t), dtype=np.int64), bars)
    com, t = held(motion.com), motion.t - motion.t[0]
    whole = joined(
        (
            _robot(motion, bars),
            _marker("centre of mass", com, _COM),
            _marker("zero-moment point", held(motion.zmp), _ZMP),
            _ground(motion),
        )
    )
    return Scene(
        title=motion.title,
        base=(),
        links=whole.links,
        rest=whole.q[0],
        solids=(),
        points=_points(shown.motion, ends),
        probing=np.zeros((0, 2, 3)),
        travel=np.stack([com[:-1], com[1:]], axis=1),
        motion=SceneMotion(t=t, q=whole.q, borders=t[[0, -1]], deviation=0.0, turn=0.0),
        bounds=_bounds(ends, com),
        notes=(),
    )


def _thinned(motion: BipedMotion) -> BipedMotion:
    """The motion with no more samples than are worth showing."""
    if len(motion.t) <= _MOST:
        return motion
    keep = np.unique(np.linspace(0, len(motion.t) - 1, _MOST).round().astype(np.int64))
    names = ("t", "q", "qd", "qdd", "tau", "T_world_base", "com", "zmp", "margin", "ground")
    return replace(
        motion,
        support=tuple(motion.support[k] for k in keep.tolist()),
        curves={},
        **{name: getattr(motion, name)[keep] for name in names},
    )


def _robot(motion: BipedMotion, bars: tuple[StickBar, ...]) -> SceneChain:
    """A free base, and the mechanism on it."""
    T = motion.T_world_base
    first = T[0, :3, :3]
    turns = np.unwrap(angles_zyx(T[:, :3, :3] @ first.T).angles, axis=0)
    carried: dict[int, list[RoundBody]] = {}
    for number, bar in enumerate(bars):
        carried.setdefault(bar.joint, []).append(_body(bar, number))
    links = list(free("base", first, tuple(carried.get(BASE, ()))))
    base, variable = len(links) - 1, 6
    for index, joint in enumerate(motion.biped.mechanism.joints):
        moved = (joint.kind, variable if joint.movable else -1)
        bodies = tuple(carried.get(index, ()))
        links.append(link(joint.name, base + 1 + joint.parent, moved, joint.placement, bodies))
        variable += joint.movable
    return SceneChain(links=tuple(links), q=np.concatenate([T[:, :3, 3], turns, motion.q], axis=1))


def _marker(name: str, places: Array, paint: model.Paint) -> SceneChain:
    ball = RoundBody(name=name, start=np.zeros(3), end=np.zeros(3), radius=_POINT, paint=paint)
    return SceneChain(links=tuple(slides(name, (ball,))), q=places)


def _ground(motion: BipedMotion) -> SceneChain:
    """Roll and pitch, a frame where the ground tilts, and its polygons on slides."""
    found = ground_polygons(motion)
    drawn = found.polygons if len(found.polygons) <= _POLYGONS else ()
    roll, pitch = axis_frame(0), axis_frame(1)
    start = roll.copy()
    start[:3, 3] = found.point
    frame = ring("ground", _SQUARE, _GROUND) if np.any(motion.ground) else ()
    links = [
        link("ground roll", BASE, (JointKind.REVOLUTE, 0), start),
        link("ground pitch", 0, (JointKind.REVOLUTE, 1), roll.T @ pitch),
        link("ground", 1, (JointKind.FIXED, -1), pitch.T, frame),
    ]
    for number, one in enumerate(drawn, start=1):
        moved = (JointKind.PRISMATIC, number + 1)
        bodies = ring("polygon", one, _POLYGON)
        links.append(link(f"polygon {number}", 2, moved, np.eye(4), bodies))
    away = np.where(found.index[:, None] == np.arange(len(drawn)), 0.0, -_AWAY)
    return SceneChain(links=tuple(links), q=np.concatenate([motion.ground, away], axis=1))


def _body(bar: StickBar, number: int) -> RoundBody:
    return RoundBody(
        name=f"{bar.name} {number + 1}",
        start=bar.start,
        end=bar.end,
        radius=_SOLE if bar.sole else _BONE,
        paint=model.BASE_COLOUR if bar.sole else model.LINKS[bar.joint % len(model.LINKS)],
    )


def _points(motion: BipedMotion, ends: Array) -> ScenePoints:
    """Where the front is; and where the robot tips, if it does."""
    ahead, low = float(ends[..., 0].max()) + 0.15, float(ends[0, ..., 2].min())
    names, places = ["front"], [np.array([ahead, 0.0, low])]
    verdict = motion.verdict
    if np.isfinite(verdict.time) and verdict.edge:
        names.append(f"{verdict.edge} at {verdict.time:.2f} s")
        places.append(held(motion.zmp)[int(np.abs(motion.t - verdict.time).argmin())])
    return ScenePoints(
        names=tuple(names),
        positions=np.array(places),
        normals=np.tile([0.0, 0.0, 1.0], (len(names), 1)),
        reached=np.arange(len(names)) == 0,
        size=_MARK,
    )


def _bounds(ends: Array, com: Array) -> Array:
    places = np.concatenate([ends.reshape(-1, 3), com])
    margin = np.array([0.15, 0.15, 0.0])
    return np.stack([places.min(axis=0) - margin, places.max(axis=0) + margin])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneChain:
    """Links that hang together, with the values of their joints.

    Args:
        links: numbered from zero, their variables too.
        q: # (k, variables) [rad or m]
    """

    links: tuple[SceneLink, ...]
    q: Array


def joined(parts: tuple[SceneChain, ...]) -> SceneChain:
    """All links in one tree, all variables in one row."""
    links: list[SceneLink] = []
    variables = 0
    for part in parts:
        first = len(links)
        links += [
            replace(
                link,
                parent=BASE if link.parent == BASE else first + link.parent,
                variable=link.variable + variables if link.variable >= 0 else -1,
            )
            for link in part.links
        ]
        variables += part.q.shape[1]
    return SceneChain(links=tuple(links), q=np.concatenate([part.q for part in parts], axis=1))


def slides(name: str, bodies: tuple[RoundBody, ...] = ()) -> Iterator[SceneLink]:
    """Along x, y and z, variables 0 to 2; the last frame has the world's axes."""
    before = np.eye(4)
    for axis in range(3):
        frame = axis_frame(axis)
        carried = bodies if axis == 2 else ()
        parent = BASE if axis == 0 else axis - 1
        moved = (JointKind.PRISMATIC, axis)
        yield link(f"{name} {'xyz'[axis]}", parent, moved, before.T @ frame, carried)
        before = frame


def free(name: str, first: Array, bodies: tuple[RoundBody, ...]) -> Iterator[SceneLink]:
    """Three slides, turns about z, y and x, and a last link that carries the bodies.

    Args:
        name: of the links.
        first: rotation of the last link where all turns are zero. # (3, 3)
        bodies: in the frame of the last link.
    """
    yield from slides(name)
    before = axis_frame(2)
    for number, axis in enumerate((2, 1, 0), start=3):
        frame = axis_frame(axis)
        moved = (JointKind.REVOLUTE, number)
        yield link(f"{name} about {'xyz'[axis]}", number - 1, moved, before.T @ frame)
        before = frame
    placement = np.eye(4)
    placement[:3, :3] = before[:3, :3].T @ first
    yield link(name, 5, (JointKind.FIXED, -1), placement, bodies)


def ring(name: str, corners: Array, paint: Paint) -> tuple[RoundBody, ...]:
    """Bars round a polygon in the plane z = 0 of a link. # (m, 2) [m]."""
    places = np.column_stack([corners, np.zeros(len(corners))])
    pairs = zip(places, np.roll(places, -1, axis=0), strict=True)
    return tuple(
        RoundBody(name=f"{name} {number}", start=start, end=end, radius=_EDGE, paint=paint)
        for number, (start, end) in enumerate(pairs, start=1)
    )


def held(places: Array) -> Array:
    """Places with gaps filled by the last one before, or the first one after. # (k, 3) [m]."""
    told = np.isfinite(places).all(axis=1)
    if told.all() or not told.any():
        return np.nan_to_num(places)
    rows = np.maximum.accumulate(np.where(told, np.arange(len(places)), int(told.argmax())))
    return np.asarray(places[rows])
