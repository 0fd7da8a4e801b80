"""The front door: names, cost of the import, jobs made in Python, tables, the docs' scripts."""

from __future__ import annotations

import ast
import csv
import importlib.util
import re
import subprocess
import sys
import webbrowser
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import trimesh

import palpeur as pp
from planner.cli.main import main
from planner.errors import JobError, OptionError, OutputError
from planner.job.template import write_template
from planner.library import names as library_jobs
from planner.library import path_of
from tests.cases import some
from tests.planner.batch.in_process import judge_here

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 1000  # characters of a repr
NAMES = [
    *(
        "BatchOptions",
        "BatchResult",
        "Drawing",
        "Explanation",
        "ImportedRobot",
        "Job",
        "JobEvaluation",
    ),
    "Part",
    *("PartError", "Placement", "Plan", "PlannerError", "ProbePoints", "Proof"),
    *("Proposal", "RawPoints"),
    *(
        "Robot",
        "RobotError",
        "Sample",
        "SceneView",
        "SetOptions",
        "Solutions",
        "Tip",
        "__version__",
        "batch",
    ),
    *(
        "evaluate",
        "explain",
        "export",
        "import_robot",
        "load_part",
        "load_robot",
        "place",
        "plan",
        "propose",
        "prove",
    ),
    *("read_example", "read_job", "read_points", "show"),
]


def translated(*xyz: float) -> np.ndarray:
    return np.block([[np.eye(3), np.reshape(xyz, (3, 1))], [np.zeros((1, 3)), np.eye(1)]])


@pytest.fixture(scope="module")
def arm() -> pp.Robot:
    return pp.load_robot("measuring-arm")


@pytest.fixture(scope="module")
def box() -> pp.Part:
    return pp.load_part(trimesh.creation.box((100.0, 80.0, 20.0)), unit="mm")


@pytest.fixture(scope="module")
def job(arm, box) -> pp.Job:
    """A box on whose top five points are touched."""
    return pp.Job(
        robot=arm,
        part=box,
        points=box.sample("nearest:0,0,10", count=5),
        pose=translated(0.0, 1.5, 0.1),
        compensated=True,
        probe={"ball_diameter_mm": 4, "stylus_length_mm": 60},
    )


@pytest.fixture(scope="module")
def plan(job) -> pp.Plan:
    return pp.plan(job)


@pytest.fixture(scope="module")
def proof(plan) -> pp.Proof:
    return pp.prove(plan)


# --- names and imports ---------------------------------------------------------------------------


def test_the_door_lists_its_names_once():
    assert sorted(pp.__all__) == dir(pp) == NAMES


