"""What is said of files that are no jobs: one short sentence."""

from __future__ import annotations

from planner.batch.sources import PassedOver, told


def test_nothing_is_said_of_none():
    assert told(()) == ""


def test_the_first_are_named_and_the_others_counted():
    files = [PassedOver(name=f"{k}.toml") for k in range(5)]
    assert told(files) == (
        "5 .toml files are neither job nor sweep and were passed over: 0.toml, 1.toml, 2.toml, …"
    )


def test_a_long_name_is_cut_and_a_hint_told():
    file = PassedOver(name="x" * 100 + "/a.toml", hint='"jbo": did you mean "job"?')
    assert told([file]) == (
        "1 .toml file is neither job nor sweep and was passed over: "
        f'…{"x" * 73}/a.toml ("jbo": did you mean "job"?).'
    )
