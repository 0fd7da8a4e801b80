"""Random valid jobs: most of them feasible, since points are made from postures of the robot.

``random_job(seed)`` gives the files of one job, the same for the same seed. Everything that a job
file may say is drawn: robot, friction, limits, stylus, part, touch, order, laws, checks; and
what is awkward on purpose: symmetry planes, points 1 µm apart, points repeated, one point alone,
short and long approaches, joints at rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from robots.core.model import Model
from robots.core.pose import make_pose, rotation_zyx
from robots.core.robot_file.source_text import toml_text
from tests.planner.soak.random_robots import Robot, robot

JOB = "job.toml"
_SPEEDS = {"rad": (0.3, 3.0), "m": (0.05, 0.8)}
_ACCELERATIONS = {"rad": (1.0, 30.0), "m": (0.2, 5.0)}
_JERKS = {"rad": (10.0, 3000.0), "m": (1.0, 100.0)}
_FREE = {"rad": np.pi, "m": 0.6}  # range of postures of a joint without limits
_LAWS = ("linear", "cubic", "quintic", "bang-bang", "trapezoid")


@dataclass(frozen=True)
class RandomJob:
    """A job as files.

    Args:
        seed: that it was drawn from.
        files: by name; ``JOB`` is the job file.
    """

    seed: int
    files: Mapping[str, bytes]

    def write(self, folder: Path) -> Path:
        """Write all files; the path of the job file."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in self.files.items():
            (folder / name).write_bytes(content)
        return folder / JOB


@dataclass
class _Drawing:
    """A job while it is drawn: points are ball centres in the base frame."""

    draw: np.random.Generator
    touch: np.random.Generator
    robot: Robot
    document: dict
    files: dict
    stylus: float = 0.0
    radius: float = 0.0
    tool: np.ndarray | None = None


def random_job(seed: int, *, few: bool = False) -> RandomJob:
    """The job of a seed.

    Args:
        seed: any.
        few: whether robots are taken from a smaller pool, of which less must be compiled.
    """
    draw = np.random.default_rng([20, seed])
    own = robot(draw, few=few)
    touch = np.random.default_rng([21, seed])
    job = _Drawing(draw=draw, touch=touch, robot=own, document={"format": 1}, files={})
    document = job.document
    document["job"] = {"name": f"random {seed}"}
    document["robot"] = {"model": job.robot.model}
    if job.robot.text:
        job.files[job.robot.model] = job.robot.text.encode()
    _limits(job)
    _probe(job)
    _approach(job)
    _points(job)
    _touch(job)
    _travel(job)
    _checks(job)
    document["sampling"] = {"period_ms": float(draw.choice([1.0, 5.0, 10.0, 17.3]))}
    if seed % 2:
        document["sampling"] = {"interpolation_error_mm": [0.01, 0.1, 1.0][seed % 3]}
    text = toml_text(document)
    return RandomJob(seed=seed, files={**job.files, JOB: text.encode()})


def _number(value: float) -> float:
    return float(value)


def _between(draw, low: float, high: float) -> float:
    """By its order of magnitude."""
    return float(np.exp(draw.uniform(np.log(low), np.log(high))))


def _limits(job: _Drawing) -> None:
    draw, table = job.draw, job.document["robot"]
    jerky, torque = draw.random() < 0.35, draw.random() < 0.1
    limits = {}
    for joint in job.robot.mechanism.movable:
        unit, own = joint.kind.unit, {}
        turns = joint.kind.angular
        units = ("rad_s", "rad_s2", "rad_s3") if turns else ("m_s", "m_s2", "m_s3")
        if not np.isfinite(joint.max_speed) or draw.random() < 0.1:
            own[f"max_speed_{units[0]}"] = _between(draw, *_SPEEDS[unit])
        if not np.isfinite(joint.max_acceleration) or draw.random() < 0.1:
            own[f"max_acceleration_{units[1]}"] = _between(draw, *_ACCELERATIONS[unit])
        if jerky:
            own[f"max_jerk_{units[2]}"] = _between(draw, *_JERKS[unit])
        if torque and draw.random() < 0.5:
            name = "max_torque_nm" if turns else "max_force_n"
            own[name] = _between(draw, 20.0, 2000.0)
        if own:
            limits[joint.name] = own
    if limits:
        table["limits"] = limits
    for name in ("speed_scale", "acceleration_scale", "torque_scale"):
        if draw.random() < 0.1:
            table[name] = float(draw.choice([0.1, 0.5, 0.9]))
    if draw.random() < 0.15:  # a bent stylus: the tool leans in the wrist
        lean = [float(draw.choice([0.0, 90.0, 37.0])) for _ in range(3)]
        shift = [float(draw.choice([0.0, 0.0, 25.0])) for _ in range(3)]
        table["tool"] = {"translation_mm": shift, "rotation_zyx_deg": lean}
        job.tool = make_pose(rotation_zyx(np.radians(lean)), 1e-3 * np.array(shift))


