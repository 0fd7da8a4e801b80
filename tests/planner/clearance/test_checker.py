"""The checker: exact against brute force, swallowed links found, wrong arrays refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.geometry import TriangleMesh
from planner.clearance.checker import Checker
from planner.job.solids import Cell, Solid, SolidKind
from robots.core.capsule import Capsule
from robots.core.errors import StateError
from robots.core.model import Model
from robots.library import load
from tests.cases import cases, some

CAPSULES = (
    Capsule(name="column", joint=-1, start=[0, 0, 0], end=[0, 0, 0.3], radius=0.1),
    Capsule(name="upper arm", joint=1, start=[0, 0, 0], end=[1, 0, 0], radius=0.09),
    Capsule(name="forearm", joint=2, start=[0, 0, 0], end=[0, -1.4, 0], radius=0.06),
    Capsule(name="wrist", joint=4, start=[0, 0, 0], end=[0, 0, 0], radius=0.05),
    Capsule(name="stylus shank", joint=4, start=[0, 0, 0], end=[0, -0.2, 0], radius=0.004),
    Capsule(name="stylus ball", joint=4, start=[0, -0.2, 0], end=[0, -0.2, 0], radius=0.0),
)
ARM = replace(load("measuring-arm"), capsules=CAPSULES, self_pairs=((0, 2), (1, 4)))
PART, OBSTACLE = SolidKind.PART, SolidKind.OBSTACLE


def postures(count, seed):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, (count, 5))


@pytest.fixture(scope="module")
def cell(brute):
    """A closed part, two closed obstacles that overlap, and a wall without thickness."""
    wall = TriangleMesh(
        vertices=np.array([[-0.5, 1.0, 0], [-0.5, 1.5, 0], [-0.5, 1.2, 1.0]]),
        faces=np.array([[0, 1, 2]]),
    )
    solids = (
        Solid(name="part", kind=PART, mesh=brute.sphere((0.9, 0.3, 0.6), 0.35, 0.2), closed=True),
        Solid(
            name="box", kind=OBSTACLE, mesh=brute.box((0, -1, 0.5), (0.6, 0.6, 0.6)), closed=True
        ),
        Solid(
            name="block",
            kind=OBSTACLE,
            mesh=brute.box((0.2, -1, 0.6), (0.5, 0.3, 0.9)),
            closed=True,
        ),
        Solid(name="wall", kind=SolidKind.KEEP_OUT, mesh=wall, closed=False),
    )
    return Cell(solids=solids)


@pytest.fixture(scope="module")
def checker(cell):
    return Checker(Model(ARM), cell)


def ends_of(q):
    """Axes of all capsules, by forward geometry of each capsule. # (c, 2, 3)"""
    T = Model(ARM).transforms(q)
    return np.array(
        [
            [
                p if c.joint < 0 else T[c.joint, :3, :3] @ p + T[c.joint, :3, 3]
                for p in (c.start, c.end)
            ]
            for c in CAPSULES
        ]
    )


def expected(q, cell, brute, touching=True):
    """Signed clearance of every group of pairs, by name of the capsule."""
    ends, found = ends_of(q), {}
    groups = {"part": cell.solids[:1], "rest": cell.solids[1:]}
    for k, capsule in enumerate(CAPSULES):
        for name, solids in groups.items():
            if capsule.joint < 0 or (name == "part" and "stylus" in capsule.name and not touching):
                continue
            found[capsule.name, name] = brute.axis(*ends[k], solids) - capsule.radius
    for a, b in ARM.self_pairs:
        gap = brute.segments(*ends[a], ends[b, :1], ends[b, 1:])[0]
        found[CAPSULES[a].name, CAPSULES[b].name] = gap - CAPSULES[a].radius - CAPSULES[b].radius
    return found