def test_types_are_checked_for_every_name():
    """What a type checker sees is what is loaded at run time."""
    tree = ast.parse((ROOT / "palpeur.py").read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname or alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for shown, own in (("batch", "run_batch"), ("evaluate", "evaluate_job")):
        seen[shown] = f"{seen.pop(own)}:{own}"
    assert seen == pp._HOMES


def test_an_example_is_read_by_its_name():
    assert pp.read_example("blade").name == pp.read_job(path_of("blade")).name
    with pytest.raises(pp.PlannerError, match="blade"):
        pp.read_example("blades")


def test_every_name_is_there():
    for name in NAMES:
        assert getattr(pp, name) is not None
    assert re.fullmatch(r"\d+\.\d+\.\d+", pp.__version__)
    with pytest.raises(AttributeError, match="no attribute 'Jobb'"):
        pp.Jobb  # noqa: B018


def test_importing_the_door_loads_nothing_heavy():
    code = "import sys, palpeur; dir(palpeur); print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    loaded = set(done.stdout.split())
    assert "palpeur" in loaded
    assert (
        loaded & {"numpy", "pandas", "trimesh", "matplotlib", "scipy", "planner", "robots"} == set()
    )


def test_one_type_per_concept():
    from planner.job.job import Job
    from planner.plan import Plan
    from planner.proof.proof import Proof

    assert (pp.Job, pp.Plan, pp.Proof) == (Job, Plan, Proof)


def test_no_room_stands_on_the_door():
    used = [
        path
        for room in ("planner", "robots", "parts", "reports")
        for path in (ROOT / room).rglob("*.py")
        if re.search(r"^\s*(import palpeur|from palpeur)\b", path.read_text(), re.MULTILINE)
    ]
    assert used == []


# --- robots --------------------------------------------------------------------------------------


def test_a_robot_is_its_models_and_all_branches_of_its_inverse(arm):
    q = np.array([0.3, 0.9, -0.6, 0.4, 0.5])
    T = arm.forward(q)
    found = arm.inverse(T)
    assert len(found) == 4
    assert {answer.branch for answer in found.answers} >= {"shoulder+ elbow+ wrist+"}
    reached = arm.forward(found.q)
    assert np.abs(reached[:, :3, 3] - T[:3, 3]).max() < 1e-9
    assert np.abs(reached[:, :3, 2] - T[:3, 2]).max() < 1e-9
    assert np.abs(found.q - q).max(axis=1).min() < 1e-9
    assert arm.jacobian(q).shape == (6, 5)
    assert arm.torques(q, q, q).shape == (5,)


def test_out_of_reach_has_no_posture_and_a_reason(arm):
    found = arm.inverse(translated(9.0, 0.0, 0.0))
    assert len(found) == 0
    assert found.q.shape == (0, 5)
    assert "out of reach" in found.best.reason
    assert "out of reach" in repr(found)


def test_other_robots_are_searched():
    robot = pp.load_robot("industrial-6r")
    q = np.array([0.3, 0.4, -0.6, 0.4, 0.5, 0.6])
    T = robot.forward(q)
    found = robot.inverse(T, near=q)
    assert np.abs(robot.forward(found.q) - T).max() < 1e-8
    assert np.abs(found.q[0] - q).max() < 1e-8


def test_the_table_of_joints_is_the_robot(arm):
    """Without the tool, which no row of joints holds."""
    again = pp.load_robot(arm.joints, name="again")
    q, qd, qdd = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 5))
    assert np.abs(again.torques(q, qd, qdd) - arm.torques(q, qd, qdd)).max() < 1e-12
    assert np.abs(again.transforms(q) - arm.transforms(q)).max() < 1e-15
    assert np.allclose(again.mechanism.q_max, arm.mechanism.q_max, rtol=1e-15)
    assert again.joints.equals(arm.joints)


def test_a_placement_that_is_no_row_keeps_its_place():
    robot = pp.load_robot("bip2000")
    again = pp.load_robot(robot.joints)
    q = np.random.default_rng(2).uniform(-0.5, 0.5, robot.dof)
    assert np.abs(again.transforms(q) - robot.transforms(q)).max() < 1e-12


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"max_speed": 1.0}, "column 'max_speed', which no robot file has; did you mean"),
        ({"min_deg": 400.0}, "above max_deg"),
        ({"mass_kg": -1.0}, "mass_kg is -1"),
    ],
)
def test_a_table_with_a_fault_is_refused(arm, change, told):
    with pytest.raises(pp.RobotError, match=re.escape(told)):
        pp.load_robot(arm.joints.assign(**change))


def test_a_robot_is_a_name_a_file_a_mechanism_or_a_table(arm, tmp_path):
    from robots.core.robot_file import write_toml
    from robots.core.urdf import write_urdf

    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    toml, urdf = tmp_path / "own.toml", tmp_path / "own.urdf"
    toml.write_text(write_toml(arm.mechanism))
    urdf.write_text(write_urdf(arm.mechanism))
    for robot in (toml, str(urdf), arm.mechanism, arm):
        assert np.abs(pp.load_robot(robot).forward(q) - arm.forward(q)).max() < 1e-12
    with pytest.raises(pp.RobotError, match="'nowhere'"):
        pp.load_robot(urdf, tip="nowhere")
    with pytest.raises(pp.RobotError, match="belongs to a URDF file"):
        pp.load_robot(arm.mechanism, tip="tool0")
    with pytest.raises(pp.RobotError, match="a library name, a path, a Mechanism or a DataFrame"):
        pp.load_robot(42)


# --- parts and points ----------------------------------------------------------------------------


