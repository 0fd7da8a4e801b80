"""``[evaluation]`` and ``[[tolerance]]`` of a job file."""

import pytest

from planner.errors import JobError


def test_nothing_is_asked_unless_it_is_written(read):
    plain = read().evaluation
    assert (plain.alignment, plain.tolerances, plain.compensated) == ("none", (), None)
    assert not plain.drop_outliers


def test_tolerances_are_read_in_order_and_in_metres(read):
    settings = read(
        '[evaluation]\nalignment = "points"\noutliers = "drop"\n'
        '[[tolerance]]\nfeature = "top"\nkind = "flatness"\nvalue_mm = 0.05\n'
        '[[tolerance]]\nfeature = "side"\nkind = "perpendicularity"\nvalue_mm = 0.1\n'
        'datum = "top"\n'
    ).evaluation
    assert (settings.alignment, settings.drop_outliers) == ("points", True)
    assert [(t.feature, t.kind, t.value, t.datum) for t in settings.tolerances] == [
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
            "datums cannot be used: The datums top leave the part free",
        ),
        (
            '[evaluation]\nalignment = "datums"\ndatums = ["top", "side", "front"]\n',
            "datums is 'front'",
        ),
    ],
)
def test_faults_are_refused_with_their_key(read, extra, text):
    with pytest.raises(JobError, match=text):
        read(extra)
