"""DMIS and I++ run by machines of the standards: motions, speeds, hits, and the way back."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from parts.errors import PointsError
from parts.evaluation.measured_points import MeasuredPoints, match_points
from parts.points import ProbePoints
from planner.evaluation.evaluate import evaluate
from planner.evaluation.reading import read_measured
from planner.evaluation.task import nearest_in_features
from planner.job import read_job
from planner.planning import plan
from reports.programmes.dmis import dmis
from reports.programmes.ipp import ipp
from reports.programmes.probing import styli
from reports.programmes.source import ProgrammeSource
from tests.cases import cases, some
from tests.reports.programmes.gantry import JOB, gantry_job
from tests.reports.programmes.measuring_judge import Bench, mutants, noticed

WRITERS = {"ipp": ipp, "dmis": dmis}
MUTANTS = cases(gate=5, soak=100)
NAMED = JOB.replace("[probe]", '[probe]\nname = "Probe1"')


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    job = gantry_job(tmp_path_factory.mktemp("gantry"), text=NAMED)
    return ProgrammeSource(plan(job))


def text_of(source, dialect):
    (content,) = WRITERS[dialect](source).values()
    return content.decode("ascii")


@pytest.fixture(scope="module", params=list(WRITERS))
def bench(request, source, tmp_path_factory):
    return Bench(source.plan, source, request.param, tmp_path_factory.mktemp("log"))


def test_the_programme_does_what_the_plan_says(bench, source):
    bench.judge(text_of(source, bench.dialect))


@pytest.mark.parametrize("dialect", some(list(WRITERS), gate=1))
def test_a_part_with_bores_detours_and_several_styli(library_plan, dialect, tmp_path):
    source = ProgrammeSource(library_plan("block-with-holes"))
    bench = Bench(source.plan, source, dialect, tmp_path)
    bench.away = dict(list(bench.away.items())[:: cases(gate=43, soak=1)])
    bench.judge(text_of(source, dialect))


def test_the_way_back_aligns_the_part_as_it_stands(bench, source):
    bench.judge(text_of(source, bench.dialect))
    job = bench.job
    T = evaluate(job, bench.found).alignment.T_part_measured
    left = T @ np.linalg.inv(job.part.T_base_part) @ bench.cell.displacement @ job.part.T_base_part
    corners = 0.06 * np.array(
        [[x, y, z, 1 / 0.06] for x in (-1, 1) for y in (-1, 1) for z in (0, 1)]
    )
    assert np.abs((corners @ left.T - corners)[:, :3]).max() <= 1e-9


def test_wrong_programmes_are_noticed(bench, source):
    text = text_of(source, bench.dialect)
    blind = [
        name
        for name, mutant in mutants(text, bench.dialect, MUTANTS).items()
        if not noticed(bench, mutant)
    ]
    assert blind == []


def touch_speeds(source):
    """Touch speeds of both programmes. [mm/s]."""
    mesvel = re.findall(r"FEDRAT/MESVEL, MPM, ([\d.]+)", text_of(source, "dmis"))
    speed = re.findall(r"PtMeasPar\.Speed\(([\d.]+)\)", text_of(source, "ipp"))
    return [1e3 * float(value) / 60.0 for value in mesvel] + [float(value) for value in speed]


@pytest.mark.parametrize(
    "name",
    some(
        ["nine-points-corrected", "nine-points-as-published", "block-with-holes", "blade"], gate=2
    ),
)
def test_no_machine_is_told_to_touch_faster_than_a_touch(library_plan, name):
    """Once program.dmi said MESVEL 66 m/min, and program.ipp Speed(1107)."""
    planned = library_plan(name)
    assert planned.job.touch.searching == (not name.startswith("nine"))
    source = ProgrammeSource(planned)
    speeds = touch_speeds(source)
    assert speeds
    assert max(speeds) <= 5.0 * (1.0 + 1e-9)
    assert min(speeds) >= 1.0
    searches = re.findall(r"SNSET/(?:SEARCH|APPRCH), ([\d.]+)", text_of(source, "dmis"))
    assert all(0.0 < float(value) <= 10.0 for value in searches)
    told = b"touch.mode is to-rest" in dmis(source)["program.dmi"]
    assert told == (not planned.job.touch.searching)


def test_the_first_job_of_a_user_touches_slowly(tmp_path):
    """The untouched job of ``palpeur init``."""
    from planner.job import write_template

    paths = write_template(tmp_path / "first")
    planned = plan(read_job(next(path for path in paths if path.name == "job.toml")))
    source = ProgrammeSource(planned)
    assert set(touch_speeds(source)) == {5.0}
    searches = re.findall(r"PtMeasPar\.(?:Approach|Search)\(([\d.]+)\)", text_of(source, "ipp"))
    assert {float(value) for value in searches} <= {2.0, 3.0}


def test_positioning_is_no_faster_than_the_plan_or_the_job(source):
    peaks = [1e3 * step.speed for step in source.steps.steps if hasattr(step, "centres")]
    for pattern, scale, dialect in (
        (r"FEDRAT/POSVEL, MPM, ([\d.]+)", 1e3 / 60.0, "dmis"),
        (r"GoToPar\.Speed\(([\d.]+)\)", 1.0, "ipp"),
    ):
        found = [scale * float(value) for value in re.findall(pattern, text_of(source, dialect))]
        assert max(found) <= max(peaks) * (1.0 + 1e-9)


def test_positioning_keeps_the_speed_of_the_job(tmp_path):
    text = JOB.replace("[evaluation]", "[touch]\npositioning_speed_mm_s = 80\n[evaluation]")
    source = ProgrammeSource(plan(gantry_job(tmp_path, text=text)))
    found = re.findall(r"GoToPar\.Speed\(([\d.]+)\)", text_of(source, "ipp"))
    assert max(map(float, found)) <= 80.0
    found = re.findall(r"FEDRAT/POSVEL, MPM, ([\d.]+)", text_of(source, "dmis"))
    assert max(map(float, found)) <= 4.8


def test_the_tool_is_the_jobs(source):
    assert 'ChangeTool("Probe1")' in text_of(source, "ipp")
    assert "S(Probe1) = SNSDEF/PROBE" in text_of(source, "dmis")


def test_several_stylus_directions_have_a_tool_each(library_plan):
    source = ProgrammeSource(library_plan("block-with-holes"))
    text = text_of(source, "ipp")
    count = len(styli(source.steps.touches).axes)
    assert count > 1
    assert set(re.findall(r'ChangeTool\("(\w+)"\)', text)) == {
        f"TIP{k}" for k in range(1, count + 1)
    }


@pytest.mark.parametrize("name", ["Probe 1", "1", "P(1)", "", 'a"b'])
def test_a_tool_name_that_programmes_cannot_hold(tmp_path, name):
    from planner.errors import JobError

    with pytest.raises(JobError, match="name of a tool"):
        gantry_job(tmp_path, text=JOB.replace("[probe]", f"[probe]\nname = '{name}'"))


def test_a_log_of_another_job_is_refused(source, tmp_path):
    bench = Bench(source.plan, source, "ipp", tmp_path)
    run = bench.execute(text_of(source, "ipp"))
    path = tmp_path / "session.log"
    # As clients write it: a time and a direction before each line.
    path.write_text("\n".join(f"12:00:00 Sent: {line}" for line in run.log))
    assert read_measured(path, bench.job).names == tuple(t.name for t in source.steps.touches)
    path.write_text("\n".join(run.log).replace("PtMeas(X(4", "PtMeas(X(3"))
    with pytest.raises(PointsError, match="the touch is no point of the job; the nearest is"):
        read_measured(path, bench.job)
    for broken in ("IJK(0,0)", "IJK(a,b,c)"):
        path.write_text(re.sub(r"IJK\([^()]*\)", broken, "\n".join(run.log), count=1))
        with pytest.raises(PointsError, match=re.escape(f"{broken}) is no touch of a point")):
            read_measured(path, bench.job)
    # Numbers without a digit before the point are numbers of I++, too.
    path.write_text(re.sub(r"\(0\.(\d)", r"(.\1", "\n".join(run.log)))
    assert read_measured(path, bench.job).names == tuple(t.name for t in source.steps.touches)
    lacking = [re.sub(r", Z\(.*\)$", "", line) if " # " in line else line for line in run.log]
    path.write_text("\n".join(lacking))
    with pytest.raises(PointsError, match="not all of X, Y and Z"):
        read_measured(path, bench.job)


def test_touches_in_another_order_find_their_points(source):
    """Results name touches by feature and place; the plan may have visited them otherwise."""
    from planner.evaluation.task import nominal_points

    job = source.plan.job
    nominal = nominal_points(job)
    order = [2, 0, 1]
    names, features = ("top-1", "top-2", "top-3"), ("top",) * 3
    for shift, expected in ((1e-3, [1, 2, 0]), (0.5, [0, 1, 2])):
        measured = MeasuredPoints(
            names=names,
            features=features,
            xyz=nominal.positions[order] + shift,
            frame="part",
            compensated=True,
        )
        pairs = match_points(nominal.names, nominal.features, measured)
        assert pairs.by_place
        found = nearest_in_features(pairs, nominal, measured, measured.xyz[pairs.measured])
        assert found.measured.tolist() == expected


def test_many_touches_find_their_points_without_a_matrix_of_their_distances():
    """40,000 touches of one feature: a matrix would take 12 GB."""
    count = 40_000
    grid = 1e-3 * np.column_stack([*np.divmod(np.arange(count), 200), np.zeros(count)])
    order = np.random.default_rng(5).permutation(count)
    nominal = ProbePoints(
        names=tuple(f"P{k}" for k in range(count)),
        positions=grid,
        normals=np.tile([0.0, 0.0, 1.0], (count, 1)),
        features=("top",) * count,
    )
    measured = MeasuredPoints(
        names=tuple(f"top-{k + 1}" for k in range(count)),
        features=("top",) * count,
        xyz=grid[order] + 1e-4,
        frame="part",
        compensated=True,
    )
    pairs = match_points(nominal.names, nominal.features, measured)
    found = nearest_in_features(pairs, nominal, measured, measured.xyz[pairs.measured])
    assert np.array_equal(order[found.measured], found.nominal)


# ----------------------------------------------------------------------------------- NIST I++ DME
# Parser and context checker of the NIST I++ DME test suite, built from its public source
# (github.com/aschet/nistippdmetestsuite); PALPEUR_NIST_IPP is the folder of both programs.

NIST = Path(os.environ.get("PALPEUR_NIST_IPP", "/nowhere"))


def nist(program, text, folder):
    """What one of the programs says of each command."""
    path = folder / "program.prg"
    lines = [line for line in text.split("\r\n") if line]
    content = "".join(f"{line}\r\n\\\\\r\n" for line in lines) + ":\r\n:\r\n"
    path.write_bytes(content.encode("ascii"))
    ran = subprocess.run(
        [str(NIST / program)],
        input=f"n\n{path}\nq\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return lines, ran.stdout.replace("\r", "").split("\n")


@pytest.mark.skipif(not (NIST / "checkerCmd").is_file(), reason="no NIST I++ test suite")
@pytest.mark.parametrize("program", ["parserCmd", "checkerCmd"])
def test_nist_accepts_the_session(source, tmp_path, program):
    text = text_of(source, "ipp")
    lines, said = nist(program, text, tmp_path)
    answered = said[2:-3] if said[-1] == "" else said[2:]
    commands = [line for line in answered if re.match(r"\d{5} \w+\(", line)]
    assert [line[:5] for line in commands] == [line[:5] for line in lines]
    assert set(answered) - set(commands) <= {"\\\\", ":", "", "enter input file name or q to quit"}
    # It does notice what is wrong.
    _, said = nist("checkerCmd", text.replace("Home()", "IsHomed()"), tmp_path)
    assert set(said) - {re.sub("", "", line) for line in answered} - {"\\\\", ":", ""}
