"""Features by names of the job's own and by wildcards; datums, reference points, tolerances."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import palpeur as pp
from parts.library import open_part
from parts.part import load_part
from planner.errors import JobError
from planner.job.features import renamed
from planner.job.folder import JobFolder
from planner.job.job_text import job_text
from planner.job.part import JobGeometry
from planner.job.schema import JobFile
from tests.planner.job.conftest import SMALL

BORE = '[[feature]]\nname = "main bore"\nis = "hole-1"\n'
DATUMS = (
    '[[datum]]\nlabel = "A"\nfeature = "top"\n'
    '[[datum]]\nlabel = "B"\nfeature = "main bore"\nassociation = "contact"\nboundary_mm = 19.9\n'
)
SYSTEM = '[evaluation]\nalignment = "datums"\ndatums = ["A", "B", "hole-2"]\n'
SIZE = '[[tolerance]]\nfeature = "hole-*"\nkind = "diameter"\nlower_mm = 0\nupper_mm = 0.2\n'
POSITION = (
    '[[tolerance]]\nfeature = "hole-*"\nkind = "position"\nvalue_mm = 0.1\nmaterial = "M"\n'
    'datums = ["A", "B(M)", "side"]\n'
)


def test_a_feature_has_the_name_that_the_job_gives_it_everywhere(read):
    job = read(
        BORE + DATUMS + SYSTEM + SIZE + POSITION + '[[approach.feature]]\nname = "hole-*"\n'
        'distance_mm = 12\n[[approach.feature]]\nname = "main bore"\ndistance_mm = 8\n'
        '[[touch.feature]]\nname = "*"\nspeed_mm_s = 2\n'
    )
    names = ["top", "side", "main bore", "hole-2", "hole-3", ""]
    assert list(dict.fromkeys(job.points.features)) == names
    distances = {one.name: one.distance for one in job.approach.features}
    assert distances == {"hole-2": 0.012, "hole-3": 0.012, "main bore": 0.008}
    assert {one.name for one in job.touch.features} == {"top", "side", *distances}
    settings = job.evaluation
    assert [one.label for one in settings.datums] == ["A", "B", "hole-2"]
    assert [one.feature for one in settings.aligning_datums] == ["top", "main bore", "hole-2"]
    bore = settings.aligning_datums[1]
    assert (bore.association, bore.boundary) == ("contact", 0.0199)
    told = [(one.feature, one.kind, one.system, one.material) for one in settings.tolerances]
    assert told == [
        ("hole-2", "diameter", "", ""),
        ("hole-3", "diameter", "", ""),
        ("hole-2", "position", "A|B(M)|side", "M"),
        ("hole-3", "position", "A|B(M)|side", "M"),
    ]
    size = settings.tolerances[0]
    assert (size.value, size.middle) == pytest.approx((1e-4, 1e-4))


def test_a_name_in_full_goes_before_a_wildcard_and_no_feature_is_its_own_datum(read):
    tolerances = read(
        '[[tolerance]]\nfeature = "*"\nkind = "profile"\nvalue_mm = 0.2\n'
        '[[tolerance]]\nfeature = "top"\nkind = "profile"\nvalue_mm = 0.1\n'
        '[[tolerance]]\nfeature = "hole-?"\nkind = "parallelism"\nvalue_mm = 0.1\n'
        'datum = "hole-1"\n'
    ).evaluation.tolerances
    values = {(one.feature, one.kind): one.value for one in tolerances}
    assert values["top", "profile"] == 1e-4
    assert values["side", "profile"] == 2e-4
    assert sum(one.kind == "parallelism" for one in tolerances) == 2


def test_a_common_datum_is_named_by_its_letters_or_by_its_features(read):
    """Names have hyphens of their own; (M) is of the whole."""
    several = DATUMS.replace('"main bore"', '["hole-1", "hole-2"]').replace(
        'association = "contact"\n', ""
    )
    plain = '[[datum]]\nlabel = "A"\nfeature = "top"\n[[datum]]\nlabel = "D"\nfeature = "hole-2"\n'
    for extra, system, features in (
        (several, '"A", "B(M)", "side"', ("hole-1", "hole-2")),
        (plain, '"A", "hole-1-D(M)", "side"', ("hole-1", "hole-2")),
        (plain, '"top", "hole-1-hole-3", "D"', ("hole-1", "hole-3")),
    ):
        settings = read(
            extra + '[[tolerance]]\nfeature = "*"\nkind = "profile"\nvalue_mm = 0.1\n'
            f"datums = [{system}]\n"
        ).evaluation
        assert {one.system for one in settings.tolerances} == {
            system.replace('"', "").replace(", ", "|")
        }
        datum = {one.label: one for one in settings.datum_features}[
            settings.tolerances[0].datums[1].label
        ]
        assert datum.features == features
        # a feature is not judged to a datum that it belongs to
        judged = {one.feature for one in settings.tolerances}
        assert judged
        assert not judged & {*features, "top"}
    pattern = read(SYSTEM.replace('"B", "hole-2"', '"hole-1-hole-2"') + plain).evaluation
    assert [one.features for one in pattern.aligning_datums] == [("top",), ("hole-1", "hole-2")]


def test_a_job_made_in_python_says_the_same_and_is_written_and_read(read, tmp_path):
    job = read(BORE + DATUMS + SYSTEM + SIZE + POSITION)
    old = tuple(name.replace("main bore", "hole-1") for name in job.points.features)
    made = pp.Job(
        robot="measuring-arm",
        points=replace(job.points, features=old),
        frame="base",
        name="small",
        feature=[{"name": "main bore", "is": "hole-1"}],
        datum=[
            {"label": "A", "feature": "top"},
            {"label": "B", "feature": "main bore", "association": "contact", "boundary_mm": 19.9},
        ],
        evaluation={"alignment": "datums", "datums": ["A", "B", "hole-2"]},
        tolerance=[
            {"feature": "hole-*", "kind": "diameter", "lower_mm": 0, "upper_mm": 0.2},
            {"feature": "hole-*", "kind": "position", "value_mm": 0.1, "material": "M",
             "datums": ["A", "B(M)", "side"]},
        ],
    )  # fmt: skip
    again = pp.read_job(made.write(tmp_path / "copy" / "job.toml"))
    for one in (made, again):
        assert one.evaluation.tolerances == job.evaluation.tolerances
        assert one.evaluation.datums == job.evaluation.datums
        assert one.points.features == job.points.features


TARGETS = '[evaluation]\nalignment = "rps"\n' + "".join(
    f'[[evaluation.target]]\npoint = "{name}"\nlocks = {locks}\n'
    for name, locks in (
        ("T1", '["z"]'), ("T2", '["z"]'), ("T3", '["z", "x"]'),
        ("S1", '["normal"]'), ("S2", '["y"]'),
    )
)  # fmt: skip


def test_reference_points_lock_what_they_state(read):
    """Five points, six directions: each is met exactly, whatever else is displaced."""
    from parts.evaluation.measured_points import MeasuredPoints
    from planner.evaluation.evaluate import evaluate

    job = read(TARGETS)
    bare = replace(job.points, features=("",) * len(job.points))  # features would be fitted
    job = replace(job, points=bare)
    rng = np.random.default_rng(4)
    xyz = job.points.positions + rng.normal(0.0, 1e-4, job.points.positions.shape)
    measured = MeasuredPoints(names=job.points.names, xyz=xyz, frame="base", probe_radius=0.0)
    found = evaluate(job, measured)
    away = found.points.measured - found.points.nominal
    rows = {name: away[row] for row, name in enumerate(found.points.names)}
    for name, axes in (("T1", [2]), ("T2", [2]), ("T3", [0, 2]), ("S1", [1]), ("S2", [1])):
        np.testing.assert_allclose(rows[name][axes], 0.0, atol=1e-12)
    assert np.abs(rows["F1"]).max() > 1e-5
    assert found.alignment.method == "rps"


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (
            POSITION.replace("hole-*", "bore-*"),
            "line 10: tolerance[0].feature is 'bore-*', which matches no feature; did you mean "
            "'hole-3' or 'hole-2' or 'hole-1'?",
        ),
        (
            POSITION.replace("hole-*", "hole-4"),
            "is 'hole-4', which no point has; did you mean 'hole-3' or 'hole-2' or 'hole-1'?",
        ),
        (
            '[[approach.feature]]\nname = "hole*"\ndistance_mm = 9\n'
            '[[approach.feature]]\nname = "*-1"\ndistance_mm = 8\n',
            "approach.feature[1].name is '*-1', which matches 'hole-1' as 'hole*' does; name "
            "'hole-1' in a table of its own.",
        ),
        (BORE.replace("hole-1", "hole-9"), "feature[0].is is 'hole-9', which neither the points"),
        (BORE.replace("main bore", "top"), "name is 'top', as another feature is called"),
        (BORE + BORE.replace("main", "big"), "is 'hole-1', which is called 'main bore' already"),
        (BORE.replace('"hole-1"', '"hole-*"'), "feature[0].is is 'hole-*', but a name stands for"),
        (DATUMS, "datum[1].feature is 'main bore', which no point has"),
        (DATUMS.replace("main bore", "hole-*"), "matches 3 features ('hole-1', 'hole-2', "),
        (BORE + DATUMS.replace('"B"', '"A"'), "datum[1].label is 'A' again"),
        (
            DATUMS.replace('"main bore"', '["hole-1", "hole-2"]'),
            "association is \"contact\" for the common datum 'B', which is taken by least squares",
        ),
        (DATUMS.replace('"main bore"', '["top", "top"]'), "feature has a feature twice"),
        (DATUMS.replace('"main bore"', "[]"), "feature is []; expected the name of a feature, or"),
        (DATUMS.replace('"main bore"', "5"), "feature is 5; expected the name of a feature, or"),
        (
            BORE + DATUMS + SYSTEM.replace('"B"', '"B-hole-3"'),
            "is \"contact\" for the common datum 'B-hole-3'",
        ),
        (
            SYSTEM.replace('"A", "B"', '"top", "hole-1-hole-2"'),
            "has 'hole-2' and 'hole-1-hole-2', which both take 'hole-2'",
        ),
        (
            '[[tolerance]]\nfeature = "side"\nkind = "distance"\nvalue_mm = 0.1\n'
            'datum = "hole-1-hole-2"\n',
            "datum is 'hole-1-hole-2', a common datum; name one feature",
        ),
        (BORE + DATUMS.replace('"A"', '"top"'), "is 'top', as a feature of the points is called"),
        (
            BORE + DATUMS + SYSTEM.replace('"B"', '"D"'),
            "evaluation.datums is 'D', which no point has; the points have 'A', 'B', 'top', 'side'",
        ),
        (
            BORE + DATUMS + SYSTEM.replace(', "hole-2"', ""),
            "datums cannot be used: The datums A|B leave the part free: it can turn about "
            "(0, 0, 1) through (0.42, 1.42, 0.995) m. Add a datum that holds this.",
        ),
        (BORE + DATUMS + SYSTEM.replace('"B"', '"B(M)"'), "an alignment is one pose; take the (M)"),
        (
            BORE + DATUMS + SYSTEM.replace('"hole-2"', '"main bore"'),
            "has 'main bore' and 'B', which both take 'main bore'",
        ),
        (
            '[evaluation]\nalignment = "datums"\ndatums = ["top", "hole-1", "hole-2", "hole-3"]\n',
            "has 4 datums; expected at most three",
        ),
        (POSITION.replace('"A", "B(M)", ', '"top", '), 'material is "M", but'),
        (POSITION.replace('"A", "B(M)"', '"side(L)"'), "has 'side(L)'; the least material"),
        (SIZE.replace("lower_mm = 0", "lower_mm = 1"), "give value_mm, or lower_mm below upper_mm"),
        (SIZE.replace("diameter", "position"), "lower_mm is for diameter, width, distance"),
        (SIZE.replace("upper_mm = 0.2\n", ""), "give value_mm, or lower_mm below upper_mm"),
        (SIZE.replace("lower_mm = 0\nupper_mm = 0.2\n", ""), "value_mm is missing"),
        (SIZE + 'material = "M"\n', "which diameter does not take"),
        (
            '[[tolerance]]\nfeature = "hole-1"\nkind = "total runout"\nvalue_mm = 0.1\n',
            "has no datums; name the datum axis",
        ),
        (TARGETS.replace('"T1"', '"T9"'), "evaluation.target[0].point is 'T9', which is no point"),
        (TARGETS.replace('["z", "x"]', '["z", "z"]'), "is empty or has a direction twice"),
        (TARGETS.replace('"rps"', '"points"'), 'target and alignment = "rps" go together'),
        ('[evaluation]\nalignment = "rps"\n', "needs [[evaluation.target]] tables"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_one_message(read, extra, message):
    with pytest.raises(JobError) as caught:
        read(extra)
    plain = re.sub(r"\[(\d+)\]", r".\1", caught.value.message)
    assert re.sub(r"\[(\d+)\]", r".\1", message) in plain


def test_points_on_a_feature_of_the_part_get_its_name(tmp_path):
    """Points without a feature, on the bore that the part's recognition calls so."""
    part = load_part("block")
    geometry = open_part("block").geometry
    sampled = part.sample("hole-30", count=8).points
    others = part.sample("top", count=4, prefix="T").points
    bare = replace(
        sampled,
        names=(*sampled.names, *others.names),
        positions=np.vstack([sampled.positions, others.positions]),
        normals=np.vstack([sampled.normals, others.normals]),
        features=("",) * 12,
    )
    assert set(sampled.features) == {"hole-30"}
    text = f'{SMALL}[part]\ngeometry = "block.step"\n[[feature]]\nname = "bore"\nis = "hole-30"\n'
    source = job_text(tmp_path / "job.toml", text)
    file = JobFile.model_validate(source.document())
    shape = JobGeometry(file=file, folder=JobFolder(root=tmp_path, source=source), given=geometry)
    named = renamed(bare, file.feature, shape, bare.positions, source)
    assert named.features == ("bore",) * 8 + ("",) * 4
    far = bare.positions + np.eye(3)[2]
    with pytest.raises(JobError, match=r"no point without a feature lies within 0\.1 mm of it"):
        renamed(bare, file.feature, shape, far, source)