def _probe(job: _Drawing) -> None:
    draw, table = job.draw, {}
    if draw.random() < 0.8:
        job.stylus = 1e-3 * float(draw.choice([10.0, 50.0, 120.0, 250.0]))
        table["stylus_length_mm"] = 1e3 * job.stylus
    if draw.random() < 0.8:
        diameter = float(draw.choice([0.5, 2.0, 4.0, 10.0]))
        job.radius = 0.5e-3 * diameter
        table["ball_diameter_mm"] = diameter
        if draw.random() < 0.2:
            table["shank_diameter_mm"] = 0.9 * diameter
    if draw.random() < 0.3:
        table["mass_kg"] = float(draw.choice([0.05, 0.4, 3.0]))
    if draw.random() < 0.15 and job.stylus > 0.0:
        table["capsule"] = [
            {"from_mm": [0.0, 0.0, -40.0], "to_mm": [0.0, 0.0, 5.0], "radius_mm": 12.0}
        ]
    job.document["probe"] = table


def _approach(job: _Drawing) -> None:
    draw = job.draw
    table = {
        "distance_mm": float(draw.choice([0.01, 1.0, 5.0, 20.0, 50.0, 50.0, 150.0])),
        "law": str(draw.choice(_LAWS, p=[0.05, 0.15, 0.5, 0.1, 0.2])),
    }
    if draw.random() < 0.3:
        table["dwell_s"] = float(draw.choice([0.001, 0.1, 1.0]))
    job.document["approach"] = table


def _touch(job: _Drawing) -> None:
    """The probing cycle: to rest at contact in one of five, else a search.

    A law without the table comes to rest; a search needs the law that can end at a speed.
    """
    draw, approach = job.touch, job.document["approach"]
    way, table = draw.random(), {}
    if way < 0.1:
        return
    if way < 0.2:
        table["mode"] = "to-rest"
    elif way < 0.3:  # without the table, by the former name of its key
        approach.pop("law")
        if draw.random() < 0.5:
            approach["overtravel_mm"] = float(draw.choice([0.001, 0.5, 3.0]))
        return
    else:
        approach["law"] = "quintic"
        table |= _search(draw, _shortest(approach))
        features = sorted(
            {row.get("feature", "") for row in job.document["points"]["point"]} - {""}
        )
        if features and draw.random() < 0.5:
            name = str(draw.choice(features))
            table["feature"] = [_another(draw, table, _shortest(approach)) | {"name": name}]
    if draw.random() < 0.25:
        table["settle_s"] = float(draw.choice([0.001, 0.2]))
    if draw.random() < 0.2:
        table["positioning_speed_mm_s"] = float(draw.choice([20.0, 80.0, 400.0]))
    job.document["touch"] = table


def _shortest(approach: Mapping) -> float:
    """Of all points. [mm]"""
    own = [one.get("distance_mm", np.inf) for one in approach.get("feature", ())]
    return min([approach["distance_mm"], *own])


def _search(draw, distance: float) -> dict:
    table = {"mode": "search"} if draw.random() < 0.5 else {}
    if draw.random() < 0.8:
        speeds = [1.0, 2.0, 5.0, 10.0, 20.0, draw.uniform(1.0, 20.0)]
        table["speed_mm_s"] = float(draw.choice(speeds))
    if draw.random() < 0.5:
        table["search_before_mm"] = distance * float(draw.choice([0.001, 0.06, 0.5, 0.9]))
    if draw.random() < 0.6:
        table["search_after_mm"] = float(draw.choice([0.001, 0.5, 3.0, 9.0]))
    if draw.random() < 0.4:
        table["latency_ms"] = float(draw.choice([0.0, 0.5, 10.0]))
    if draw.random() < 0.2:
        table["deceleration_mm_s2"] = _between(draw, 50.0, 5000.0)
    if draw.random() < 0.4:
        table["back_off_mm"] = distance * float(draw.choice([0.01, 0.3, 1.0]))
    return table


