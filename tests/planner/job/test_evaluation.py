"""``[evaluation]`` and ``[[tolerance]]`` of a job file."""

import pytest

from planner.errors import JobError

FEATURES = (
    "name,x_mm,y_mm,z_mm,nx,ny,nz,feature\nA,400,1500,1200,0,0,1,top\nB,500,1400,1100,0,0,1,side\n"
)
BASE = """format = 1
[job]
name = "small"
[robot]
model = "measuring-arm"
[points]
file = "points.csv"
frame = "base"
"""


@pytest.fixture
def evaluation_of(job_of):
    def read(extra):
        return job_of(BASE + extra, files={"points.csv": FEATURES}).evaluation

    return read


def test_nothing_is_asked_unless_it_is_written(evaluation_of):
    plain = evaluation_of("")
    assert (plain.alignment, plain.tolerances, plain.compensated) == ("none", (), None)
    assert not plain.drop_outliers


def test_tolerances_are_read_in_order_and_in_metres(evaluation_of):
    read = evaluation_of(
        '[evaluation]\nalignment = "points"\noutliers = "drop"\n'
        '[[tolerance]]\nfeature = "top"\nkind = "flatness"\nvalue_mm = 0.05\n'
        '[[tolerance]]\nfeature = "side"\nkind = "perpendicularity"\nvalue_mm = 0.1\n'
        'datum = "top"\n'
    )
    assert (read.alignment, read.drop_outliers) == ("points", True)
    assert [(t.feature, t.kind, t.value, t.datum) for t in read.tolerances] == [
        ("top", "flatness", 5e-5, ""),
        ("side", "perpendicularity", 1e-4, "top"),
    ]


FLAT = '[[tolerance]]\nfeature = "top"\nkind = "flatness"\nvalue_mm = 0.05\n'


@pytest.mark.parametrize(
    ("extra", "text"),
    [
        (FLAT.replace("top", "tip"), "tolerance.*feature is 'tip', .* did you mean 'top'"),
        (FLAT.replace("0.05", "0"), "value_mm"),
        (FLAT.replace("flatness", "flat"), "kind"),
        (FLAT + 'datum = "side"\n', "takes none here"),
        (FLAT.replace("flatness", "parallelism"), "has no datum"),
        (FLAT + FLAT, "again; remove one"),
        (FLAT + "value_um = 1\n", "value_um"),
        ('[evaluation]\nalignment = "surface"\n', "no part.geometry"),
        ('[evaluation]\nalignment = "datums"\n', "needs datums"),
        ('[evaluation]\ndatums = ["top"]\n', "go together"),
        (
            '[evaluation]\nalignment = "datums"\ndatums = ["top"]\n',
            "'top' has 1 point; as a primary plane",
        ),
        (
            '[evaluation]\nalignment = "datums"\ndatums = ["top", "side", "front"]\n',
            "datums is 'front'",
        ),
    ],
)
def test_faults_are_refused_with_their_key(evaluation_of, extra, text):
    with pytest.raises(JobError, match=text):
        evaluation_of(extra)