def test_the_pairs_are_named(checker):
    assert len(checker.pairs) == 5 * 4 + 2
    assert not checker.empty
    assert {p.moving for p in checker.pairs if p.touching} == {"stylus shank", "stylus ball"}
    assert {p.against for p in checker.pairs if p.touching} == {"part"}
    assert [(p.moving, p.against) for p in checker.pairs[-2:]] == [
        ("column", "forearm"),
        ("upper arm", "stylus shank"),
    ]


@pytest.mark.parametrize("touching", [True, False])
def test_nearest_is_brute_force(checker, cell, brute, touching):
    q = postures(cases(gate=25, soak=60), 1)
    found = checker.nearest(q, touching=touching)
    group = {"part": "part"}
    for row in range(len(q)):
        values = expected(q[row], cell, brute, touching)
        pair = checker.pairs[found.pair[row]]
        least = min(values.values())
        # Rounding of a few products of metres.
        assert found.value[row] == pytest.approx(least, abs=1e-12)
        against = (
            pair.against
            if pair.against in ("forearm", "stylus shank")
            else group.get(pair.against, "rest")
        )
        assert values[pair.moving, against] == pytest.approx(least, abs=1e-12)
        ends = ends_of(q[row])[[c.name for c in CAPSULES].index(pair.moving)]
        assert brute.segments(*ends, found.place[row][None], found.place[row][None])[0] < 1e-12
    assert (found.value < 0).sum() > 2
    assert (found.value > 0).sum() > 2


@pytest.mark.parametrize("required", some([0.0, 0.3, 0.02], gate=2))
def test_collides_says_what_nearest_measures(checker, required):
    q = postures(cases(gate=1000, soak=3000), 2)
    for touching in (True, False):
        nearest = checker.nearest(q, touching=touching).value
        found = checker.collides(q, required, touching=touching)
        assert np.array_equal(found, nearest < required)
    assert 0.02 < found.mean() < 0.98


def test_a_link_swallowed_whole_is_found(brute):
    """A hollow room of triangles around the wrist: nothing meets the skin."""
    q = np.array([0.3, 0.4, -1.0, 0.2, 0.5])
    wrist = ends_of(q)[3, 0]
    big = Solid(name="big", kind=PART, mesh=brute.sphere(wrist, 0.6, subdivisions=4), closed=True)
    ball = replace(ARM, capsules=(CAPSULES[3], CAPSULES[4]), self_pairs=())
    checker = Checker(Model(ball), Cell(solids=(big,)))
    found = checker.nearest(q[None])
    assert checker.collides(q[None]).all()
    # The wrist's centre is 0.6 deep, less the chords of the triangles (0.6·(1 - cos 2.5°)).
    assert found.value[0] == pytest.approx(-0.65, abs=2e-3)
    assert checker.pairs[found.pair[0]].moving == "wrist"
    assert np.allclose(found.place[0], wrist)
    assert checker.collides(q[None], touching=False).all()  # the wrist is not the stylus
    open_one = replace(big, closed=False)
    assert not Checker(Model(ball), Cell(solids=(open_one,))).collides(q[None]).any()
    small = replace(ball, capsules=(CAPSULES[5],))
    assert Checker(Model(small), Cell(solids=(big,))).collides(q[None]).all()


def test_a_point_in_a_thin_solid(brute):
    """Nearer to the skin than any cell of the field can tell."""
    q = np.array([0.3, 0.4, -1.0, 0.2, 0.5])
    tip = ends_of(q)[5, 0]
    ball = replace(ARM, capsules=(CAPSULES[5],), self_pairs=())
    for height, inside in ((0.0, True), (4e-4, True), (6e-4, False)):
        plate = brute.box(tip + height * np.array([0, 0, 1]), (1.0, 1.0, 1e-3))
        made = Checker(
            Model(ball), Cell(solids=(Solid(name="p", kind=OBSTACLE, mesh=plate, closed=True),))
        )
        assert made.collides(q[None]).tolist() == [inside]
        assert made.nearest(q[None]).value[0] == pytest.approx(abs(height) - 5e-4, abs=1e-12)