def test_a_plan_that_nobody_proved_is_not_exported(job, plan, tmp_path):
    with pytest.raises(TypeError, match=r"plan takes a Job, not a str; read_job\(path\)"):
        pp.plan("job.toml")
    with pytest.raises(TypeError, match=r"prove takes a Plan, not a Job: prove\(plan\(job\)\)"):
        pp.prove(job)
    with pytest.raises(TypeError, match=r"export takes a Proof, not a Plan; prove the plan first"):
        pp.export(plan, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_mesh_needs_a_unit_and_keeps_every_bit():
    mesh = trimesh.creation.icosphere(radius=12.5)
    with pytest.raises(pp.PartError, match="a unit is never guessed"):
        pp.load_part(mesh)
    part = pp.load_part(mesh, unit="m")
    assert np.array_equal(np.sort(part.mesh.vertices, axis=0), np.sort(mesh.vertices, axis=0))
    assert part.mesh.is_watertight
    assert pp.load_part(mesh, unit="in").mesh.extents == pytest.approx(0.0254 * mesh.extents)


def test_a_mesh_that_states_its_unit_is_taken_at_its_word():
    mesh = trimesh.creation.box((2.0, 2.0, 2.0))
    mesh.units = "inches"
    assert pp.load_part(mesh).mesh.extents == pytest.approx([0.0508] * 3)
    with pytest.raises(
        pp.PartError, match=r"mesh.units is 'inches', but the unit is given as 'mm'"
    ):
        pp.load_part(mesh, unit="mm")


def test_a_file_without_unit_is_refused(tmp_path):
    path = tmp_path / "box.stl"
    trimesh.creation.box((1.0, 1.0, 1.0)).export(path)
    with pytest.raises(pp.PartError, match="carries no unit"):
        pp.load_part(path)
    assert pp.load_part(path, unit="cm").mesh.extents == pytest.approx([0.01] * 3)


def test_faces_and_features_are_tables():
    part = pp.load_part("block")
    assert list(part.faces.columns) == [
        *("index", "name", "kind", "feature", "area_mm2", "x_mm", "y_mm", "z_mm"),
        *("nx", "ny", "nz", "neighbours", "triangles", "deflection_mm"),
    ]
    assert part.faces["area_mm2"].sum() == pytest.approx(1e6 * part.mesh.area)
    hole = part.features.set_index("name").loc["hole-12"]
    assert (hole["kind"], hole["inner"], hole["diameter_mm"]) == ("hole", True, 12.0)
    assert hole[["x_mm", "y_mm"]].tolist() == [60.0, 20.0]


def test_a_sample_is_that_of_the_command(capsys):
    part = pp.load_part("block")
    found = part.sample("hole-12", count=7, prefix="H")
    assert main(["sample", "block", "--feature", "hole-12", "--count", "7", "--prefix", "H"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    table = found.to_frame()
    assert list(table.columns) == list(rows[0])
    assert table["name"].tolist() == [row["name"] for row in rows]
    for column in table.columns[1:-1]:
        assert table[column].to_numpy() == pytest.approx(
            [float(row[column]) for row in rows], abs=1e-12
        )


def test_count_and_target_exclude_each_other(box):
    with pytest.raises(pp.PartError, match="exclude each other"):
        box.sample("nearest:0,0,10", count=3, target=1e-6)


def test_points_of_a_file_are_a_table(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("name,x_mm,y_mm,z_mm,nx,ny,nz\nA,1.5,2,3,0,0,1\n")
    table = pp.read_points(path).to_frame()
    assert table.drop(columns="feature").iloc[0].tolist() == ["A", 1.5, 2.0, 3.0, 0.0, 0.0, 1.0]


# --- jobs made in Python -------------------------------------------------------------------------


def same(one, other, where: str = "job") -> None:
    """Every field of two values is equal, bit for bit; where a file was read is left out."""
    assert type(one) is type(other), where
    if isinstance(one, np.ndarray):
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f"), where
    elif isinstance(one, pp.Robot):
        same(one.mechanism, other.mechanism, where)
    elif is_dataclass(one):
        for field in fields(one):
            if (type(one).__name__, field.name) not in {
                ("JobInput", "path"),
                ("JobInput", "content"),
            }:
                same(getattr(one, field.name), getattr(other, field.name), f"{where}.{field.name}")
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), where
        for k, (a, b) in enumerate(zip(one, other, strict=True)):
            same(a, b, f"{where}[{k}]")
    else:
        nothing = isinstance(one, float) and np.isnan(one) and np.isnan(other)
        assert one == other or nothing, where


def random_tables(draw: np.random.Generator) -> dict:
    """Settings as a user may give them; plain numbers, NumPy's own, arrays."""
    tables = {
        "approach": {
            "distance_mm": draw.uniform(5.0, 80.0),
            "law": str(draw.choice(["linear", "cubic", "quintic", "trapezoid"])),
            "dwell_s": draw.choice([0.0, 0.25]),
            "axis": draw.normal(size=3) if draw.random() < 0.3 else "normal",
        },
        "travel": {
            "order": str(draw.choice(["as-given", "fastest"])),
            "seed": draw.integers(1, 99),
        },
        "checks": {"joint_margin_deg": draw.uniform(0.0, 3.0), "clearance_mm": np.float64(0.5)},
        "sampling": {"period_ms": draw.choice([0.5, 1.0, 2.5])},
        "probe": {
            "stylus_length_mm": draw.uniform(20.0, 120.0),
            "ball_diameter_mm": 3.0,
            "mass_kg": draw.uniform(0.0, 0.5),
        },
        "robot_settings": {
            "speed_scale": draw.uniform(0.2, 1.0),
            "limits": {"q1": {"max_deg": draw.uniform(150.0, 179.0)}},
        },
    }
    if draw.random() < 0.5:
        tables["cell"] = {
            "obstacle": [
                {
                    "name": "wall",
                    "geometry": trimesh.creation.box((50.0, 400.0, 300.0)),
                    "unit": "mm",
                    "pose": translated(*draw.uniform(-2.0, -1.0, 3)),
                },
                {"name": "post", "box_mm": draw.uniform(10.0, 50.0, 3), "keep_out": True},
            ]
        }
    if draw.random() < 0.5:  # otherwise the law says that the ball comes to rest at contact
        tables["approach"]["law"] = "quintic"
        tables["touch"] = {
            "speed_mm_s": draw.uniform(1.0, 20.0),
            "search_before_mm": draw.uniform(0.5, 4.0),
            "latency_ms": np.float64(0.7),
            "deceleration_mm_s2": draw.uniform(50.0, 900.0),
            "positioning_speed_mm_s": draw.choice([0.0, 120.0]),
            "feature": [{"name": "top", "back_off_mm": draw.uniform(0.5, 4.0), "settle_s": 0.1}],
        }
    if draw.random() < 0.5:
        tables["uncertainty"] = {"probe_mm": draw.uniform(1e-4, 1e-2), "samples": 0}
        tables["tolerance"] = [{"feature": "top", "kind": "flatness", "value_mm": 0.05}]
    return tables


@pytest.mark.parametrize("seed", some(range(12), gate=5))
def test_a_written_job_is_the_same_job(seed, arm, tmp_path):
    draw = np.random.default_rng(seed)
    robots = [arm, pp.load_robot(arm.joints.assign(max_torque_nm=draw.uniform(500.0, 900.0, 5)))]
    part = pp.load_part(trimesh.creation.box(draw.uniform(60.0, 140.0, 3)), unit="mm")
    points = part.sample("nearest:0,0,100", count=int(draw.integers(3, 9))).to_frame()
    points["feature"] = "top"
    turn = trimesh.transformations.random_rotation_matrix(draw.random(3))
    made = pp.Job(
        robot=robots[seed % 2],
        part=part,
        points=points,
        pose=translated(*draw.uniform(0.2, 1.0, 3)) @ turn,
        name=f"draw {seed}",
        compensated=bool(draw.integers(2)),
        **random_tables(draw),
    )
    read = pp.read_job(made.write(tmp_path / "sub" / "copy.toml"))
    same(made, read)
    assert made.fingerprint == read.fingerprint
    again = pp.read_job(read.write(tmp_path / "again" / "job.toml"))
    assert again.fingerprint == made.fingerprint


def test_a_written_job_gives_the_same_plan(job, plan, tmp_path):
    read = pp.plan(pp.read_job(job.write(tmp_path / "copy.toml")))
    for table in ("points", "segments", "joints", "findings"):
        pd.testing.assert_frame_equal(getattr(read, table), getattr(plan, table), check_exact=True)
    pd.testing.assert_frame_equal(read.samples(), plan.samples(), check_exact=True)


@pytest.mark.parametrize("name", [*library_jobs(), "template"])
def test_jobs_of_files_are_written_without_loss(name, tmp_path):
    source = write_template(tmp_path / "from")[0] if name == "template" else path_of(name)
    read = pp.read_job(source)
    written = read.write(tmp_path / "to" / source.name)
    assert written.read_bytes() == source.read_bytes()
    same(read, pp.read_job(written))


def test_files_outside_the_folder_are_written_into_it(tmp_path):
    for name in ("job.toml", "points.csv"):
        content = path_of("nine-points-corrected").with_name(name).read_text()
        folder = tmp_path / ("jobs" if name == "job.toml" else "lists")
        folder.mkdir()
        (folder / name).write_text(content.replace('"points.csv"', '"../lists/points.csv"'))
    read = pp.read_job(tmp_path / "jobs" / "job.toml", allow_outside=True)
    written = pp.read_job(read.write(tmp_path / "elsewhere" / "job.toml"))
    same(read.points, written.points)
    same(read.mechanism, written.mechanism)
    assert sorted(p.name for p in (tmp_path / "elsewhere").iterdir()) == ["job.toml", "points.csv"]


def test_nothing_is_overwritten_unasked(job, tmp_path):
    (tmp_path / "points.csv").write_text("mine")
    with pytest.raises(OutputError, match="there already, with another content"):
        job.write(tmp_path / "job.toml")
    assert (tmp_path / "points.csv").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["points.csv"]
    job.write(tmp_path / "job.toml", overwrite=True)
    job.write(tmp_path / "job.toml")  # the same content again


def test_replace_lays_tables_over_the_job(job):
    near = job.replace(approach={"distance_mm": 20}, name="near", pose=translated(0.0, 1.4, 0.1))
    assert (near.name, near.approach.distance) == ("near", 0.02)
    assert near.part.T_base_part[1, 3] == 1.4
    assert near.probe == job.probe
    assert np.array_equal(near.points.positions, job.points.positions)
    back = near.replace(approach=None, name=job.name, pose=job.part.T_base_part)
    same(back.replace(probe={"mass_kg": 0}).approach, job.approach)
    few = job.replace(points=job.points.to_frame().head(2))
    assert len(few.points) == 2
    assert near.geometry is job.geometry  # not read again
    bare = job.replace(part=None)
    assert bare.geometry is None
    assert np.array_equal(bare.part.T_base_part, job.part.T_base_part)
    with pytest.raises(JobError, match="A job needs robot"):
        job.replace(robot=None)
    slow = job.replace(robot_settings={"speed_scale": 0.5})
    assert np.array_equal(slow.mechanism.max_speed, 0.5 * job.mechanism.max_speed)


def test_a_copy_that_its_file_does_not_describe_is_not_written(job, tmp_path):
    changed = replace(job, sampling_period=0.5)
    assert changed.sampling_period == 0.5
    with pytest.raises(JobError, match=r"change it by job.replace"):
        changed.write(tmp_path / "job.toml")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"aproach": {}}, "aproach is not a known key; did you mean 'approach'?"),
        ({"approach": {"distance": 3}}, "approach.distance is not a known key"),
        ({"checks": {"clearance_mm": -1}}, "checks.clearance_mm is -1; expected a number from 0"),
        ({"frame": "tool"}, "points.frame"),
        ({"probe": {"ball_diameter_mm": 4}}, "points.compensated is missing; with a ball of 4 mm"),
        ({"robot_settings": {"limits": {"q9": {"max_deg": 1}}}}, "is no movable joint"),
        ({"sampling": {"period_ms": {1, 2}}}, "a job file holds texts, numbers, lists and tables"),
    ],
)
def test_a_job_with_a_fault_is_refused_by_its_key(arm, change, told):
    points = pd.DataFrame(
        [("A", 0, 1500, 840, 0, 0, 1)], columns=["name", "x_mm", "y_mm", "z_mm", "nx", "ny", "nz"]
    )
    with pytest.raises(JobError, match=re.escape(told)) as caught:
        pp.Job(robot=arm, points=points, **change)
    assert "line" not in caught.value.message.split(":")[0]  # nobody wrote a file


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (["name", "x", "y", "z", "nx", "ny", "nz"], "unit"),
        (["name", "x_mm", "y_mm", "nx", "ny", "nz", "feature"], "z_mm"),
    ],
)
def test_points_without_unit_or_column_are_refused(arm, columns, told):
    table = pd.DataFrame([["A", 0, 1500, 840, 0, 0, 1]], columns=columns)
    with pytest.raises(JobError, match=told):
        pp.Job(robot=arm, points=table)


