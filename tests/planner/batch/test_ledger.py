"""The ledger: whole or absent, whatever happens to its files."""

from __future__ import annotations

import errno
import hashlib
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.batch.case import CaseKey, Environment
from planner.batch.ledger import Ledger, result_of, result_text
from planner.batch.outcome import CaseStatus, Outcome
from planner.errors import OutputError

KEY = CaseKey(
    inputs=(("job.toml", "ab"), ("é.stl", "cd")),
    surroundings=Environment(parameters=(("a", "b"),), code="c", environment=()),
)
OUTCOME = Outcome(status=CaseStatus.REFUSED, code="JobError", message="nothing fits")
WHOLE = result_text(KEY, OUTCOME)


def test_what_was_written_is_read(ledger, key, outcome):
    assert ledger.read(key.digest) is None
    ledger.write(key, outcome)
    result = ledger.read(key.digest)
    assert result.outcome == outcome
    assert result.key == key.document()
    assert list(ledger.digests()) == [key.digest]
    assert [path.name for path in ledger.path(key.digest).parent.iterdir()] == [
        f"{key.digest}.json"
    ]


def test_equal_results_are_equal_bytes(ledger, key, outcome):
    ledger.write(key, outcome)
    first = ledger.path(key.digest).read_bytes()
    ledger.write(key, outcome)
    assert ledger.path(key.digest).read_bytes() == first


def test_the_digest_of_a_file_is_what_other_tools_compute():
    line, mark = WHOLE.splitlines()
    assert mark.decode() == f"sha256:{hashlib.sha256(line).hexdigest()}"
    assert json.loads(line)["format"] == 1


@given(place=st.integers(0, len(WHOLE) - 1), bit=st.integers(0, 7))
def test_one_wrong_bit_makes_it_absent(place, bit):
    raw = bytearray(WHOLE)
    raw[place] ^= 1 << bit
    assert result_of(bytes(raw), KEY.digest) is None


@given(length=st.integers(0, len(WHOLE) - 1))
def test_a_torn_file_is_absent(length):
    assert result_of(WHOLE[:length], KEY.digest) is None


@given(raw=st.binary(max_size=200))
def test_more_at_the_end_or_the_beginning_makes_it_absent(raw):
    expected = OUTCOME if not raw else None
    for changed in (WHOLE + raw, raw + WHOLE):
        result = result_of(changed, KEY.digest)
        assert (result.outcome if result else None) == expected


def test_a_result_under_a_foreign_name_is_absent():
    assert result_of(WHOLE, "0" * 64) is None


def signed(document):
    line = document if isinstance(document, bytes) else json.dumps(document).encode()
    return line + b"\nsha256:" + hashlib.sha256(line).hexdigest().encode() + b"\n"


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        {"format": 1, "key": KEY.document(), "outcome": {}},
        {"format": 2, "key": KEY.document(), "outcome": OUTCOME.document()},
        {"format": 1, "key": KEY.document(), "outcome": {**OUTCOME.document(), "status": "?"}},
        b"[" * 100_000,
        b"\xff",
    ],
)
def test_a_forged_file_with_the_right_digest_is_absent(document):
    assert result_of(signed(document), KEY.digest) is None


def test_nothing_half_written_stays_when_the_disk_is_full(ledger, key, outcome, monkeypatch):
    def full(handle, content):
        del handle, content
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OutputError, match=r"No space left on device.*is kept; make room"):
        ledger.write(key, outcome)
    monkeypatch.undo()
    assert ledger.read(key.digest) is None
    assert list(ledger.path(key.digest).parent.iterdir()) == []


def test_a_small_write_is_continued(ledger, key, outcome, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, content: write(handle, content[:7]))
    ledger.write(key, outcome)
    assert ledger.read(key.digest).outcome == outcome


def test_the_old_result_stays_when_the_new_one_cannot_be_written(ledger, key, outcome, monkeypatch):
    ledger.write(key, outcome)

    def broken(handle):
        del handle
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OutputError):
        ledger.write(key, OUTCOME)
    assert ledger.read(key.digest).outcome == outcome


def test_a_folder_that_cannot_be_synced_is_no_failure(ledger, key, outcome, monkeypatch):
    sync = os.fsync

    def picky(handle):
        if os.path.isdir(f"/proc/self/fd/{handle}"):  # noqa: PTH112
            raise OSError(errno.EINVAL, "not on this network folder")
        sync(handle)

    monkeypatch.setattr(os, "fsync", picky)
    ledger.write(key, outcome)
    assert ledger.read(key.digest).outcome == outcome


def test_a_file_in_the_way_is_told(tmp_path, key, outcome):
    (tmp_path / "results").write_text("in the way")
    with pytest.raises(OutputError, match="cannot be written"):
        Ledger(folder=tmp_path).write(key, outcome)


def test_half_written_files_are_no_digests(ledger, key, outcome):
    ledger.write(key, outcome)
    folder = ledger.path(key.digest).parent
    (folder / f".{key.digest}.host.1.partial").write_text("")
    (folder / f".{key.digest}.json").write_text("")
    assert list(ledger.digests()) == [key.digest]


@pytest.mark.parametrize("place", ["pipe", "zero", "folder", "vast"])
def test_what_is_no_result_is_absent_and_not_waited_for(ledger, key, outcome, place):
    path = ledger.path(key.digest)
    path.parent.mkdir(parents=True)
    match place:
        case "pipe":
            os.mkfifo(path)
        case "zero":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
        case _:
            with path.open("wb") as file:
                file.truncate(1 << 40)  # a hole
    assert ledger.read(key.digest) is None
    if place == "folder":
        with pytest.raises(OutputError, match="Is a directory"):
            ledger.write(key, outcome)
    else:
        ledger.write(key, outcome)
        assert ledger.read(key.digest).outcome == outcome
