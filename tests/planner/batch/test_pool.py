"""The pool: tasks come back, caps hold, deaths are told from crashes; nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest

from planner.batch.engine import Ending
from planner.errors import WorkerError


def all_of(pool, tasks, seconds=30.0):
    """Ends of tasks that were given to a pool, by name."""
    ends, queue = {}, list(tasks)
    until = time.monotonic() + seconds
    while len(ends) < len(tasks) and time.monotonic() < until:
        given = queue[: pool.free]
        del queue[: len(given)]
        pool.give(given)
        ends |= {done.task.case.name: done for done in pool.wait(0.5)}
    return ends


def test_every_task_comes_back(pool, task, children, open_files):
    before, files = children(), open_files()
    two = pool(workers=2)
    ends = all_of(two, [task(f"t{k}") for k in range(20)])
    assert {done.ending for done in ends.values()} == {Ending.WRITTEN}
    assert len(children() - before) == 2
    two.close()
    two.close()
    assert children() == before
    assert open_files() == files
    assert two.free == 2


def test_a_task_larger_than_a_pipe(pool, task):
    act = "end['detail'] = str(len(said['text'])) + 'x' * 300_000"
    end = all_of(pool(act), [task("big", text="y" * 900_000)])["big"]
    assert end.detail.rstrip("x") == "900000"
    assert len(end.detail) == 300_006


def test_a_slow_start_takes_no_time_of_the_task(pool, task):
    end = all_of(pool(start="time.sleep(0.6)", seconds=0.5), [task("a", text="z" * 200_000)])["a"]
    assert end.ending is Ending.WRITTEN
    assert end.seconds < 0.5


def test_an_answer_in_pieces(pool, task):
    act = """
    text = json.dumps(end) + "\\n"
    for letter in text:
        sys.stdout.write(letter)
        sys.stdout.flush()
        time.sleep(0.001)
    continue
    """
    assert all_of(pool(act), [task("a"), task("b")])["b"].ending is Ending.WRITTEN


def test_a_task_that_never_ends(pool, task, tries):
    act = "while name == 'stuck': time.sleep(0.01)"
    ends = all_of(pool(act, seconds=0.4), [task("stuck"), task("next")])
    assert ends["stuck"].ending is Ending.TIME_CAP
    assert ends["next"].ending is Ending.WRITTEN
    assert tries() == {"stuck": 1, "next": 1}


def test_a_task_that_never_ends_and_hears_no_signal(pool, task):
    act = """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True: pass
    """
    assert all_of(pool(act, seconds=0.3), [task("deaf")])["deaf"].ending is Ending.TIME_CAP


def test_a_task_that_eats_memory(pool, task):
    act = """
    held = []
    while name == 'fat':
        held.append(b'x' * 1_000_000)
    """
    ends = all_of(pool(act, megabytes=200), [task("fat"), task("next")])
    assert ends["fat"].ending is Ending.MEMORY_CAP
    assert ends["fat"].peak > 200e6
    assert ends["next"].ending is Ending.WRITTEN


def test_a_worker_that_crashes_is_not_tried_again(pool, task, tries):
    act = "if name == 'bad': os.kill(os.getpid(), signal.SIGSEGV)"
    ends = all_of(pool(act), [task("bad"), task("next")])
    assert (ends["bad"].ending, ends["bad"].detail) == (Ending.CRASHED, "SIGSEGV")
    assert ends["next"].ending is Ending.WRITTEN
    assert tries()["bad"] == 1


def test_what_a_crash_says_does_not_depend_on_others(pool, task):
    act = "sys.stderr.write(str(time.time()) + '\\n'); sys.exit(3)"
    assert all_of(pool(act), [task("bad")])["bad"].detail == "exit code 3"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_is_killed_is_tried_again(pool, task, tries, number):
    act = f"if number < 3: os.kill(os.getpid(), {int(number)})"
    assert all_of(pool(act), [task("a")])["a"].ending is Ending.WRITTEN
    assert tries() == {"a": 3}


def test_a_task_whose_worker_is_killed_every_time_is_given_up(pool, task, tries):
    end = all_of(pool("os.kill(os.getpid(), 9)"), [task("a")])["a"]
    assert (end.ending, end.detail) == (Ending.CRASHED, "it was killed 3 times")
    assert tries() == {"a": 3}


def test_a_worker_that_dies_between_two_tasks_is_replaced(pool, task):
    one = pool()
    for name in "abc":
        assert all_of(one, [task(name)])[name].ending is Ending.WRITTEN
        os.kill(one._workers[0]._process.pid, signal.SIGKILL)


def test_a_spent_worker_is_not_used_again(pool, task):
    act = """
    end["ending"] = "crashed" if name == "bad" else "written"
    end["detail"] = str(os.getpid())
    """
    ends = all_of(pool(act), [task("a"), task("bad"), task("b")])
    assert ends["a"].detail == ends["bad"].detail != ends["b"].detail


def test_workers_that_do_not_start_end_the_batch(pool, task):
    broken = pool(start="raise SystemExit('no such library')")
    broken.give([task("a")])
    with pytest.raises(WorkerError, match=r"do not start \(exit code 1\): no such library"):
        all_of(broken, [task("a")])


def test_a_command_that_does_not_exist(pool, task):
    one = pool()
    one._workers[0].command = ("/no/such/python",)
    with pytest.raises(WorkerError, match="cannot be started: No such file"):
        one.give([task("a")])


def test_a_log_that_cannot_be_written(pool, task, tmp_path):
    one = pool()
    one._workers[0].log = tmp_path / "none" / "workers.log"
    with pytest.raises(WorkerError, match="cannot be started"):
        one.give([task("a")])


def test_a_log_that_is_a_pipe_is_not_waited_for(pool, task, tmp_path):
    os.mkfifo(tmp_path / "workers.log")
    with pytest.raises(WorkerError, match=r"cannot be started: No such device or address .*log\)"):
        pool().give([task("a")])


def test_of_a_long_log_only_the_end_is_read(pool, task, tmp_path):
    (tmp_path / "workers.log").write_text("of the worker before\n")
    start = "sys.stderr.write('x' * 5_000_000 + '\\nlast words\\n'); sys.exit(3)"
    one = pool(start=start)
    one.give([task("a")])
    with pytest.raises(WorkerError, match=r"\(exit code 3\): last words\. All they said"):
        one.wait(60.0)


def test_closing_asks_first_and_waits_for_all_at_once(pool, task, tmp_path):
    act = """
    def finish(number, frame):
        time.sleep(0.5)
        (folder / ("finished-" + name)).touch()
        os._exit(143)
    signal.signal(signal.SIGTERM, finish)
    (folder / ("began-" + name)).touch()
    time.sleep(60)
    """
    four = pool(act, workers=4)
    four.give([task(name) for name in "abcd"])
    while len(list(tmp_path.glob("began-*"))) < 4:
        four.wait(0.05)
    four.close()
    assert len(list(tmp_path.glob("finished-*"))) == 4


def test_workers_hold_no_files_of_their_parent(pool, task, tmp_path):
    act = """
    held = [file.path for file in os.scandir('/proc/self/fd')]
    end['detail'] = json.dumps([os.readlink(path) for path in held if os.path.lexists(path)])
    """
    with (tmp_path / "secret").open("w"):
        two = pool(act, workers=2)
        ends = all_of(two, [task("a"), task("b")])
    for done in ends.values():
        held = [name for name in json.loads(done.detail) if "secret" in name]
        assert held == []
        assert sum(name.startswith("pipe:") for name in json.loads(done.detail)) == 2
