"""Certified clearances of random motions against coal, which looks 50 times in every step."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from parts.geometry import TriangleMesh
from planner.clearance.certify import Tolerance, certify, keeps
from planner.clearance.checker import Checker
from planner.clearance.paths import LinePaths, StraightPaths
from planner.job.settings import Probe
from planner.job.solids import Cell, Solid, SolidKind
from planner.job.stylus import with_probe
from planner.reach.lines import ArmLines
from planner.reach.margins import rough_margins
from robots.arm.inverse import ArmInverse
from robots.core.capsule import Capsule
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.core.pose import make_pose
from robots.library import load
from tests.cases import cases
from tests.planner.clearance.spline_paths import SplinePaths

coal = pytest.importorskip("coal", reason="coal is the judge of these tests")

REQUIRED = 0.01
TOLERANCE = Tolerance()
COAL = 5e-6  # [m] coal iterates until about 1e-6
LOOKS = 50  # in a step of the certificate
CLOSE = 2e-5  # [m] to which the judge tells the least of its looks
CORNERS = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1], indexing="ij")).reshape(3, 8).T
SIDES = np.array(
    [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
)
FACES = np.concatenate([SIDES[:, [0, 1, 2]], SIDES[:, [0, 2, 3]]])


@dataclass(frozen=True)
class Block:
    """A box: triangles to the product, a solid to coal."""

    pose: np.ndarray
    half: np.ndarray

    def solid(self, name):
        vertices = CORNERS * self.half @ self.pose[:3, :3].T + self.pose[:3, 3]
        mesh = TriangleMesh(vertices=vertices, faces=FACES)
        return Solid(name=name, kind=SolidKind.OBSTACLE, mesh=mesh, closed=True)

    def shape(self):
        return coal.Box(*(2.0 * self.half)), coal.Transform3s(self.pose[:3, :3], self.pose[:3, 3])


def random_blocks(rng, count, low, high):
    """Boxes turned at random, with their middles between two corners; every other one a sheet."""
    made = []
    for k in range(count):
        half = rng.uniform(0.03, 0.2, 3) * [1.0, 1.0, 0.02 if k % 2 else 1.0]
        Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        made.append(Block(pose=make_pose(Q * np.linalg.det(Q), rng.uniform(low, high)), half=half))
    return made


class Judge:
    """Least distances by coal; below zero where something is inside."""

    def __init__(self, model, blocks):
        self.model, self.blocks = model, blocks
        self.capsules = model.mechanism.capsules
        self.moving = [k for k, c in enumerate(self.capsules) if c.joint >= 0]
        self.shapes = [self._shape(c) for c in self.capsules]
        self.solids = [block.shape() for block in blocks]
        self.request, self.result = coal.DistanceRequest(), coal.DistanceResult()

    def least(self, q):
        """Least distance over postures: who may have it is asked until no other can.

        A capsule moves no farther than the farther of its ends, which bounds the postures around
        one that was asked.
        """
        ends = self._ends(q)
        bounds, pairs = self._bounds(ends), self._pairs()
        best = np.inf
        while bounds.min() < best - CLOSE and best > 0.0:  # a collision is enough
            row, pair = np.unravel_index(bounds.argmin(), bounds.shape)
            shapes = [
                self.solids[k] if solid else self._placed(ends[row], k) for solid, k in pairs[pair]
            ]
            self.result.clear()
            here = coal.distance(*shapes[0], *shapes[1], self.request, self.result)
            best = min(best, here)
            around = np.full(len(q), here)
            for solid, k in pairs[pair]:
                if not solid:
                    around -= np.linalg.norm(ends[:, k] - ends[row, k], axis=2).max(axis=1)
            bounds[:, pair] = np.maximum(bounds[:, pair], around)
            bounds[row, pair] = np.inf
        return best

    def _pairs(self):
        against = [((False, a), (True, b)) for a in self.moving for b in range(len(self.blocks))]
        return against + [((False, a), (False, b)) for a, b in self.model.mechanism.self_pairs]

    def _bounds(self, ends):
        """Less than every pair's distance: balls around the boxes, and around the capsules."""
        u, r = ends[:, :, 1] - ends[:, :, 0], np.array([c.radius for c in self.capsules])
        square = np.maximum(np.einsum("mci,mci->mc", u, u), 1e-30)
        columns = []
        for a in self.moving:
            for block in self.blocks:
                w = block.pose[:3, 3] - ends[:, a, 0]
                t = np.clip(np.einsum("mi,mi->m", w, u[:, a]) / square[:, a], 0.0, 1.0)
                gap = np.linalg.norm(w - t[:, None] * u[:, a], axis=1)
                columns.append(gap - np.linalg.norm(block.half) - r[a])
        middle, far = ends.mean(axis=2), np.sqrt(square) / 2 + r
        for a, b in self.model.mechanism.self_pairs:
            gap = np.linalg.norm(middle[:, a] - middle[:, b], axis=1)
            columns.append(gap - far[:, a] - far[:, b])
        return np.stack(columns, axis=1)

    def _ends(self, q):
        T = self.model.transforms(q)
        T = np.concatenate([T, np.broadcast_to(np.eye(4), (len(q), 1, 4, 4))], axis=1)
        ends = np.empty((len(q), len(self.capsules), 2, 3))
        for k, c in enumerate(self.capsules):
            for end, point in enumerate((c.start, c.end)):
                ends[:, k, end] = T[:, c.joint, :3, :3] @ point + T[:, c.joint, :3, 3]
        return ends

    def _placed(self, ends, k):
        start, end = ends[k]
        z = (end - start) / max(np.linalg.norm(end - start), 1e-30)
        z = z if z.any() else np.array([0.0, 0.0, 1.0])
        x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
        x /= np.linalg.norm(x)
        turn = np.stack([x, np.cross(z, x), z], axis=1)
        return self.shapes[k], coal.Transform3s(turn, (start + end) / 2)

    @staticmethod
    def _shape(capsule):
        length = np.linalg.norm(capsule.end - capsule.start)
        return coal.Capsule(capsule.radius, length) if length else coal.Sphere(capsule.radius)