def test_points_may_be_in_metres_or_indexed_by_name(arm):
    metres = pd.DataFrame(
        [("A", 0.0, 1.5, 0.84, 0.0, 0.0, 1.0)],
        columns=["name", "x_m", "y_m", "z_m", "nx", "ny", "nz"],
    )
    job = pp.Job(robot=arm, points=metres.set_index("name"))
    assert job.points.names == ("A",)
    assert job.points.positions.tolist() == [[0.0, 1.5, 0.84]]


# --- plans and proofs as tables ------------------------------------------------------------------


def test_tables_have_the_columns_and_values_of_the_files(proof, tmp_path):
    plan = proof.plan
    pp.export(proof, tmp_path / "out", options=pp.SetOptions(figures=False, pages=False))
    points = pd.read_csv(tmp_path / "out/points.csv", keep_default_na=True)
    pd.testing.assert_frame_equal(points, plan.points, check_dtype=False, check_exact=True)
    samples = pd.read_parquet(tmp_path / "out/trajectory.parquet")
    pd.testing.assert_frame_equal(samples, plan.samples(), check_dtype=False, check_exact=True)


def test_a_report_set_of_a_job_made_in_python_verifies(proof, tmp_path, capsys):
    pp.export(proof, tmp_path / "out", options=pp.SetOptions(figures=False, pages=False))
    stored = tmp_path / "out/inputs"
    assert sorted(path.name for path in stored.iterdir()) == ["job.toml", "part.ply", "points.csv"]
    same(proof.plan.job, pp.read_job(stored / "job.toml"))
    assert main(["verify", str(tmp_path / "out")]) == 0, capsys.readouterr()


