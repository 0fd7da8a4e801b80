"""Claims: one at a time, taken over from the dead, by the folder's own clock."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time

import pytest

from planner import processes
from planner.batch.ledger import STALE_AFTER, Claims

DIGEST = "ab" * 32


@pytest.fixture
def claims(tmp_path):
    return Claims(folder=tmp_path)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "claims").mkdir()
    return tmp_path / "claims" / DIGEST


def owner(host=None, boot=None, pid=None, started=None):
    """Text of a claim; what is not given is this process's."""
    pid = os.getpid() if pid is None else pid
    started = started or processes.started(os.getpid())
    return " ".join((host or processes.host(), boot or processes.boot(), str(pid), started))


def test_one_claim_at_a_time(claims):
    assert claims.take(DIGEST)
    assert not claims.take(DIGEST)
    claims.drop(DIGEST)
    assert claims.take(DIGEST)
    assert not list(claims.folder.glob("claims/.clock*"))


def test_a_living_owner_of_this_host_keeps_it_however_old(claims, path):
    path.write_text(owner())
    os.utime(path, (1.0, 1.0))
    assert not claims.take(DIGEST)


@pytest.mark.parametrize(
    "change", [{"pid": 2**22 + 1}, {"boot": "another"}, {"started": "1"}], ids=str
)
def test_an_owner_that_is_gone_loses_it(claims, path, change):
    path.write_text(owner(**change))
    assert claims.take(DIGEST)


def test_a_killed_process_loses_it(claims, tmp_path):
    code = (
        "import os, sys; from pathlib import Path; from planner.batch.ledger import Claims; "
        f"Claims(folder=Path(sys.argv[1])).take('{DIGEST}'); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert (tmp_path / "claims" / DIGEST).exists()
    assert claims.take(DIGEST)


def test_another_host_keeps_it_while_it_is_touched(claims, path):
    path.write_text(owner(host="elsewhere"))
    assert not claims.take(DIGEST)
    now = time.time()
    os.utime(path, (now, now - STALE_AFTER - 5.0))
    claims.touch(DIGEST)
    assert not claims.take(DIGEST)
    os.utime(path, (now, now - STALE_AFTER - 5.0))
    assert claims.take(DIGEST)


@pytest.mark.parametrize("jump", [-7200.0, 7200.0, 1e9])
def test_our_clock_does_not_matter(claims, path, monkeypatch, jump):
    path.write_text(owner(host="elsewhere"))
    monkeypatch.setattr(time, "time", lambda: jump)
    assert not claims.take(DIGEST)


def test_the_folders_clock_may_have_been_put_back(claims, path):
    path.write_text(owner(host="elsewhere"))
    ahead = time.time() + 7200.0
    os.utime(path, (ahead, ahead))
    assert claims.take(DIGEST)


@pytest.mark.parametrize("text", ["", "torn", "a b c d", "a b 1", "\udcff"])
def test_a_torn_claim_is_waited_for_and_then_taken(claims, path, text):
    path.write_bytes(text.encode("utf-8", errors="surrogateescape"))
    assert not claims.take(DIGEST)
    os.utime(path, (1.0, 1.0))
    assert claims.take(DIGEST)


def test_a_claim_that_cannot_be_written_is_not_left(claims, path, monkeypatch):
    def full(handle, content):
        del handle, content
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="full"):
        claims.take(DIGEST)
    assert not path.exists()


def test_touching_and_dropping_what_is_gone_is_nothing(claims):
    claims.touch(DIGEST)
    claims.drop(DIGEST)
    claims.clear()
    assert list(claims.folder.iterdir()) == []


def test_clearing_leaves_the_living(claims, path):
    path.write_text(owner())
    dead = path.with_name("cd" * 32)
    dead.write_text(owner(pid=2**22 + 1))
    (path.parent / ".clock.old.1").touch()
    claims.clear()
    assert list(path.parent.iterdir()) == [path]


def test_what_is_no_claim_keeps_nobody_waiting(claims, path):
    os.mkfifo(path)
    assert claims.take(DIGEST)


def test_a_process_id_longer_than_any_is_torn(claims, path):
    path.write_text(owner(pid="9" * 5000))
    os.utime(path, (1.0, 1.0))
    assert claims.take(DIGEST)


def test_ctrl_c_while_a_claim_is_made_leaves_none(claims, path, monkeypatch):
    """A torn one would keep the next batch waiting for a minute."""
    monkeypatch.setattr(os, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        claims.take(DIGEST)
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP])
def test_a_file_system_without_links(claims, path, monkeypatch, number):
    def linkless(*_):
        raise OSError(number, "no links here")

    monkeypatch.setattr(os, "link", linkless)
    assert claims.take(DIGEST)
    assert not claims.take(DIGEST)
    assert list(path.parent.iterdir()) == [path]
    claims.drop(DIGEST)
    writes = iter([os.write, interrupted])  # aside, then in place

    def write(handle, content):
        return next(writes)(handle, content)

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(KeyboardInterrupt):
        claims.take(DIGEST)
    assert list(path.parent.iterdir()) == []
    assert list(writes) == []


def interrupted(*_):
    raise KeyboardInterrupt