@pytest.fixture(scope="module")
def arm():
    """The measuring arm with a stylus of 150 mm."""
    bare = load("measuring-arm")
    probe = Probe(stylus_length=0.15, ball_diameter=0.006, shank_diameter=0.004)
    return with_probe(bare, bare.tool, probe)


@pytest.fixture(scope="module")
def gantry():
    """Three slides, each along the z axis of a frame turned from the one before, and a head."""
    turn = make_pose(np.roll(np.eye(3), 1, axis=1), np.zeros(3))
    limits = {"q_min": -1.0, "q_max": 1.0}
    slide = Joint(name="x", kind=JointKind.PRISMATIC, parent=-1, placement=turn, **limits)
    slides = [replace(slide, name=name, parent=k - 1) for k, name in enumerate("xyz")]
    head = replace(slide, name="head", kind=JointKind.REVOLUTE, parent=2)
    capsules = (
        Capsule(name="beam", joint=1, start=[-0.4, 0, 0.2], end=[0.4, 0, 0.2], radius=0.05),
        Capsule(name="quill", joint=2, start=[0, 0, 0], end=[0, 0.1, 0.3], radius=0.03),
        Capsule(name="head", joint=3, start=[0, 0.1, 0.3], end=[0.15, 0.25, 0.3], radius=0.02),
    )
    return Mechanism(name="gantry", joints=(*slides, head), capsules=capsules)


def confirm(mechanism, blocks, paths, looks=LOOKS):
    """Certify motions and hold every answer against the judge; which ones are kept."""
    model = Model(mechanism, engine="compiled")
    checker = Checker(model, Cell(solids=tuple(b.solid(f"block {id(b)}") for b in blocks)))
    judge = Judge(model, blocks)
    found = certify(checker, paths, required=REQUIRED, tolerance=TOLERANCE)
    kept, yes = found.keeps(REQUIRED), keeps(checker, paths, REQUIRED)
    true = np.empty(paths.count)
    for k in range(paths.count):
        lam = np.append(np.linspace(0.0, 1.0, looks * max(found.judged[k], 4)), found.lam[k])
        true[k] = judge.least(paths.joints(np.full(lam.size, k), lam))
    # Never wrong: what is certified is kept wherever the judge looks.
    assert np.all(found.certified <= true + COAL)
    assert np.all(true[yes] >= REQUIRED - COAL)
    # Within the bound that is stated.
    assert np.all(true[kept] - found.certified[kept] <= TOLERANCE.of(true[kept]) + COAL + CLOSE)
    # Nothing refused but for a witness, or because it is too near to tell.
    assert np.all(true[~kept] < REQUIRED + TOLERANCE.grazing + COAL + CLOSE)
    assert np.all(true[~yes] < REQUIRED + TOLERANCE.grazing + COAL + CLOSE)
    # What was seen is there.
    rows = np.arange(paths.count)
    there = np.array([judge.least(q[None]) for q in paths.joints(rows, found.lam)])
    apart = there > 0.0
    np.testing.assert_allclose(found.seen[apart], there[apart], atol=COAL)
    assert np.all(found.seen[~apart] <= COAL)
    assert np.all(true[~apart] <= COAL)
    return kept


def arm_travels(arm, rng, count):
    starts = rng.uniform(arm.q_min, arm.q_max, (count, 5)) * 0.8
    scale = rng.choice([0.02, 0.1, 0.4], (count, 1))
    return StraightPaths(starts, starts + rng.normal(size=(count, 5)) * scale)


def test_travels_of_the_arm(arm):
    rng = np.random.default_rng(1)
    blocks = random_blocks(rng, 4, [-1.2, -1.2, 0.1], [1.2, 1.2, 1.6])
    kept = confirm(arm, blocks, arm_travels(arm, rng, cases(gate=40, soak=120)))
    assert 1 / 6 < kept.mean() < 5 / 6


