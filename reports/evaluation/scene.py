"""The part with its measured points in the colours of their deviations, as one offline page.

The page is viser's serialised scene, as ``reports.scene.viser_scene`` makes it for a robot; here
nothing moves, but points have colours of their own, deviations are drawn as magnified whiskers, and
uncertainties as magnified ellipsoids.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from planner.job import Job
from planner.job.solids import Cell, SolidKind
from reports.evaluation.colours import deviation_scale
from reports.evaluation.subject import EvaluationSubject, UncertaintySubject, magnification
from reports.scene import model
from reports.scene.bodies import failed_mark, reached_mark
from reports.scene.model import Scene, ScenePoints, SceneSolid
from reports.scene.solids import scene_solids
from reports.scene.viser_scene import as_the_reader_likes, look, quiet_server, titled
from reports.visible_text import label
from robots.core.arrays import Array, Mask
from robots.core.pose import transform_directions, transform_points

if TYPE_CHECKING:
    from viser import ViserServer

_LABELS = 12  # names that do not hide the scene: of the points that are farthest off
_MARKED = 4000  # points with a mark of their own; more become a cloud
_SHORT = 20  # characters of a name
_WHISKER, _ELLIPSOID, _MARK = 0.06, 0.045, 0.01  # of the scene's diagonal
_METAL = (112, 117, 125)
_DOUBT = (86, 180, 233)
_LIT = 0.78  # bright light falls on everything in a scene
_DARK = 70  # grey of points without a deviation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnScene:
    """A scene as a page, and what a reader must know of its scale.

    Args:
        html: a page of its own; the same text for the same content.
        notes: one sentence each.
    """

    html: str
    notes: tuple[str, ...]


def evaluation_scene(shown: EvaluationSubject) -> DrawnScene:
    """The scene of an evaluation."""
    return _drawn(shown.job, evaluated_points(shown))


def uncertainty_scene(shown: UncertaintySubject) -> DrawnScene:
    """The scene of an uncertainty: ellipsoids on the points."""
    return _drawn(shown.job, doubtful_points(shown))


def _drawn(job: Job, points: ColouredPoints) -> DrawnScene:
    part = scene_solids(Cell(solids=tuple(s for s in job.cell.solids if s.kind is SolidKind.PART)))
    scene = _scene(job, points, part.solids)
    diagonal = float(np.linalg.norm(scene.bounds[1] - scene.bounds[0]))
    notes = list(part.notes)
    with quiet_server() as server:
        look(server, scene)
        _draw_solids(server, scene)
        _draw_points(server, points, _MARK * diagonal)
        notes += _draw_whiskers(server, points, _WHISKER * diagonal)
        notes += _draw_ellipsoids(server, points, _ELLIPSOID * diagonal)
        page: str = server.get_scene_serializer().as_html(dark_mode=False)
    page = as_the_reader_likes(titled(page, "Deviations in 3D"))
    return DrawnScene(html=page, notes=tuple(notes))


def _scene(job: Job, points: ColouredPoints, solids: tuple[SceneSolid, ...]) -> Scene:
    """The same as a scene without robot, which knows where to look from."""
    corners = np.concatenate([points.places, *(solid.vertices for solid in solids)])
    size = max(0.05 * float(np.linalg.norm(np.ptp(corners, axis=0))), 1e-3)
    nothing = np.zeros((0, 2, 3))
    return Scene(
        title=job.name,
        base=(),
        links=(),
        rest=np.zeros(0),
        solids=solids,
        points=ScenePoints(
            names=points.names,
            positions=points.places,
            normals=points.normals,
            reached=~points.crossed,
            size=0.2 * size,
        ),
        probing=nothing,
        travel=nothing,
        motion=None,
        bounds=np.stack([corners.min(axis=0) - size, corners.max(axis=0) + size]),
        notes=(),
    )


def _draw_solids(server: ViserServer, scene: Scene) -> None:
    for number, solid in enumerate(scene.solids, start=1):
        server.scene.add_mesh_simple(
            f"/part/{number}",
            solid.vertices,
            solid.faces,
            color=_METAL,
            side="front" if solid.closed else "double",
        )


def _draw_points(server: ViserServer, points: ColouredPoints, size: float) -> None:
    if len(points.names) > _MARKED:
        server.scene.add_point_cloud(
            "/points/all",
            points.places,
            points.colours,
            point_size=size,
            point_shape="circle",
            precision="float32",
        )
        return
    for name, chosen, mark in (
        ("within", ~points.crossed, reached_mark(size)),
        ("outside", points.crossed, failed_mark(size)),
    ):
        if np.any(chosen):
            server.scene.add_batched_meshes_simple(
                f"/points/{name}",
                mark.vertices,
                mark.faces,
                batched_wxyzs=model.from_z(points.normals[chosen]),
                batched_positions=points.places[chosen],
                batched_colors=points.colours[chosen],
                flat_shading=True,
                lod="off",
                cast_shadow=False,
            )
    above = points.places + 7.0 * size * points.normals
    for number in np.argsort(-np.abs(points.whiskers), kind="stable")[:_LABELS].tolist():
        server.scene.add_label(
            f"/names/{number + 1}",
            label(points.names[number], _SHORT),
            position=tuple(above[number]),
            anchor="bottom-center",
            font_size_mode="scene",
            font_scene_height=2.2 * size,
        )


def _draw_whiskers(server: ViserServer, points: ColouredPoints, longest: float) -> list[str]:
    """Deviations as magnified lines along the normals. Returns what a reader must know."""
    largest = float(np.abs(points.whiskers).max(initial=0.0))
    if largest == 0.0:
        return []
    factor = magnification(largest, longest)
    tips = points.places + factor * points.whiskers[:, None] * points.normals
    server.scene.add_line_segments(
        "/whiskers",
        np.stack([points.places, tips], axis=1),
        np.repeat(points.colours[:, None], 2, axis=1),
        thickness=4.0,
        thickness_units="screen",
    )
    return [f"Lines from the points: deviations, drawn {factor:g} times as long as they are."]


def _draw_ellipsoids(server: ViserServer, points: ColouredPoints, longest: float) -> list[str]:
    """One standard deviation around each point, magnified. Returns what a reader must know."""
    import trimesh

    if not 0 < len(points.centres) <= _MARKED:
        return []
    values, vectors = np.linalg.eigh(points.covariances)
    halves = np.sqrt(np.maximum(values, 0.0))
    factor = magnification(float(halves.max()), longest)
    vectors[:, :, 0] *= np.sign(np.linalg.det(vectors))[:, None]
    ball = trimesh.creation.icosphere(subdivisions=2, radius=1.0)
    server.scene.add_batched_meshes_simple(
        "/ellipsoids",
        np.asarray(ball.vertices),
        np.asarray(ball.faces),
        batched_wxyzs=np.array([model.of_rotation(R) for R in vectors]),
        batched_positions=points.centres,
        batched_scales=np.maximum(factor * halves, 1e-6 * longest),
        batched_colors=_DOUBT,
        opacity=0.35,
        lod="off",
        cast_shadow=False,
    )
    return [
        "Pale blue: ellipsoids of one standard deviation, drawn "
        f"{factor:g} times as large as they are."
    ]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColouredPoints:
    """Points as they are drawn, base frame.

    Args:
        names: untrusted.
        places: # (n, 3) [m]
        normals: # (n, 3) unit
        colours: # (n, 3) sRGB
        crossed: which are drawn as crosses. # (n,)
        whiskers: deviations along the normals; zero for none. # (n,) [m]
        covariances: of some of them; empty where none is known. # (k, 3, 3) [m²]
        centres: of these. # (k, 3) [m]
    """

    names: tuple[str, ...]
    places: Array
    normals: Array
    colours: NDArray[np.uint8]
    crossed: Mask
    whiskers: Array
    covariances: Array
    centres: Array


def evaluated_points(shown: EvaluationSubject) -> ColouredPoints:
    """The points of an evaluation, with ellipsoids where the uncertainty is known."""
    points, T = shown.evaluation.points, shown.job.part.T_base_part
    covariances, centres = np.zeros((0, 3, 3)), np.zeros((0, 3))
    if shown.uncertainty is not None:
        covariances = _covariances(shown.uncertainty)
        centres = shown.uncertainty.measuring.at_home
    return ColouredPoints(
        names=points.names,
        places=transform_points(T, points.nominal),
        normals=transform_directions(T, points.normals),
        colours=(_LIT * deviation_scale(shown).colours(points.profile)).astype(np.uint8),
        crossed=shown.outside,
        whiskers=points.profile,
        covariances=covariances,
        centres=centres,
    )


def doubtful_points(shown: UncertaintySubject) -> ColouredPoints:
    """The points of an uncertainty: no deviations, ellipsoids only."""
    count = len(shown.points)
    return ColouredPoints(
        names=shown.measuring.names,
        places=shown.measuring.at_home,
        normals=shown.measuring.turned_home(shown.measuring.normals),
        colours=np.full((count, 3), _DARK, dtype=np.uint8),
        crossed=np.zeros(count, dtype=np.bool_),
        whiskers=np.zeros(count),
        covariances=_covariances(shown),
        centres=shown.measuring.at_home,
    )


def _covariances(shown: UncertaintySubject) -> Array:
    """Of the points where the job gives the part. # (k, 3, 3) [m²]."""
    turns = shown.measuring.turns
    given = np.reshape([point.covariance for point in shown.points], (-1, 3, 3))
    return np.asarray(np.swapaxes(turns, 1, 2) @ given @ turns)