def test_tables_have_the_keys_of_the_document(proof):
    from reports.plan_document import plan_document

    document, plan = plan_document(proof), proof.plan
    assert list(plan.joints.columns) == list(document["joints"][0])
    assert list(plan.findings.columns) == list(document["findings"][0])
    assert set(plan.segments.columns) >= set(document["segments"][0]) - {"clearance"}
    assert list(proof.checks.columns)[:5] == list(document["validation"]["checks"][0])
    assert len(plan.segments) == len(document["segments"])
    assert plan.segments["duration_s"].sum() == pytest.approx(document["duration_s"])


def test_samples_are_drawn_at_any_period(plan):
    table = plan.samples(period=0.01)
    assert np.diff(table["t_s"].to_numpy())[:-1] == pytest.approx(0.01)
    assert table["t_s"].iloc[-1] == pytest.approx(plan.totals.duration)
    assert set(table["point"]) == set(plan.job.points.names)
    for period in (0.0, -1.0, float("nan")):
        with pytest.raises(JobError, match="sampling period"):
            plan.samples(period)
    with pytest.raises(JobError, match="at most"):
        plan.samples(1e-12)


def test_a_plan_without_motion_has_empty_tables(arm):
    far = pd.DataFrame(
        [("A", 0, 9000, 0, 0, 0, 1)], columns=["name", "x_mm", "y_mm", "z_mm", "nx", "ny", "nz"]
    )
    plan = pp.plan(pp.Job(robot=arm, points=far))
    assert not plan.feasible
    assert (len(plan.points), len(plan.segments), len(plan.samples())) == (1, 0, 0)
    assert "NOT FEASIBLE" in repr(plan)
    assert plan.findings["code"].tolist()[0] == "P101"
    assert pp.prove(plan).passed