def _another(draw, table: Mapping, distance: float) -> dict:
    """What one feature has of its own, at least one key of it."""
    own = {"speed_mm_s": 0.7 * table.get("speed_mm_s", 5.0)}
    if draw.random() < 0.5:
        own["search_before_mm"] = 0.2 * distance
    if draw.random() < 0.3:
        own["search_after_mm"] = 0.25
    if draw.random() < 0.3:
        own["back_off_mm"] = 0.6 * distance
    if draw.random() < 0.3:
        own["settle_s"] = 0.05
    return own


@cache
def _model(model: str, text: str) -> Model:
    del text
    return Model(_KNOWN[model].mechanism)


_KNOWN: dict[str, Robot] = {}


def _posed(job: _Drawing, q: np.ndarray) -> np.ndarray:
    """Poses of the ball, z the stylus. # (m, n) -> (m, 4, 4)."""
    own = job.robot
    _KNOWN[own.model] = own
    T = _model(own.model, own.text).forward(q)
    if job.tool is not None:
        T = T @ np.linalg.inv(own.mechanism.tool) @ job.tool
    return T @ make_pose(translation=[0.0, 0.0, job.stylus])


def _postures(job: _Drawing, count: int) -> np.ndarray:
    """Spread within the limits, away from them by a share that is drawn."""
    mechanism, draw = job.robot.mechanism, job.draw
    free = np.array([_FREE[joint.kind.unit] for joint in mechanism.movable])
    low = np.where(np.isfinite(mechanism.q_min), mechanism.q_min, -free)
    high = np.where(np.isfinite(mechanism.q_max), mechanism.q_max, free)
    turns = np.array([joint.kind.angular for joint in mechanism.movable])
    low, high = (
        np.where(turns, np.maximum(low, -np.pi), low),
        np.where(turns, np.minimum(high, np.pi), high),
    )
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    share = float(draw.choice([0.5, 0.7, 0.9]))
    return middle + share * half * draw.uniform(-1.0, 1.0, (count, mechanism.dof))


def _points(job: _Drawing) -> None:
    """Where the ball touches, against which normals, and the part that is touched."""
    draw = job.draw
    if job.robot.mechanism.dof < 5:
        places, axes = np.array([[0.5, 0.1, 0.3]]), np.array([[0.0, 0.0, -1.0]])
        return _write_points(job, places, axes, -axes, np.eye(4))
    count = int(draw.choice([1, 2, 3, 4, 6, 12], p=[0.15, 0.25, 0.25, 0.2, 0.1, 0.05]))
    kind = str(draw.choice(["scatter", "near", "plane", "sphere", "cylinder", "box"]))
    q = _postures(job, 1)
    if draw.random() < 0.2:  # joints at zero: symmetry planes, singular wrists
        mechanism = job.robot.mechanism
        zero = draw.random(mechanism.dof) < 0.4
        q[0, zero] = np.clip(0.0, mechanism.q_min, mechanism.q_max)[zero]
    T = _posed(job, q)[0]
    place, axis = T[:3, 3], T[:3, 2]
    if draw.random() < 0.25:  # straight down, or along an axis
        axis = np.array([(0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)][draw.integers(3)])
    if draw.random() < 0.2:  # on a plane of symmetry
        place = place.copy()
        place[draw.integers(2)] = 0.0
    if draw.random() < 0.3:
        place = np.round(place, 3)
    if kind == "scatter":
        q = _postures(job, count)
        T = _posed(job, q)
        places, axes = T[:, :3, 3], T[:, :3, 2]
        normals = -axes
    elif kind == "near":
        step = float(draw.choice([1e-9, 1e-6, 1e-4, 1e-2, 0.2]))
        q = q + step * draw.uniform(-1.0, 1.0, (count, q.shape[1]))
        T = _posed(job, np.clip(q, job.robot.mechanism.q_min, job.robot.mechanism.q_max))
        places, axes = T[:, :3, 3], T[:, :3, 2]
        normals = -axes
    else:
        places, normals = _on_surface(job, kind, place, -axis, count)
        axes = -normals
    if draw.random() < 0.15 and count > 1:  # the same point again, or hardly another
        places[-1] = places[0] + float(draw.choice([0.0, 1e-9, 1e-6]))
        normals[-1], axes[-1] = normals[0], axes[0]
    return _write_points(job, places, axes, normals, _frame(job, places[0]))


