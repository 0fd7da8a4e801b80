"""The scene as one page that plays by itself, offline: viser's serialised scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from planner.job.solids import SolidKind
from reports.scene import palette, quaternions
from reports.scene.frames import frames
from reports.scene.labels import label, node_name
from reports.scene.model import RoundBody, Scene
from reports.scene.robot import upright
from reports.scene.shapes import failed_mark, reached_mark
from reports.scene.viser_server import as_the_reader_likes, look, quiet_server, titled
from robots.core.arrays import Array
from robots.core.mechanism import BASE

if TYPE_CHECKING:
    from viser import FrameHandle, ViserServer


_LABELS = 200  # with more of them than that, names hide the scene and cost time
_SHORT = 24  # characters of a name beside a point
_FINE = 2.0**-20  # poses are rounded to this (a micrometre), so that they compress
_LINE = 2.0  # width [px]
_CELL = 0.1  # of the floor's grid [m]
# Lines of the floor, fine and coarse, on a light page, a dark one, and either.
_FLOOR: dict[bool | None, tuple[palette.Rgb, palette.Rgb]] = {
    False: ((205, 210, 216), (160, 168, 178)),
    True: ((34, 37, 41), (62, 67, 74)),
    None: ((120, 125, 132), (120, 125, 132)),
}


def scene_html(scene: Scene, *, dark: bool | None = False) -> str:
    """A page that shows the scene and plays its motion; the same text for the same scene.

    Args:
        scene: what is seen.
        dark: whether the page is dark; None for what the reader's system prefers.

    Raises:
        OutputError: this machine lets nobody listen on 127.0.0.1.
    """
    with quiet_server() as server:
        _set_up(server, scene, _FLOOR[dark])
        _draw_cell(server, scene)
        _draw_points(server, scene)
        handles = _draw_robot(server, scene)
        recording = server.get_scene_serializer()
        _play(recording, scene, handles)
        page: str = recording.as_html(dark_mode=bool(dark))
    page = titled(page, "3D replay")
    return as_the_reader_likes(page) if dark is None else page


def _set_up(server: ViserServer, scene: Scene, lines: tuple[palette.Rgb, palette.Rgb]) -> None:
    """Up, camera, light, floor."""
    look(server, scene)
    low, high = scene.bounds
    middle = (low + high) / 2.0
    size = float(np.ceil(1.5 * (high - low)[:2].max() / _CELL) * _CELL)
    server.scene.add_grid(
        "/floor",
        width=size,
        height=size,
        cell_size=_CELL,
        section_size=10 * _CELL,
        cell_color=lines[0],
        section_color=lines[1],
        cell_thickness=0.6,
        section_thickness=1.0,
        position=(float(middle[0]), float(middle[1]), float(low[2])),
    )


def _draw_cell(server: ViserServer, scene: Scene) -> None:
    for number, solid in enumerate(scene.solids, start=1):
        paint = palette.SOLIDS[solid.kind]
        server.scene.add_mesh_simple(
            f"/cell/{node_name(number, solid.name)}",
            solid.vertices,
            solid.faces,
            color=paint.colour,
            opacity=None if paint.opacity == 1.0 else paint.opacity,
            side="front" if solid.closed else "double",
            cast_shadow=solid.kind is not SolidKind.KEEP_OUT,
        )
    for name, lines, paint in (
        ("probing lines", scene.probing, palette.PROBING),
        ("travel", scene.travel, palette.TRAVEL),
    ):
        if len(lines):
            server.scene.add_line_segments(
                f"/path/{name}", lines, paint.colour, thickness=_LINE, thickness_units="screen"
            )


def _draw_points(server: ViserServer, scene: Scene) -> None:
    points = scene.points
    for name, chosen, mark, paint in (
        ("reached", points.reached, reached_mark(points.size), palette.REACHED),
        ("not reached", ~points.reached, failed_mark(points.size), palette.FAILED),
    ):
        if np.any(chosen):
            server.scene.add_batched_meshes_simple(
                f"/points/{name}",
                mark.vertices,
                mark.faces,
                batched_wxyzs=quaternions.from_z(points.normals[chosen]),
                batched_positions=points.positions[chosen],
                batched_colors=paint.colour,
                flat_shading=True,
                lod="off",
                cast_shadow=False,
            )
    if len(points.names) > _LABELS:
        return
    above = points.positions + 6.0 * points.size * points.normals
    for number, (name, place) in enumerate(zip(points.names, above, strict=True), start=1):
        server.scene.add_label(
            f"/points/names/{number}",
            label(name, _SHORT),
            position=tuple(place),
            anchor="bottom-center",
            font_size_mode="scene",
            font_scene_height=3.0 * points.size,
        )


def _draw_robot(server: ViserServer, scene: Scene) -> dict[int, FrameHandle]:
    """The robot in its first posture. Returns the frames of its links, by index."""
    places = {BASE: "/robot"}
    server.scene.add_frame(places[BASE], show_axes=False)
    for number, body in enumerate(scene.base, start=1):
        _draw_body(server, places[BASE], number, body)
    handles: dict[int, Any] = {}
    for index, (link, shown) in enumerate(zip(scene.links, scene.shown(), strict=True)):
        if not shown:
            continue
        q = scene.first[None]
        places[index] = f"{places[link.parent]}/{node_name(index + 1, link.name)}"
        handles[index] = server.scene.add_frame(
            places[index],
            show_axes=False,
            wxyz=_rounded(link.rotations(q))[0],
            position=_rounded(link.translations(q))[0],
        )
        for number, body in enumerate(link.bodies, start=1):
            _draw_body(server, places[index], number, body)
    return handles


def _draw_body(server: ViserServer, carrier: str, number: int, body: RoundBody) -> None:
    shape, turn = upright(body)
    server.scene.add_mesh_simple(
        f"{carrier}/body {node_name(number, body.name)}",
        shape.vertices,
        shape.faces,
        color=body.paint.colour,
        wxyz=turn,
        position=body.start,
    )


def _play(recording: Any, scene: Scene, handles: dict[int, FrameHandle]) -> None:
    """Record every frame at its time; a node that stands still is left alone."""
    if scene.motion is None:
        return
    film = frames(scene.motion)
    moving = [
        (handle, what, values)
        for index, handle in handles.items()
        for what, values in (
            ("wxyz", _rounded(scene.links[index].rotations(film.q))),
            ("position", _rounded(scene.links[index].translations(film.q))),
        )
        if np.any(values != values[0])
    ]
    for frame in range(1, len(film.t)):
        recording.insert_sleep(float(film.t[frame] - film.t[frame - 1]))
        for handle, what, values in moving:
            if np.any(values[frame] != values[frame - 1]):
                setattr(handle, what, values[frame])


def _rounded(values: Array) -> Array:
    return np.asarray(np.round(values / _FINE) * _FINE)