@pytest.mark.parametrize(
    "name", some(["tip-path", "tip path", "joint torque", "total power"], gate=2)
)
def test_figures_are_matplotlibs(plan, name, tmp_path):
    from matplotlib.figure import Figure

    figure = plan.figure(name)
    assert isinstance(figure, Figure)
    figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000


def test_a_figure_that_is_not_there_is_told(plan):
    with pytest.raises(OptionError, match="did you mean 'joint torque'"):
        plan.figure("joint torques")


# --- for a reader --------------------------------------------------------------------------------


def test_reprs_are_short_and_html_is_there(arm, box, job, plan, proof, tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("name,x_mm,y_mm,z_mm,nx,ny,nz\nA,1.5,2,3,0,0,1\n")
    sample = box.sample("nearest:0,0,10", count=5)
    shown = [arm, box, sample, sample.points, pp.read_points(path), job, plan, proof]
    shown.append(pp.explain(job, "P1"))
    for one in shown:
        assert 0 < len(repr(one)) < LONGEST
        assert "<table" in one._repr_html_()
    assert "feasible; not checked: torque limits" in repr(plan)
    assert "Proof passed" in repr(proof)


def test_html_escapes_names(arm):
    points = pd.DataFrame(
        [("<b>A</b>", 0, 1500, 840, 0, 0, 1)],
        columns=["name", "x_mm", "y_mm", "z_mm", "nx", "ny", "nz"],
    )
    job = pp.Job(robot=arm, points=points, name="<script>alert(1)</script>")
    for one in (job, pp.plan(job)):
        assert "<script>" not in one._repr_html_()
        assert "<b>A" not in one._repr_html_()


def test_show_makes_a_page_without_a_browser(arm, box, proof, tmp_path):
    for shown in (proof, proof.plan, arm, box):
        view = pp.show(shown, open_browser=False)
        assert view.path is None
        assert view.html.startswith("<!DOCTYPE html>") or "<html" in view.html[:500]
        assert 'srcdoc="' in view._repr_html_()
        assert view.save(tmp_path / "scene.html").stat().st_size == len(view.html.encode())
    with pytest.raises(OptionError, match="has no 3D picture"):
        pp.show("a text")
    with pytest.raises(OptionError, match="has 5 joints"):
        arm.show([0.0], open_browser=False)


def test_show_opens_a_page_outside_a_notebook(plan, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    view = plan.show()
    assert opened == [view.path.as_uri()]
    assert view.path.read_text(encoding="utf-8") == view.html


# --- why, where ----------------------------------------------------------------------------------


def test_explain_tells_branches_and_fixes():
    job = pp.read_job(path_of("unreachable"))
    found = pp.explain(job, "far")
    assert not found.served
    assert found.findings["code"].tolist() == ["P101"]
    assert found.fixes["verified"].all()
    assert "NOT MEASURABLE" in repr(found)
    with pytest.raises(pp.PartError, match="no point 'fra'; did you mean 'far'"):
        pp.explain(job, "fra")


def test_explain_lists_every_branch_of_a_served_point(job):
    found = pp.explain(job, "P2")
    assert found.served
    assert found.plan is not None
    assert found.branches["holds"].any()
    assert found.branches["inverse_branch"].str.len().min() > 0
    assert "turn_on_deg" not in found.branches  # of five joints none is left
    assert found.branches.loc[~found.branches["holds"], "breaks"].str.len().min() > 0
    assert len(found.fixes) == 0


def test_place_gives_a_pose_that_a_job_takes(monkeypatch):
    monkeypatch.setattr("planner.part_pose.best_pose._FIRST", 100)  # not the very best of all
    monkeypatch.setattr("planner.part_pose.best_pose._ROUNDS", 3)
    job = pp.read_job(path_of("nine-points-corrected"))
    placing = pp.place(job)
    assert placing.maps is None
    assert placing.poses["points_served"].tolist() == [9, 9]
    margins = placing.poses["worst_margin_deg"]
    assert margins["best"] > margins["given"]
    assert placing.to_frame()["kind"].tolist() == ["translation", "rotation"]
    assert len(repr(placing)) < LONGEST
    moved = pp.plan(job.replace(pose=placing.pose))
    assert moved.totals.duration == pytest.approx(
        placing.placing.best.plan.totals.duration, rel=1e-9
    )


def test_evaluate_takes_a_table_or_a_file(job, tmp_path):
    shift = 0.02  # [mm] along the normal, which is z
    table = job.points.to_frame()
    table["z_mm"] += shift
    toleranced = job.replace(
        tolerance=[{"feature": table["feature"][0], "kind": "flatness", "value_mm": 0.01}],
        evaluation={"compensated": True},
    )
    found = pp.evaluate(toleranced, table)
    assert found.points["along_normal_mm"].to_numpy() == pytest.approx(shift)
    assert found.characteristics["verdict"].tolist()[0] == "pass"
    table.to_csv(tmp_path / "measured.csv", index=False)
    again = pp.evaluate(toleranced, tmp_path / "measured.csv")
    pd.testing.assert_frame_equal(again.points, found.points, check_exact=True)
    assert "<table" in found._repr_html_()
    assert len(repr(found)) < LONGEST
    with pytest.raises(JobError, match="table of measured points"):
        pp.evaluate(toleranced, table.assign(name=list("vwxyz")))


def test_batch_runs_jobs_and_goes_on(job, tmp_path, monkeypatch):
    job.write(tmp_path / "jobs" / "one.toml")
    judge_here(monkeypatch)
    options = pp.BatchOptions(workers=1)
    first = pp.batch(tmp_path / "jobs", out=tmp_path / "out", options=options)
    assert (first.jobs, first.ran, first.feasible) == (1, 1, True)
    summary = pd.read_csv(tmp_path / "out/summary.csv")
    assert list(first.to_frame().columns) == list(summary.columns)
    again = pp.batch([tmp_path / "jobs"], out=tmp_path / "out", options=options)
    assert (again.jobs, again.ran) == (1, 0)
    assert "1 jobs, 0 ran now" in repr(again)
    assert "<table" in again._repr_html_()


# --- the documentation ---------------------------------------------------------------------------


def code_blocks() -> list[str]:
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def step_file(hole: str) -> str:
    """A ring whose bore has a name, as the STEP tests write it."""
    path = ROOT / "tests/parts/geometry/conftest.py"
    spec = importlib.util.spec_from_file_location("step_writer", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["step_writer"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    ring = module.Revolution(
        corners=[(8.0, 0.0), (40.0, 0.0), (40.0, 25.0), (8.0, 25.0)], names={3: hole}
    )
    writer = module.StepWriter()
    return writer.file([ring.shell(writer)])


@pytest.mark.usefixtures("few_figures")
def test_the_first_script_runs_as_it_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda _: True)
    write_template(tmp_path)
    (tmp_path / "bracket.step").write_text(step_file("hole-3"))
    names: dict[str, object] = {}
    before, script, _ = code_blocks()
    exec(before, names)
    exec(script, names)
    assert len(names["pts"]) == 12
    assert names["proof"].passed
    assert pp.read_job("copy.toml").fingerprint == names["job"].fingerprint
    assert (tmp_path / "out/report.html").is_file()
    assert list(names["data"].columns)[:4] == ["t_s", "segment", "point", "q1_rad"]


def test_the_job_of_the_first_script_can_be_planned(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bracket.step").write_text(step_file("hole-3"))
    names: dict[str, object] = {}
    exec(code_blocks()[0], names)
    lines = code_blocks()[1].splitlines()
    exec("\n".join(line for line in lines[:6]), names)
    job = names["job"]
    assert job.geometry is not None
    assert pp.plan(job).planned_points
    same(job, pp.read_job(job.write(tmp_path / "copy" / "job.toml")))


@pytest.mark.usefixtures("few_figures")
def test_the_second_script_runs_as_it_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(code_blocks()[2], names)
    assert names["proof"].passed
    assert names["plan"].feasible
    assert names["arm"].inverse(names["arm"].forward(np.zeros(5))).best is not None
    for name in ("torques.png", "speeds.png", "block-out/plan.json", "block-out/report.pdf"):
        assert (tmp_path / name).stat().st_size > 1000