def test_threads_do_not_change_a_bit(cell):
    q = postures(5000, 3)
    one, two = (Checker(Model(ARM), cell, threads=n) for n in (1, 2))
    a, b = one.nearest(q), two.nearest(q)
    assert np.array_equal(a.value, b.value)
    assert np.array_equal(a.pair, b.pair)
    assert np.array_equal(a.place, b.place)
    assert np.array_equal(one.collides(q), two.collides(q))
    assert np.array_equal(one.nearest(q[1234:1240]).value, a.value[1234:1240])


def test_an_empty_cell():
    bare = Checker(Model(replace(ARM, capsules=(), self_pairs=())), Cell())
    assert bare.empty
    q = postures(3, 4)
    assert not bare.collides(q).any()
    found = bare.nearest(q)
    assert (found.value == np.inf).all()
    assert (found.pair == -1).all()
    limits = bare.bounds(q, 0.1 * np.ones_like(q), np.zeros(3))
    assert (limits.lower == np.inf).all()
    assert (bare.segments(q[:, :3], q[:, :3], (np.zeros(4, int), np.zeros(0, int))) == np.inf).all()
    self_only = Checker(Model(ARM), Cell())
    assert len(self_only.pairs) == 2
    assert np.isfinite(self_only.nearest(q).value).all()
    assert len(self_only.collides(np.empty((0, 5)))) == 0


def test_bare_segments_leave_triangles_out(checker, cell, brute):
    corners = cell.part.mesh.triangles
    rng = np.random.default_rng(6)
    starts, ends = rng.uniform(-0.5, 1.5, (2, 40, 3))
    left_out = [rng.choice(len(corners), size=k % 3 * 500, replace=False) for k in range(40)]
    offsets = np.cumsum([0, *map(len, left_out)])
    found = checker.segments(starts, ends, (offsets, np.concatenate(left_out)))
    for k in range(40):
        kept = np.delete(corners, left_out[k], axis=0)
        assert found[k] == pytest.approx(brute.segment(starts[k], ends[k], kept), abs=1e-12)
    every = np.arange(len(corners))
    alone = checker.segments(starts[:1], ends[:1], (np.array([0, len(every)]), every))
    assert alone[0] == np.inf


def test_what_is_not_a_number_is_refused(checker):
    q = postures(4, 5)
    bad = q.copy()
    bad[2, 1] = np.nan
    for ask in (checker.collides, checker.nearest):
        with pytest.raises(StateError, match=r"Row 2 of q is \[.*nan"):
            ask(bad)
        with pytest.raises(StateError, match=r"q has shape \(4, 4\); expected \(m, 5\)"):
            ask(q[:, :4])
    with pytest.raises(StateError, match="Row 2 of spread"):
        checker.bounds(q, bad, np.zeros(4))
    with pytest.raises(StateError, match=r"spread has shape \(3, 5\); expected \(4, 5\)"):
        checker.bounds(q, q[:3], np.zeros(4))
    with pytest.raises(StateError, match="floor has shape"):
        checker.bounds(q, q, np.full(4, np.nan))
    for wrong in (-0.1, np.nan):
        with pytest.raises(StateError, match="required clearance"):
            checker.collides(q, wrong)
    with pytest.raises(StateError, match="Row 0 of ends"):
        checker.segments(q[:1, :3], np.full((1, 3), np.inf), (np.zeros(2, int), np.zeros(0, int)))
    with pytest.raises(StateError, match="offsets of the triangles"):
        checker.segments(q[:1, :3], q[:1, :3], (np.array([0, 5]), np.zeros(2, int)))
    with pytest.raises(StateError, match="A triangle left out"):
        checker.segments(q[:1, :3], q[:1, :3], (np.array([0, 1]), np.array([99999])))
