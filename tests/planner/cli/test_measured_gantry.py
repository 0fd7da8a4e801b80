"""By commands: a plan, its programme, a control that runs it, and the evaluation of its log."""

import json

import numpy as np
import pytest

from planner.planning import plan
from reports.programmes.source import ProgrammeSource
from tests.cases import some
from tests.reports.programmes.gantry import gantry_job
from tests.reports.programmes.gcode_judge import Bench
from tests.reports.programmes.measuring_judge import Bench as MachineBench


@pytest.fixture
def job(tmp_path):
    return gantry_job(tmp_path)


@pytest.mark.parametrize(
    ("key", "dialect", "path"),
    some([("linuxcnc", "linuxcnc", "palpeur.ngc"), ("fanuc-gcode", "fanuc", "palpeur.nc")], gate=1),
)
def test_a_log_comes_back_as_it_is(palpeur, job, tmp_path, key, dialect, path):
    asked = ("plan", tmp_path / "job.toml", "--out", tmp_path / "out", "--data-only")
    assert palpeur(*asked, "--export", key).code == 0
    planned = plan(job)
    bench = Bench(planned, ProgrammeSource(planned), dialect)
    text = (tmp_path / "out" / "robot" / path).read_bytes().decode("ascii")
    run = bench.execute(text)
    (tmp_path / "palpeur_hits.csv").write_text("\n".join(run.log) + "\n")
    ran = palpeur("evaluate", tmp_path / "job.toml", tmp_path / "palpeur_hits.csv", "--json")
    assert ran.code == 0, ran.err
    assert_found(ran.json, bench, job)


@pytest.mark.parametrize(
    ("dialect", "path", "more"),
    some([("dmis", "program.dmi", ["--frame", "base"]), ("ipp", "program.ipp", [])], gate=1),
)
def test_a_machine_comes_back_as_it_is(palpeur, job, tmp_path, dialect, path, more):
    asked = ("plan", tmp_path / "job.toml", "--out", tmp_path / "out", "--data-only")
    assert palpeur(*asked, "--export", dialect).code == 0
    planned = plan(job)
    bench = MachineBench(planned, ProgrammeSource(planned), dialect, tmp_path)
    run = bench.execute((tmp_path / "out" / path).read_bytes().decode("ascii"))
    log = tmp_path / ("session.log" if dialect == "ipp" else "results.dmi")
    log.write_text("\n".join(run.log) + "\n")
    ran = palpeur("evaluate", tmp_path / "job.toml", log, "--json", *more)
    assert ran.code == 0, ran.err
    assert_found(ran.json, bench, job)


def assert_found(document, bench, job):
    """The alignment is the displacement of the part, to 1e-6 mm at its points."""
    T = np.array(matrix_in(document))
    there = np.linalg.inv(job.part.T_base_part) @ bench.cell.displacement @ job.part.T_base_part
    points = np.hstack([job.points.positions, np.ones((len(job.points), 1))])
    moved = points @ (T @ there).T - points
    assert np.abs(moved[:, :3]).max() <= 1e-9


def matrix_in(document):
    """The one 4 by 4 matrix of the alignment."""
    found = [value for value in document["alignment"].values() if np.shape(value) == (4, 4)]
    assert len(found) == 1, json.dumps(document["alignment"])[:500]
    return found[0]


@pytest.mark.usefixtures("job")
def test_a_frame_that_does_not_exist(palpeur, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("name,x_mm,y_mm,z_mm\nT1,0,0,0\n")
    ran = palpeur("evaluate", tmp_path / "job.toml", path, "--frame", "world")
    assert ran.code == 2
    assert "--frame is 'world'; choose part or base" in ran.err
