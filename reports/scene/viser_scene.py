"""The scene as one page that plays by itself, offline: viser's serialised scene."""

from __future__ import annotations

import io
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.errors import OutputError
from planner.job.solids import SolidKind
from reports.page.html import asset, data_block
from reports.scene import model
from reports.scene.bodies import failed_mark, placed_shape, reached_mark
from reports.scene.model import Body, MeshBody, Scene, SceneMotion
from reports.scene.solids import decimated
from reports.visible_text import label, node_name
from robots.core.arrays import Array
from robots.core.mechanism import BASE

if TYPE_CHECKING:
    from viser import FrameHandle, ViserServer

_LABELS = 200  # with more of them than that, names hide the scene and cost time
_SHORT = 24  # characters of a name beside a point
_FINE = 2.0**-20  # poses are rounded to this (a micrometre), so that they compress
_LINE = 2.0  # width [px]
# Neighbours often meet in one and the same ball: drawn alike, their skins would flicker.
_SWELL = (1.0, 1.01)  # of the radii of every other link: more than their facets cut off
_ASSETS = "reports.scene/assets"
_CELL = 0.1  # of the floor's grid [m]
# Lines of the floor, fine and coarse, on a light page, a dark one, and either.
_FLOOR: dict[bool | None, tuple[model.Rgb, model.Rgb]] = {
    False: ((205, 210, 216), (160, 168, 178)),
    True: ((34, 37, 41), (62, 67, 74)),
    None: ((120, 125, 132), (120, 125, 132)),
}
RATE = 60.0  # frames per second, at most
MOST = 6_000
_RATE_STEP = 0.05
FIELD_OF_VIEW = np.radians(40.0)  # vertical
_ASPECT = 0.95  # width over height of the narrowest window that must show everything
_MARGIN = 1.06
# Ways to look, the best liked first: elevation, then the turn from the direction of the work.
_WAYS = np.radians(
    [(24, -55), (24, 55), (40, -55), (40, 55), (24, -110), (24, 110), (40, -110), (40, 110),
     (60, -55), (60, 55)]
)  # fmt: skip
_TARGETS = 24  # points that are looked for
_TRIANGLES = 400  # of each solid, when it is asked what it hides
_UP = np.array([0.0, 0.0, 1.0])
_STYLE = (
    "#credits{position:fixed;right:.4rem;bottom:.2rem;z-index:9;max-width:46rem;"
    "font:11px/1.4 sans-serif;color:#777}#credits[open]{background:#fff;color:#222;"
    "border:1px solid #aaa;padding:.4rem}#credits pre{max-height:70vh;overflow:auto;"
    "white-space:pre-wrap}#credits summary{cursor:pointer;text-align:right}"
)


def scene_html(scene: Scene, *, dark: bool | None = False) -> str:
    """A page that shows the scene and plays its motion; the same text for the same scene.

    Args:
        scene: what is seen.
        dark: whether the page is dark; None for what the reader's system prefers.

    Raises:
        OutputError: this machine refuses to listen on 127.0.0.1.
    """
    # Nobody listens: without atomic(), each of 30,000 messages of a long motion wakes the server.
    with quiet_server() as server, server.atomic():
        _set_up(server, scene, _FLOOR[dark])
        _draw_cell(server, scene)
        _draw_points(server, scene)
        handles = _draw_robot(server, scene)
        _draw_guides(server, scene)
        recording = server.get_scene_serializer()
        _play(recording, scene, handles)
        page: str = recording.as_html(dark_mode=bool(dark))
    page = titled(page, "3D replay")
    if scene.guides is None:
        page = with_shapes_box(page, shape_nodes(scene))
    return as_the_reader_likes(page) if dark is None else page


def _set_up(server: ViserServer, scene: Scene, lines: tuple[model.Rgb, model.Rgb]) -> None:
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
        paint = model.SOLIDS[solid.kind]
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
        ("probing lines", scene.probing, model.PROBING),
        ("travel", scene.travel, model.TRAVEL),
    ):
        if len(lines):
            server.scene.add_line_segments(
                f"/path/{name}", lines, paint.colour, thickness=_LINE, thickness_units="screen"
            )


