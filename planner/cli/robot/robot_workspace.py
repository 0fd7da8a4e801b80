"""``palpeur robot workspace``: where the tool can be within the joint limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import movable_robot, tip_document
from planner.cli.output import FORMAT, number, print_json
from planner.cli.robot_reference import RobotReference
from planner.cli.session import Session
from planner.errors import OptionError
from robots.core.arrays import Array
from robots.core.inverse.scaling import scale_length
from robots.core.joint_samples import joint_samples
from robots.core.mechanism import Mechanism
from robots.core.model import Model

_FLAT = 1e-9  # thickness of the cloud of points, relative to its size, below which it is a surface
_DIMENSIONS = {0: "point", 1: "line", 2: "area", 3: "volume"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the workspace is sampled.

    Args:
        count: postures.
        cell: edge of the cells that are counted. [m]
    """

    count: int
    cell: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Workspace:
    """What the samples show.

    Args:
        low: smallest coordinates reached. # (3,) [m]
        high: largest coordinates reached. # (3,) [m]
        radius: least and greatest distance from the first joint's axis. # (2,) [m]
        reach: least and greatest distance from the base origin. # (2,) [m]
        dimension: 3 for a volume, 2 for a surface, 1, 0.
        size: of the cells that hold a sample: m³, m² or m.
        growth: part of the size that the last half of the samples added; small when the count is
            enough for the cells.
    """

    low: Array
    high: Array
    radius: Array
    reach: Array
    dimension: int
    size: float
    growth: float


def print_workspace(
    robot: RobotReference, sampling: Sampling, *, as_json: bool, session: Session
) -> int:
    """Sample and print.

    Raises:
        OptionError: a cell that is not a size.
    """
    if not sampling.cell <= _LARGEST_CELL:
        raise OptionError(
            f"--cell-mm is {sampling.cell * 1e3:g}; expected at most {_LARGEST_CELL * 1e3:g}."
        )
    mechanism = movable_robot(robot, session)
    found = workspace_of(mechanism, sampling)
    if found.growth > _COARSE:
        session.say(
            f"The last half of the samples still added {100 * found.growth:.0f} % of the "
            f"{_DIMENSIONS[found.dimension]}: take more --samples or a larger --cell-mm."
        )
    if as_json:
        print_json(_document(mechanism, sampling, found))
    else:
        _print_text(mechanism, found)
    return ExitCode.DONE


_COARSE = 0.1
_MOST_CELLS = 1e15
_LARGEST_CELL = 1e6  # [m]; no robot is larger


def workspace_of(mechanism: Mechanism, sampling: Sampling) -> Workspace:
    """Sample the joint ranges evenly and see where the tool comes."""
    q = joint_samples(mechanism, sampling.count, slide=scale_length(mechanism))
    points = Model(mechanism, "single-use").forward(q)[:, :3, 3]
    axis, origin = _first_axis(mechanism)
    from_axis = points - origin
    from_axis = from_axis - np.outer(from_axis @ axis, axis)
    radii, reach = np.linalg.norm(from_axis, axis=1), np.linalg.norm(points, axis=1)
    flat = _flattened(points)
    cells = _cells(flat, sampling.cell)
    half = _cells(flat[: len(flat) // 2], sampling.cell)
    return Workspace(
        low=points.min(axis=0),
        high=points.max(axis=0),
        radius=np.array([radii.min(), radii.max()]),
        reach=np.array([reach.min(), reach.max()]),
        dimension=flat.shape[1],
        size=cells * sampling.cell ** flat.shape[1],
        growth=(cells - half) / cells,
    )


def _first_axis(mechanism: Mechanism) -> tuple[Array, Array]:
    """Direction of the first movable joint's axis and a point of it, base frame. # (3,), (3,)."""
    pose = np.eye(4)
    index = mechanism.index(mechanism.movable[0].name)
    while index >= 0:
        pose = mechanism.joints[index].placement @ pose
        index = mechanism.joints[index].parent
    return pose[:3, 2], pose[:3, 3]


def _flattened(points: Array) -> Array:
    """Coordinates along the directions in which the points spread. # (N, dimension)."""
    centred = points - points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    spread = sizes > _FLAT * max(float(sizes[0]), 1e-300)
    # A volume is counted in base axes: the same cells whatever the samples are.
    return points if np.all(spread) else centred @ axes[spread].T


def _cells(points: Array, edge: float) -> int:
    if points.shape[1] == 0:
        return 1
    cells = np.floor(points / edge).astype(np.int64)
    cells -= cells.min(axis=0)
    extent = tuple(int(x) + 1 for x in cells.max(axis=0))
    if np.prod([float(x) for x in extent]) > _MOST_CELLS:
        raise OptionError(f"--cell-mm {edge * 1e3:g} is too small for a workspace of this size.")
    return len(np.unique(np.ravel_multi_index(tuple(cells.T), extent)))


def _document(mechanism: Mechanism, sampling: Sampling, found: Workspace) -> dict[str, object]:
    unit = {3: "volume_m3", 2: "area_m2", 1: "length_m"}
    size = {unit[found.dimension]: found.size} if found.dimension else {}
    return {
        "format": FORMAT,
        "robot": mechanism.name,
        **tip_document(mechanism),
        "samples": sampling.count,
        "cell_m": sampling.cell,
        "low_m": found.low,
        "high_m": found.high,
        "radius_from_first_axis_m": found.radius,
        "distance_from_base_m": found.reach,
        "dimension": found.dimension,
        **size,
        "growth": found.growth,
    }


def _print_text(mechanism: Mechanism, found: Workspace) -> None:
    print(f"{mechanism.name}: reach of the tool within the joint limits (sampled)")
    for name, low, high in zip("xyz", found.low, found.high, strict=True):
        print(f"{name} from {number(low)} to {number(high)} m")
    for what, (low, high) in (("first axis", found.radius), ("base origin", found.reach)):
        print(f"distance from the {what} {number(low)} to {number(high)} m")
    if found.dimension:
        unit = {3: "m³", 2: "m²", 1: "m"}[found.dimension]
        print(f"{_DIMENSIONS[found.dimension]} about {found.size:.4g} {unit}")
