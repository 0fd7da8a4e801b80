"""Clearances that a plan states, corrupted one by one: each fails the check that owns it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from parts.geometry import TriangleMesh
from planner.job import read_job
from planner.job.solids import Cell, Solid, SolidKind
from planner.job.stylus import STYLUS
from planner.library import path_of
from planner.plan import SegmentKind
from planner.planning import plan as planned
from planner.presenting.present import only
from planner.proof import clearances as module
from planner.proof import prove
from planner.proof.clearances import (
    spread_postures,
    stated_postures,
    watched_segments,
)
from robots.core.model import Model
from tests.cases import some
from tests.planner.touching import with_touch

OWN = {"clearance kept", "certified clearance", "stated clearance", "approach to contact"}


def stating(plan, index, **values):
    """The plan with other numbers in the clearance of one segment."""
    segments = list(plan.timeline)
    clearance = replace(segments[index].clearance, **values)
    segments[index] = replace(segments[index], clearance=clearance)
    return replace(plan, timeline=tuple(segments))


def of_kind(plan, kind):
    return next(i for i, s in enumerate(plan.timeline) if s.kind is kind)


def with_solid(plan, name, shift):
    """The plan, with a solid of the cell somewhere else than where it was planned."""
    solids = [
        replace(s, mesh=replace_vertices(s.mesh, shift)) if s.name == name else s
        for s in plan.job.cell.solids
    ]
    return replace(plan, job=replace(plan.job, cell=Cell(solids=tuple(solids))))


def replace_vertices(mesh, shift):
    return type(mesh)(vertices=mesh.vertices + shift, faces=mesh.faces)


def test_a_plan_around_a_wall_passes(walled):
    assert {s.law for s in walled.timeline if s.kind is SegmentKind.TRAVEL} >= {"rounded"}
    found = prove(walled)
    assert found.passed
    assert {check.name for check in found.check_list} >= OWN


def test_a_plan_without_cell_states_the_clearance_of_the_arm_from_itself(plan):
    names = {check.name for check in prove(plan).check_list}
    assert names & OWN == OWN - {"approach to contact"}


def bare_job(*kept):
    """The plate without table and wall, before the arm with some of its capsules only."""
    job = only(read_job(path_of("obstructed")), np.arange(3))
    mechanism = job.mechanism
    capsules = tuple(one for one in mechanism.capsules if one.name in kept)
    return replace(
        job,
        mechanism=replace(mechanism, capsules=capsules, self_pairs=()),
        cell=Cell(solids=(job.cell.part,)),
    )


def test_a_stylus_alone_states_no_distance_from_the_part_that_it_probes():
    """As of a robot imported with meshes only: inf - inf was NaN, and no such job was planned."""
    bare = planned(bare_job(*STYLUS))
    assert bare.feasible
    assert all((s.clearance is not None) == (s.kind is SegmentKind.TRAVEL) for s in bare.timeline)
    assert all(point.min_clearance is None for point in bare.planned_points)
    found = prove(bare)
    assert found.passed
    assert {check.name for check in found.check_list} >= OWN
    silent = [replace(s, clearance=None) for s in bare.timeline]
    failing = prove(replace(bare, timeline=tuple(silent))).failures
    assert {check.name for check in failing} == {"clearance kept"}


def test_a_robot_without_any_capsule_states_nothing():
    bare = planned(bare_job())
    assert bare.feasible
    assert all(s.clearance is None for s in bare.timeline)
    assert bare.nearest is None
    found = prove(bare)
    assert found.passed
    assert {check.name for check in found.check_list} & OWN == {"approach to contact"}


def test_a_robot_that_watches_itself_owes_a_distance(plan, failures):
    silent = replace(plan, timeline=tuple(replace(s, clearance=None) for s in plan.timeline))
    assert failures(prove(silent)) == {"clearance kept", "point clearances"}


@pytest.mark.parametrize("kind", [SegmentKind.TRAVEL, SegmentKind.PROBE, SegmentKind.RETRACT])
@pytest.mark.parametrize("more", some([1e-6, 1e-2], gate=1))
def test_more_certified_than_there_is(walled, failures, kind, more):
    index = of_kind(walled, kind)
    wrong = stating(walled, index, certified=walled.timeline[index].clearance.seen + more)
    points = {"point clearances"} if kind is SegmentKind.PROBE else set()
    assert failures(prove(wrong)) == {"certified clearance"} | points


def test_a_certificate_without_end(walled, failures):
    assert failures(prove(stating(walled, 2, certified=np.inf))) == {"certified clearance"}
    nothing = failures(prove(stating(walled, 2, certified=np.nan)))
    assert {"certified clearance", "clearance kept"} == nothing


@pytest.mark.parametrize("kind", [SegmentKind.TRAVEL, SegmentKind.PROBE, SegmentKind.RETRACT])
@pytest.mark.parametrize("change", some([2e-6, -2e-6], gate=1))
def test_another_distance_than_the_one_there(walled, failures, kind, change):
    index = next(
        i
        for i, s in enumerate(walled.timeline)
        if s.kind is kind
        and not (s.clearance.pair.endswith("part") and kind is not SegmentKind.TRAVEL)
    )
    seen = walled.timeline[index].clearance.seen + change
    assert failures(prove(stating(walled, index, seen=seen))) == {"stated clearance"}


@pytest.mark.parametrize(
    "kind", some([SegmentKind.SEARCH, SegmentKind.BACK_OFF, SegmentKind.STOP], gate=1)
)
@pytest.mark.parametrize("name", ["seen", "at"])
def test_segments_of_a_line_that_state_different_things(walled, failures, kind, name):
    """The place stated is passed by some of them only: the others are no less bound by it."""
    index = of_kind(walled, kind)
    value = getattr(walled.timeline[index].clearance, name) + 2e-4
    assert failures(prove(stating(walled, index, **{name: value}))) == {"stated clearance"}


def test_a_miss_that_states_another_clearance_than_its_line(walled, failures):
    miss = walled.miss
    other = stating(miss, 0, seen=miss.timeline[0].clearance.seen + 2e-6)
    found = failures(prove(replace(walled, miss=other)))
    assert found == {"stated clearance", "miss: stated clearance"}
    other = stating(miss, 2, certified=miss.timeline[2].clearance.seen + 1e-6)
    assert failures(prove(replace(walled, miss=other))) == {"miss: certified clearance"}


def test_a_clearance_at_the_end_of_a_line_that_no_motion_comes_to(job, failures):
    """All that state one agree on 0.1 mm too much; the miss stops 0.6 mm before the place."""
    box = trimesh.creation.box(extents=[0.06] * 3)
    placed = planned(job).placed
    box.apply_translation(placed.contacts[0] - 0.25 * placed.directions[0])
    mesh = TriangleMesh(vertices=box.vertices, faces=box.faces.astype(np.int64))
    solid = Solid(name="box", kind=SolidKind.OBSTACLE, mesh=mesh, closed=True)
    quick = with_touch(job, mode="search", search_after=0.002, speed=0.05)
    over = planned(replace(quick, cell=Cell(solids=(solid,))))
    assert over.timeline[0].clearance.at == 1.0
    assert prove(over).passed

    def more(segment):
        if segment.point_index != 0 or segment.kind is SegmentKind.TRAVEL:
            return segment
        own = segment.clearance
        own = replace(own, certified=own.certified + 1e-4, seen=own.seen + 1e-4)
        return replace(segment, clearance=own)

    point = over.planned_points[0]
    point = replace(point, min_clearance=point.min_clearance + 1e-4)
    wrong = replace(
        over,
        planned_points=(point, *over.planned_points[1:]),
        timeline=tuple(map(more, over.timeline)),
        miss=replace(over.miss, timeline=tuple(map(more, over.miss.timeline))),
    )
    assert failures(prove(wrong)) == {"miss: stated clearance"}


def test_another_place_pair_or_time(walled, failures):
    index = of_kind(walled, SegmentKind.TRAVEL)
    own = walled.timeline[index].clearance
    x, y, z = own.place
    for values in (
        {"place": (x + 1e-5, y, z)},
        {"moving": "forearm", "against": "moon"},
        {"moving": "forearm", "against": "table"},
        {"at": own.at + 0.01},
    ):
        assert failures(prove(stating(walled, index, **values))) == {"stated clearance"}


def test_a_place_beyond_the_end_of_a_line(walled, failures):
    """A place is looked at in the segments that pass it; this one, of all that agree, none does."""

    def beyond(segment):
        if segment.point_index != 0 or segment.kind is SegmentKind.TRAVEL:
            return segment
        return replace(segment, clearance=replace(segment.clearance, at=1.01))

    miss = replace(walled.miss, timeline=tuple(map(beyond, walled.miss.timeline)))
    wrong = replace(walled, timeline=tuple(map(beyond, walled.timeline)), miss=miss)
    assert failures(prove(wrong)) == {"stated clearance", "miss: stated clearance"}


def test_a_feasible_plan_keeps_what_is_required(walled, failures):
    index = of_kind(walled, SegmentKind.TRAVEL)
    low = stating(walled, index, certified=0.5 * walled.job.checks.clearance)
    assert failures(prove(low)) == {"clearance kept"}
    segments = list(walled.timeline)
    segments[index] = replace(segments[index], clearance=None)
    assert failures(prove(replace(walled, timeline=tuple(segments)))) == {"clearance kept"}


def test_a_wall_that_is_nearer_than_planned(walled, failures):
    found = failures(prove(with_solid(walled, "wall", np.array([0.03, 0.0, 0.0]))))
    own = {"certified clearance", "stated clearance"}
    assert found == own | {f"miss: {name}" for name in own}


def test_a_table_that_swallows_the_links(walled, failures):
    """A closed box around everything: no axis meets its skin."""
    table = next(s for s in walled.job.cell.solids if s.name == "table")
    center = table.mesh.vertices.mean(axis=0)
    vertices = center + 200.0 * (table.mesh.vertices - center)
    big = replace(table, mesh=type(table.mesh)(vertices=vertices, faces=table.mesh.faces))
    solids = tuple(big if s is table else s for s in walled.job.cell.solids)
    found = prove(replace(walled, job=replace(walled.job, cell=Cell(solids=solids))))
    assert "certified clearance" in failures(found)
    deep = next(check.value for check in found.check_list if check.name == "certified clearance")
    assert deep > 1.0


def test_a_part_with_something_in_the_way_of_the_ball(walled, failures):
    """A second, smaller plate 20 mm above the one that is probed, in the same mesh."""
    part = walled.job.cell.part
    point = walled.timeline[0].point_index
    contact, axis = walled.placed.contacts[point], walled.placed.axes[point]
    center = part.mesh.vertices.mean(axis=0)
    lid = contact - 0.02 * axis + 0.05 * (part.mesh.vertices - center)
    vertices = np.concatenate([part.mesh.vertices, lid])
    faces = np.concatenate([part.mesh.faces, part.mesh.faces + len(part.mesh.vertices)])
    other = replace(part, mesh=type(part.mesh)(vertices=vertices, faces=faces))
    solids = tuple(other if s is part else s for s in walled.job.cell.solids)
    found = prove(replace(walled, job=replace(walled.job, cell=Cell(solids=solids))))
    assert "approach to contact" in failures(found)


def test_postures_at_stated_places_are_where_the_way_says(walled):
    model = Model(walled.job.mechanism)
    found = stated_postures(walled, model, watched_segments(walled))
    for segment, q in zip(found.segment, found.q, strict=True):
        own = walled.timeline[segment]
        if own.kind is SegmentKind.TRAVEL:
            ends = walled.trajectory.state(np.array([own.start, own.end]), "left").q
            straight = own.law != "rounded"
            ends[0] = walled.trajectory.state(np.array([own.start])).q[0]
            expected = ends[0] + own.clearance.at * (ends[1] - ends[0])
            assert not straight or q == pytest.approx(expected, abs=1e-7)
            continue
        start = walled.placed.clearances[own.point_index]
        end = walled.placed.line_ends[own.point_index]
        ball = model.forward(q)[:3, 3]
        assert ball == pytest.approx(start + own.clearance.at * (end - start), abs=1e-8)


def test_of_many_segments_an_even_choice_is_looked_at(walled, monkeypatch):
    monkeypatch.setattr(module, "POSTURES", 20)
    segments = watched_segments(walled)
    assert len(segments) == pytest.approx(10, abs=2)
    kinds = {walled.timeline[i].kind for i in segments}
    assert kinds == set(SegmentKind) - {SegmentKind.DWELL}
    assert len(spread_postures(walled, segments).q) <= 20
    assert prove(walled).passed


@pytest.fixture(scope="module")
def bored():
    """Points in the holes of a block: a stylus near more of the part than it probes."""
    job = read_job(path_of("block-with-holes"))
    return planned(only(job, np.arange(0, len(job.points), 4)))


@pytest.mark.parametrize("change", some([-2e-6, 2e-6, 1e-4, 0.1], gate=2))
def test_another_distance_of_the_stylus_from_the_part_that_it_probes(bored, failures, change):
    """The probed surface may be nearer than stated; that let every larger distance pass."""
    index = next(
        i
        for i, s in enumerate(bored.timeline)
        if s.kind is SegmentKind.PROBE and s.clearance.pair == "stylus ball - part"
    )
    seen = bored.timeline[index].clearance.seen + change
    assert "stated clearance" in failures(prove(stating(bored, index, seen=seen)))


def test_a_stylus_that_is_said_to_be_near_the_part_instead_of_a_post(bored, failures):
    index = next(
        i
        for i, s in enumerate(bored.timeline)
        if s.kind is SegmentKind.PROBE and s.clearance.pair == "stylus ball - post"
    )
    wrong = stating(bored, index, moving="stylus ball", against="part")
    assert failures(prove(wrong)) == {"stated clearance"}