def _draw_points(server: ViserServer, scene: Scene) -> None:
    points = scene.points
    for name, chosen, mark, paint in (
        ("reached", points.reached, reached_mark(points.size), model.REACHED),
        ("not reached", ~points.reached, failed_mark(points.size), model.FAILED),
    ):
        if np.any(chosen):
            server.scene.add_batched_meshes_simple(
                f"/points/{name}",
                mark.vertices,
                mark.faces,
                batched_wxyzs=model.from_z(points.normals[chosen]),
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
    places = link_nodes(scene)
    server.scene.add_frame(places[BASE], show_axes=False)
    _draw_bodies(server, places[BASE], scene.base, scene.base_shapes)
    handles: dict[int, Any] = {}
    for index, (link, shown) in enumerate(zip(scene.links, scene.shown(), strict=True)):
        if not shown:
            continue
        q = scene.first[None]
        handles[index] = server.scene.add_frame(
            places[index],
            show_axes=False,
            wxyz=_rounded(link.rotations(q))[0],
            position=_rounded(link.translations(q))[0],
        )
        _draw_bodies(server, places[index], link.bodies, link.shapes)
    return handles


def link_nodes(scene: Scene) -> dict[int, str]:
    """Names of the nodes that move with the links, by index; the base is ``BASE``."""
    places = {BASE: "/robot"}
    for index, link in enumerate(scene.links):
        places[index] = f"{places[link.parent]}/{node_name(index + 1, link.name)}"
    return places


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideNodes:
    """Names of the nodes that a page shows or hides. Args: by kind, one for each joint or one."""

    axes: tuple[str, ...]
    frames: tuple[str, ...]
    reach: tuple[str, ...]
    shapes: tuple[str, ...]


def guide_nodes(scene: Scene) -> GuideNodes:
    """Nodes of the guides of a scene; none where it has none."""
    if scene.guides is None:
        return GuideNodes(axes=(), frames=(), reach=(), shapes=())
    places = link_nodes(scene)
    moving = [index for index, link in enumerate(scene.links) if link.variable >= 0]
    return GuideNodes(
        axes=tuple(f"{places[index]}/axis" for index in moving),
        frames=(
            f"{places[BASE]}/frame",
            *(f"{places[index]}/frame" for index in moving),
            f"{places[scene.guides.tool_link]}/tool",
        ),
        reach=("/reach",) if len(scene.guides.reach) else (),
        shapes=shape_nodes(scene),
    )


def _draw_guides(server: ViserServer, scene: Scene) -> None:
    """Axes, frames and reach, for a page that shows and hides them."""
    guides, nodes = scene.guides, guide_nodes(scene)
    if guides is None:
        return
    along = np.array([[[0.0, 0.0, -2.0 * guides.size], [0.0, 0.0, 2.0 * guides.size]]])
    moving = [link for link in scene.links if link.variable >= 0]
    for name, link in zip(nodes.axes, moving, strict=True):
        server.scene.add_line_segments(
            name, along, model.AXIS.colour, thickness=1.5 * _LINE, thickness_units="screen"
        )
        server.scene.add_label(
            f"{name}/name",
            guides.names[link.variable],
            position=(0.0, 0.0, 2.0 * guides.size),
            anchor="bottom-center",
            font_size_mode="screen",
        )
    poses = [np.eye(4)] * (len(nodes.frames) - 1) + [guides.tool]
    for name, pose in zip(nodes.frames, poses, strict=True):
        server.scene.add_frame(
            name,
            axes_length=guides.size,
            axes_radius=0.03 * guides.size,
            origin_radius=0.06 * guides.size,
            wxyz=model.of_rotation(pose[:3, :3]),
            position=pose[:3, 3],
        )
    for name in nodes.reach:
        server.scene.add_point_cloud(
            name,
            guides.reach,
            model.REACH.colour,
            point_size=guides.reach_size,
            point_shape="circle",
            point_shading="flat",
            precision="float32",
        )


def _draw_bodies(
    server: ViserServer, carrier: str, bodies: Sequence[Body], shapes: Sequence[Body]
) -> None:
    """The bodies of a link, and the shapes that stand for them, hidden."""
    swell = _SWELL[carrier.count("/") % 2]
    for name, body in (*_nodes(carrier, "body", bodies), *_nodes(carrier, "shape", shapes)):
        placed = placed_shape(body, swell)
        server.scene.add_mesh_simple(
            name,
            placed.shape.vertices,
            placed.shape.faces,
            color=body.paint.colour,
            opacity=None if body.paint.opacity == 1.0 else body.paint.opacity,
            # meshes of robots are often open, or turned inside out here and there
            side="double" if isinstance(body, MeshBody) else "front",
            wxyz=placed.wxyz,
            position=placed.position,
            visible=body in bodies,
        )


def _nodes(carrier: str, what: str, bodies: Sequence[Body]) -> list[tuple[str, Body]]:
    """Bodies of a link with the names of their nodes."""
    return [
        (f"{carrier}/{what} {node_name(number, body.name)}", body)
        for number, body in enumerate(bodies, start=1)
    ]


def shape_nodes(scene: Scene) -> tuple[str, ...]:
    """Names of the nodes of shapes, which are hidden until a reader asks for them."""
    places = link_nodes(scene)
    carried = [(places[BASE], scene.base_shapes)]
    carried += [(places[index], link.shapes) for index, link in enumerate(scene.links)]
    return tuple(name for place, shapes in carried for name, _ in _nodes(place, "shape", shapes))


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlayerFrames:
    """Postures and when they are shown.

    Args:
        t: rising, from 0 to the end of the motion. # (k,) [s]
        q: # (k, n) [rad or m]
        rate: of frames between the borders of segments; a longer motion has a lower one. [1/s]
        whole: whether every border of a segment, so every contact, has its frame.
    """

    t: Array
    q: Array
    rate: float
    whole: bool


def frames(motion: SceneMotion, most: int = MOST) -> PlayerFrames:
    """Frames of a motion: one at every border of a segment, others evenly between.

    Args:
        motion: of the scene.
        most: frames.
    """
    borders = motion.borders
    whole = len(borders) <= most
    if not whole:
        borders = borders[np.unique(np.linspace(0, len(borders) - 1, most).astype(np.int64))]
    rate = _rate(borders, most)
    t = _instants(borders, rate)
    return PlayerFrames(t=t, q=motion.at(t), rate=rate, whole=whole)


def _rate(borders: Array, most: int) -> float:
    """The highest rate, up to ``RATE``, that keeps to so many frames."""
    if len(_instants(borders, RATE)) <= most:
        return RATE
    low, high = 0.0, RATE
    while high - low > _RATE_STEP:
        middle = (low + high) / 2.0
        low, high = (middle, high) if len(_instants(borders, middle)) <= most else (low, middle)
    return low


def _instants(borders: Array, rate: float) -> Array:
    """Borders, and between each two as many instants as the rate asks for."""
    counts = np.maximum(np.ceil(np.diff(borders) * rate - 1e-9).astype(np.int64), 1)
    first = np.repeat(borders[:-1], counts)
    step = np.repeat(np.diff(borders) / counts, counts)
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.append(first + place * step, borders[-1])


# ------------------------------------------------------------------------------------ Viser server
# viser records what its server would send to a browser. The server stands on this machine alone, on
# a port that the system picks, for the moment that takes; nobody connects to it.

_HOST = "127.0.0.1"
_PREFERENCE = (
    "{darkMode:false}",
    '{darkMode:matchMedia("(prefers-color-scheme: dark)").matches}',
)
_VISERS_TITLE = "<title>Viser</title>"
# viser's client readies a sorter of Gaussian splats, which we have none of, by evaluating text.
# Where the page's policy forbids that, nothing is missing; the complaint of it is not passed on.
_OURS = """<title>%s</title><script>addEventListener("unhandledrejection",(e)=>{
if(e.reason instanceof EvalError)e.preventDefault();});</script>"""


@contextmanager
def quiet_server() -> Iterator[ViserServer]:
    """A server that says nothing and is stopped in any case.

    Raises:
        OutputError: this machine refuses to listen on 127.0.0.1.
    """
    import viser

    _check_host()
    with redirect_stdout(io.StringIO()):  # viser greets, whatever it is told
        server = viser.ViserServer(host=_HOST, port=0, verbose=False)
        try:
            yield server
        finally:
            server.stop()


def look(server: ViserServer, scene: Scene) -> None:
    """Up, and where the camera begins."""
    view = first_view(scene)
    server.scene.set_up_direction("+z")
    server.initial_camera.position = view.position
    server.initial_camera.look_at = view.look_at
    server.initial_camera.fov = float(FIELD_OF_VIEW)


def titled(page: str, title: str) -> str:
    """Viser's page under a title of ours, with its credits, without its complaint of a policy.

    Args:
        page: as viser serialises it.
        title: markup of ours, nothing from an input.
    """
    return credited(page.replace(_VISERS_TITLE, _OURS % title, 1))


def with_shapes_box(page: str, shapes: Sequence[str]) -> str:
    """A page of viser's with a box that shows the shapes of links; the same one where none has any.

    Args:
        page: with a body.
        shapes: names of their nodes.
    """
    if not shapes:
        return page
    head, end, tail = page.rpartition("</body>")
    box = (
        f"<style>{asset('shapes.css', _ASSETS)}</style>"
        '<label id="shapes"><input type="checkbox"> shapes that are checked</label>'
        f'<script type="application/json" id="shape-nodes">{data_block(shapes)}</script>'
        f"<script>{asset('viewer.js', _ASSETS)}{asset('shapes.js', _ASSETS)}</script>"
    )
    return f"{head}{box}{end}{tail}"


def as_the_reader_likes(page: str) -> str:
    """A light page that is dark where the reader's system asks for it."""
    return page.replace(*_PREFERENCE, 1)


def _check_host() -> None:
    """Without a loopback viser would wait for ever."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.bind((_HOST, 0))
    except OSError as error:
        raise OutputError(
            f"The 3D scene cannot be made: this machine refuses to listen on {_HOST}: "
            f"{error.strerror}.",
            host=_HOST,
        ) from error


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Camera:
    """A view. # (3,) [m] each, base frame."""

    position: Array
    look_at: Array


def first_view(scene: Scene) -> Camera:
    """The camera that sees all of a scene, at any time of it."""
    views = [_view(scene, direction) for direction in _directions(scene)]
    triangles = _triangles(scene)
    # A way that is less liked must show one point more.
    cost = [place + _hidden(scene, view, triangles) for place, view in enumerate(views)]
    return views[int(np.argmin(cost))]


def _directions(scene: Scene) -> list[Array]:
    """From the cell to the camera: from beyond the work, turned aside, so that no link hides it."""
    positions = scene.points.positions
    work = positions.mean(axis=0)[:2] if len(positions) else np.zeros(2)
    heading = float(np.arctan2(work[1], work[0])) if np.any(work) else 0.0
    return [
        np.array([np.cos(turn) * np.cos(rise), np.sin(turn) * np.cos(rise), np.sin(rise)])
        for rise, turn in _WAYS + np.array([0.0, heading])
    ]


def _view(scene: Scene, out: Array) -> Camera:
    """The nearest camera in a direction whose pyramid of sight holds every corner of the cell."""
    middle = scene.bounds.mean(axis=0)
    corners = np.stack(np.meshgrid(*scene.bounds.T), axis=-1).reshape(-1, 3) - middle
    right = np.cross(_UP, out)
    right /= np.linalg.norm(right)
    half = np.tan(FIELD_OF_VIEW / 2.0)
    needs = [
        np.abs(corners @ np.cross(out, right)) / half + corners @ out,
        np.abs(corners @ right) / (half * _ASPECT) + corners @ out,
    ]
    distance = _MARGIN * max(float(np.max(needs)), 1e-3)
    return Camera(position=middle + distance * out, look_at=middle)


def _triangles(scene: Scene) -> Array:
    """Corners of what may hide a point. # (f, 3, 3) [m]."""
    coarse = [decimated(s.vertices, s.faces, _TRIANGLES) for s in scene.solids]
    return np.concatenate([np.zeros((0, 3, 3)), *(m.vertices[m.faces] for m in coarse)])


def _hidden(scene: Scene, view: Camera, triangles: Array) -> int:
    """How many of the points' stems have a solid before their end."""
    points = scene.points
    if not points.names:
        return 0
    chosen = np.unique(np.linspace(0, len(points.names) - 1, _TARGETS).astype(np.int64))
    tops = points.positions[chosen] + 4.0 * points.size * points.normals[chosen]
    return sum(_blocked(view.position, top, triangles) for top in tops)


def _blocked(start: Array, end: Array, triangles: Array) -> bool:
    """Return whether a line of sight meets a triangle: signed volumes on either side of it."""
    a, b, c = (triangles[:, corner] - start for corner in range(3))
    ray = end - start
    sides = np.stack([np.cross(p, r) @ ray for p, r in ((a, b), (b, c), (c, a))])
    through = (sides > 0.0).all(axis=0) | (sides < 0.0).all(axis=0)
    normals = np.cross(b - a, c - a)
    slope = normals @ ray
    share = np.sum(normals * a, axis=1) / np.where(slope != 0.0, slope, np.inf)
    return bool(np.any(through & (share > 0.0) & (share < 1.0)))


def notices() -> str:
    """The notices, as they stand in ``NOTICE``, too."""
    return files("reports.scene").joinpath("notices.txt").read_text(encoding="utf-8")


def credited(page: str) -> str:
    """A page of viser's with its credits in a corner, folded.

    Args:
        page: with a body.

    Raises:
        ValueError: it has none, so that nobody would see them.
    """
    head, end, tail = page.rpartition("</body>")
    if not end:
        raise ValueError("the page of the 3D view has no body to hold its credits")
    # addresses stay text: no page of ours holds anything that looks like a link to elsewhere
    text = escape(notices(), quote=False).replace("://", "&#58;//")
    folded = (
        f'<style>{_STYLE}</style><details id="credits"><summary>3D view: viser, three.js and '
        f"others</summary><pre>{text}</pre></details>"
    )
    return f"{head}{folded}{end}{tail}"
