"""Exchange files by ISO 10303-21: values, instances, and the index of a file."""

from __future__ import annotations

import numpy as np
import pytest

from parts.errors import PartError
from parts.geometry.part21 import Enumeration, ExchangeFile, Reference, Typed, parsed
from parts.geometry.source_file import SourceFile


def exchange(text: str) -> ExchangeFile:
    raw = f"ISO-10303-21;\nDATA;\n{text}\nENDSEC;\n".encode()
    return ExchangeFile(SourceFile(name="part.stp", raw=raw, folder=None))


def test_values_of_every_type():
    found = parsed(7, b"X('a''b',#12,-3,4.5E-1,.T.,$,*,(1,(2,#3)),M(5.),\"0FF\",())")
    assert found.identity == 7
    assert found.records == {
        "X": (
            "a'b",
            Reference(12),
            -3,
            0.45,
            Enumeration("T"),
            None,
            None,
            (1, (2, Reference(3))),
            Typed("M", (5.0,)),
            "0FF",
            (),
        )
    }


def test_an_instance_of_several_types():
    found = parsed(1, b"( A ( 'x' )\n B()C((#2)) )")
    assert found.records == {"A": ("x",), "B": (), "C": ((Reference(2),),)}


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (rb"\X2\230003B1\X0\20", "\u2300α20"),
        (rb"\X4\0001F600\X0\ ", "😀 "),
        (rb"\X\B1 \S\1 a\\b \PA\c", "± ± a\\b c"),
        ("Ø20".encode(), "Ø20"),
    ],
)
def test_letters_beyond_ascii(raw, text):
    assert parsed(1, b"X('" + raw + b"')").records["X"] == (text,)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"X(1", "a list has no end"),
        (b"X(1))", "a list is closed that is not open"),
        (b"X('a", '"\'a" is no value'),
        (b"1", "it is not one instance"),
        (b"X(1)Y(2)", "it is not one instance"),
        (b"(X(1)X(2))", "it is X twice"),
        (b"X" + b"(" * 99 + b")" * 99, "its lists are nested deeper than 32"),
        (b"X(#99999999999999999999)", "is no value"),
        (b"", "it is not one instance"),
    ],
)
def test_what_is_no_instance(body, reason):
    with pytest.raises(PartError, match="#5 cannot be read: ") as caught:
        parsed(5, body)
    assert reason in str(caught.value)


def test_instances_by_number_and_by_type():
    text = """#30=(B()C(1));  #2 = A ( 'it;s /* no comment */ #9=A()' /* but; this */ ,#30);
        /* #4=A(); */ #7=B(); #7=A();"""
    file = exchange(text)
    assert len(file) == 4
    assert file.of_types("B") == [7, 30]
    assert file.of_types("A", "C") == [2, 7, 30]
    assert file.types(30) == {"B", "C"}
    assert file.types(4) == frozenset()
    assert file.instance(2).records["A"] == ("it;s /* no comment */ #9=A()", Reference(30))
    with pytest.raises(PartError, match="#4 is not in the file"):
        file.instance(4)
    with pytest.raises(PartError, match="#7 stands 2 times in the file"):
        file.instance(7)


def test_numbers_survive_their_text():
    numbers = np.random.default_rng(7).normal(scale=1e3, size=200).tolist()
    body = "X(" + ",".join(f"{n!r}" for n in numbers) + ")"
    assert parsed(1, body.encode()).records["X"] == tuple(numbers)


def test_statements_have_caps(monkeypatch):
    monkeypatch.setenv("PALPEUR_CAP_STEP_STATEMENTS", "3")
    with pytest.raises(PartError, match=r"part\.stp: it has 4 statements; expected at most 3"):
        exchange("#1=A();#2=A();#3=A();#4=A();")
    monkeypatch.setenv("PALPEUR_CAP_GEOMETRY_LINE", "20")
    with pytest.raises(PartError, match="#1 has more than 20 bytes"):
        exchange("#1=A((1,1,1,1,1,1,1,1,1));").instance(1)