def test_travels_of_a_gantry(gantry):
    rng = np.random.default_rng(2)
    blocks = random_blocks(rng, 3, [-0.8] * 3, [0.8] * 3)
    starts = rng.uniform(-1.0, 1.0, (cases(gate=15, soak=200), 4))
    paths = StraightPaths(starts, starts + rng.normal(scale=0.4, size=starts.shape))
    assert 0.15 < confirm(gantry, blocks, paths).mean() < 0.9


def test_splines_of_the_arm(arm):
    rng = np.random.default_rng(3)
    blocks = random_blocks(rng, 3, [-1.2, -1.2, 0.1], [1.2, 1.2, 1.6])
    knots, controls = [], []
    for _ in range(cases(gate=18, soak=60)):
        count = int(rng.integers(4, 9))
        inner = np.sort(rng.uniform(0.0, 1.0, count - 4))
        knots.append(np.concatenate([np.zeros(4), inner, np.ones(4)]))
        first = rng.uniform(arm.q_min, arm.q_max) * 0.7
        controls.append(first + np.cumsum(rng.normal(scale=0.06, size=(count, 5)), axis=0))
    assert 0.25 < confirm(arm, blocks, SplinePaths(knots, controls)).mean() < 55 / 60


def test_probing_lines_of_the_arm(arm):
    rng = np.random.default_rng(4)
    inverse = ArmInverse(arm, engine="compiled")
    starts = rng.uniform([-0.8, 0.6, 0.2], [0.8, 1.6, 1.2], (150, 3))
    axes = rng.normal(size=(150, 3)) * [0.4, 0.4, 0.2] - [0.0, 0.0, 1.0]
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    ends = starts + rng.uniform(0.03, 0.3, (150, 1)) * axes
    first, last = inverse.solve(starts, axes), inverse.solve(ends, axes)
    row, family = np.nonzero(first.solved & last.solved)
    geometry = {"starts": starts[row], "ends": ends[row], "axes": axes[row]}
    lines = ArmLines(inverse=inverse, families=family, q_starts=first.q[row, family], **geometry)
    usable = np.nonzero(rough_margins(lines).singularity > 1e-3)[0]
    count = cases(gate=20, soak=150)
    lines = lines.take(rng.choice(usable, count, replace=False))
    blocks = random_blocks(rng, 3, [-0.8, 0.4, 0.0], [0.8, 1.4, 1.0])
    assert 0.07 < confirm(arm, blocks, LinePaths(lines)).mean() < 0.93


@pytest.mark.soak
def test_many_travels_of_the_arm(arm):
    for seed in range(6):
        rng = np.random.default_rng(100 + seed)
        blocks = random_blocks(rng, 5, [-1.2, -1.2, 0.1], [1.2, 1.2, 1.6])
        confirm(arm, blocks, arm_travels(arm, rng, 500))


def test_a_part_of_many_triangles_swallows_links_whole(arm):
    """82,000 triangles; an ellipsoid's inside and outside are known without any collision library.

    Every axis is sampled: f, the length of x measured in half axes, is below 1 inside.
    """
    import trimesh

    made = trimesh.creation.icosphere(subdivisions=6)
    size, middle = np.array([0.5, 0.35, 0.3]), np.array([0.0, 1.2, 0.5])
    mesh = TriangleMesh(vertices=made.vertices * size + middle, faces=np.array(made.faces))
    solid = Solid(name="part", kind=SolidKind.PART, mesh=mesh, closed=True)
    links = tuple(c for c in arm.capsules if c.name in {"wrist", "stylus ball", "stylus shank"})
    model = Model(replace(arm, capsules=links, self_pairs=()), engine="compiled")
    checker = Checker(model, Cell(solids=(solid,)))
    rng = np.random.default_rng(9)
    inverse = ArmInverse(arm, engine="compiled")
    targets = rng.uniform(middle - 0.6, middle + 0.6, (400, 3))
    solved = inverse.solve(targets, np.tile([0.0, 0.0, -1.0], (400, 1)))
    starts = solved.q[solved.solved[:, 0], 0][: cases(gate=60, soak=150)]
    paths = StraightPaths(starts, starts + rng.normal(scale=0.02, size=starts.shape))
    found = certify(checker, paths, required=0.0)
    kept = found.keeps(0.0)
    judge = Judge(model, [])
    for k in range(paths.count):
        ends = judge._ends(paths.joints(np.full(400, k), np.linspace(0.0, 1.0, 400)))
        share = np.linspace(0.0, 1.0, 9)[:, None]
        x = ends[:, :, None, 0] + share * (ends[:, :, None, 1] - ends[:, :, None, 0]) - middle
        f = np.sqrt(np.sum((x / size) ** 2, axis=-1))
        if kept[k]:
            assert f.min() > 1.0
        # The least distance from an ellipsoid is at least (f - 1) times its least half axis.
        if np.all((f - 1.0) * size.min() > 0.065):  # the wrist's radius, and between samples
            assert kept[k]
    swallowed = found.seen < -0.1  # all of the wrist and the stylus, and deep
    assert swallowed.sum() > 4
    assert kept.sum() > 4