def _frame(job: _Drawing, about: np.ndarray) -> np.ndarray:
    """The part's frame in the base: the base itself, or anywhere."""
    if job.draw.random() < 0.4:
        return np.eye(4)
    turn = rotation_zyx(np.radians(job.draw.choice([0.0, 10.0, 90.0, 123.4], size=3)))
    return make_pose(turn, np.round(about, 2))


def _tangents(normal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x = np.eye(3)[int(np.argmin(np.abs(normal)))]
    x = np.cross(normal, x)
    x /= np.linalg.norm(x)
    return x, np.cross(normal, x)


def _on_surface(job: _Drawing, kind: str, place, normal, count) -> tuple[np.ndarray, np.ndarray]:
    """Ball centres and normals on a part that the first of them touches; its mesh is kept."""
    import trimesh

    draw = job.draw
    x, y = _tangents(normal)
    size = float(draw.choice([0.02, 0.08, 0.3]))
    touched = place - job.radius * normal
    R = np.column_stack([x, y, normal])
    if kind in {"plane", "box"}:
        flat = size * draw.uniform(-0.45, 0.45, (count, 2))
        if draw.random() < 0.3:
            flat = np.round(flat, 3)
        places = place + flat[:, :1] * x + flat[:, 1:] * y
        normals = np.tile(normal, (count, 1))
        thickness = size * float(draw.choice([0.1, 1.0]))
        mesh = trimesh.creation.box(extents=[size, size, thickness])
        mesh.apply_transform(make_pose(R, touched - 0.5 * thickness * normal))
    elif kind == "sphere":
        centre = touched - size * normal
        tilt, turn = draw.uniform(0.0, 0.6, count), draw.uniform(0.0, 2.0 * np.pi, count)
        normals = (
            np.cos(tilt)[:, None] * normal
            + (np.sin(tilt) * np.cos(turn))[:, None] * x
            + (np.sin(tilt) * np.sin(turn))[:, None] * y
        )
        normals[0] = normal
        places = centre + (size + job.radius) * normals
        mesh = trimesh.creation.icosphere(subdivisions=3, radius=size)
        mesh.apply_transform(make_pose(R, centre))
    else:
        centre = touched - size * normal
        tilt, along = draw.uniform(-0.6, 0.6, count), size * draw.uniform(-0.8, 0.8, count)
        normals = np.cos(tilt)[:, None] * normal + np.sin(tilt)[:, None] * x
        places = centre + along[:, None] * y + (size + job.radius) * normals
        mesh = trimesh.creation.cylinder(radius=size, height=2.0 * size, sections=64)
        mesh.apply_transform(make_pose(np.column_stack([normal, x, y]), centre))
    if kind != "plane" or draw.random() < 0.5:
        job.files["part.stl"] = mesh  # moved into the part's frame when that is known
    return places, normals


def _write_points(job: _Drawing, places, axes, normals, T) -> None:
    draw, document = job.draw, job.document
    approach = document["approach"]
    base = draw.random() < 0.15
    inverse = np.eye(4) if base else np.linalg.inv(T)
    if "part.stl" in job.files:
        mesh = job.files["part.stl"].apply_transform(np.linalg.inv(T))
        mesh.apply_scale(1e3)
        job.files["part.stl"] = mesh.export(file_type="stl")
        document["part"] = {"geometry": "part.stl", "unit": "mm"}
    else:
        document["part"] = {}
    angles = np.degrees(_zyx(T[:3, :3]))
    document["part"]["pose"] = {
        "translation_mm": [_number(v) for v in 1e3 * T[:3, 3]],
        "rotation_zyx_deg": [_number(v) for v in angles],
    }
    lean = draw.random()
    given = normals @ inverse[:3, :3].T
    if lean < 0.08:  # the stylus leans from the normal, the same for all
        way = inverse[:3, :3] @ axes[0]
        approach["axis"] = [_number(v) for v in way]
    elif lean < 0.14:
        way = normals[0] + 0.3 * draw.normal(size=3)
        approach["direction"] = [_number(v) for v in way]
    compensated = bool(draw.random() < 0.8)
    at = places - job.radius * normals if compensated else places
    at = at @ inverse[:3, :3].T + inverse[:3, 3]
    features = draw.random() < 0.3
    rows = []
    for k, (p, n) in enumerate(zip(at, given, strict=True)):
        keys = ("x_mm", "y_mm", "z_mm", "nx", "ny", "nz")
        row = {"name": f"P{k + 1}"}
        row |= {key: _number(v) for key, v in zip(keys, [*(1e3 * p), *n], strict=True)}
        if features:
            row["feature"] = ("top", "side")[k % 2]
        rows.append(row)
    if features and draw.random() < 0.5:
        own = {"name": "top", "distance_mm": float(draw.choice([2.0, 30.0]))}
        if draw.random() < 0.3:
            own["axis"] = [_number(v) for v in inverse[:3, :3] @ axes[0]]
        approach["feature"] = [own]
    document["points"] = {
        "frame": "base" if base else "part",
        "compensated": compensated,
        "point": rows,
    }
    if draw.random() < 0.25:
        _obstacle(job, places)


def _obstacle(job: _Drawing, places) -> None:
    draw = job.draw
    boxes = []
    for k in range(int(draw.integers(1, 3))):
        centre = places.mean(axis=0) + draw.normal(size=3) * float(draw.choice([0.1, 0.4]))
        boxes.append(
            {
                "name": f"box {k}",
                "box_mm": [float(v) for v in draw.choice([5.0, 40.0, 200.0], size=3)],
                "pose": {"translation_mm": [_number(v) for v in 1e3 * centre]},
                "keep_out": bool(draw.random() < 0.2),
            }
        )
    job.document["cell"] = {"obstacle": boxes}


def _zyx(R: np.ndarray) -> np.ndarray:
    from robots.core.pose import angles_zyx

    return np.asarray(angles_zyx(R).angles)


def _travel(job: _Drawing) -> None:
    draw = job.draw
    jerky = any(
        any("jerk" in key for key in own)
        for own in job.document["robot"].get("limits", {}).values()
    )
    table = {"law": str(draw.choice(_LAWS, p=[0.05, 0.1, 0.2, 0.15, 0.5]))}
    if jerky and draw.random() < 0.7:
        table["law"] = "double-s"
    if draw.random() < 0.4:
        table["order"] = "fastest"
        table["search"] = str(draw.choice(["quick", "normal"]))
        points = job.document["points"]["point"]
        if any("feature" in row for row in points) and draw.random() < 0.3:
            table["group"] = "feature"
        elif len(points) > 2 and draw.random() < 0.2:
            table["locked"] = [["P1", "P2"]]
    ways = ["auto", "none"]
    if draw.random() < 0.1:
        table["clearance_plane_mm"] = float(draw.choice([300.0, 1000.0]))
        ways.append("plane")
    elif draw.random() < 0.1 and "geometry" in job.document["part"]:
        table["clearance_cube_mm"] = float(draw.choice([10.0, 60.0]))
        ways.append("plane")
    if draw.random() < 0.3:
        table["detour"] = str(draw.choice(ways))
    table["seed"] = int(draw.integers(1, 4))
    job.document["travel"] = table


def _checks(job: _Drawing) -> None:
    draw, table = job.draw, {}
    if draw.random() < 0.3:
        table["joint_margin_deg"] = float(draw.choice([0.5, 5.0]))
    if draw.random() < 0.4:
        table["clearance_mm"] = float(draw.choice([0.1, 1.0, 5.0]))
    if draw.random() < 0.12:
        size = _between(draw, 20.0, 2000.0)
        table["torque_limits_nm"] = [
            size * draw.uniform(0.5, 1.5) for _ in job.robot.mechanism.movable
        ]
    job.document["checks"] = table
