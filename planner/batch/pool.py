"""Workers on this machine: child processes that plan one case after another, watched."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import queue
import signal
import subprocess
import threading
import time
from _thread import start_new_thread
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from planner.batch.engine import CaseTask, Done, Ending
from planner.batch.measured import open_to_append
from planner.errors import WorkerError

TRIES = 3  # of a task whose worker is killed from outside
_WATCH = 0.02  # [s] between two looks at a worker's memory
_GRACE = 10.0  # [s] to finish a result that is being written


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """Limits of time and memory of one case.

    Args:
        seconds: of work.
        memory: of the worker's process. [bytes]
    """

    seconds: float
    memory: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolOptions:
    """Options of a process pool.

    Args:
        command: that starts a worker.
        workers: how many.
        caps: of one task.
        log: file that takes what workers say on stderr.
    """

    command: Sequence[str]
    workers: int
    caps: Caps
    log: Path


class WorkerPool:
    """An engine of worker processes on this machine (see ``planner.batch.engine.Engine``)."""

    def __init__(self, options: PoolOptions) -> None:
        self._said: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._workers = [
            WorkerProcess(
                command=options.command, caps=options.caps, log=options.log, heard=self._said
            )
            for _ in range(options.workers)
        ]
        self._tries: dict[str, int] = {}

    @property
    def free(self) -> int:
        """Workers without a task."""
        return sum(worker.task is None for worker in self._workers)

    def give(self, tasks: Sequence[CaseTask]) -> None:
        """Hand a task to each free worker."""
        idle = [worker for worker in self._workers if worker.task is None]
        for worker, task in zip(idle, tasks, strict=False):
            self._hand(worker, task)

    def wait(self, seconds: float) -> Sequence[Done]:
        """Tasks that ended, the caps watched meanwhile."""
        until = time.monotonic() + seconds
        while True:
            done = [end for worker in self._workers if (end := self._heard(worker)) is not None]
            left = until - time.monotonic()
            if done or left <= 0:
                return done
            self._sleep(min(left, _WATCH))

    def close(self) -> None:
        """End every worker, all of them within the same grace."""
        for worker in self._workers:
            worker.ask_to_end()
        until = time.monotonic() + _GRACE
        for worker in self._workers:
            worker.end(grace=max(0.0, until - time.monotonic()))

    def _hand(self, worker: WorkerProcess, task: CaseTask) -> None:
        if not worker.alive:
            worker.end()
            worker.start()
        worker.give(task)

    def _heard(self, worker: WorkerProcess) -> Done | None:
        """The end of a worker's task; a task whose worker was killed is handed out again."""
        done = worker.listen()
        if done is None or done.ending is not Ending.LOST:
            return done
        tried = self._tries.get(done.digest, 1)
        if tried < TRIES:
            self._tries[done.digest] = tried + 1
            self._hand(worker, done.task)
            return None
        return replace(done, ending=Ending.CRASHED, detail=f"it was killed {TRIES} times")

    def _sleep(self, seconds: float) -> None:
        """Wait until a worker says something, at most so long."""
        try:
            self._said.get(timeout=seconds)
        except queue.Empty:
            return
        while not self._said.empty():
            self._said.get()


# ---------------------------------------------------------------------------------- Worker process
# Both sides speak one JSON document per line; the first one that a worker says is that it is ready.
# Threads wait at the pipes, since no other way to wait for several of them is there on every
# system. Our own waits for threads are those of locks and ``SimpleQueue``, which two interruptions
# in a row leave whole; an ``Event``, and so ``Thread.start``, they can leave with a lock that
# nobody holds. A worker that passes a cap is ended and a new one takes its place; nothing that a
# case does can end the batch.

READY = "ready"
ENDED = 143  # exit code of a worker that was asked to end
_SIGNALS = (getattr(signal, name, None) for name in ("SIGKILL", "SIGTERM", "SIGHUP"))
_KILLED = frozenset({ENDED, *(-number for number in _SIGNALS if number is not None)})
_SPENT = frozenset({Ending.CRASHED, Ending.MEMORY_CAP})  # a worker is not used again after them
_PIPE = 2048  # bytes that an empty pipe takes at once on every system
_JOIN = 5.0  # [s] for a thread whose pipe has lost its other end
_STARTING = 300.0  # [s] until a worker is ready
_STATM = 256  # bytes of /proc/PID/statm, which has seven numbers
_LAST_WORDS = 2000  # bytes of what a dead worker said
# Workers are as many as processors; equal results want equal orders of summation, too.
_ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA", "BLIS")
}


def memory_is_watched() -> bool:
    """Return whether this system says how much memory a process holds."""
    return Path("/proc/self/statm").exists()


@dataclass(slots=True, kw_only=True)
class WorkerProcess:
    """A worker process and the task it is on.

    Args:
        command: that starts it.
        caps: of one task.
        log: file that takes what it says on stderr.
        task: that it is on.
        heard: takes a sign when the worker says something or is gone.
    """

    command: Sequence[str]
    caps: Caps
    log: Path
    task: CaseTask | None = None
    heard: queue.SimpleQueue[None] = field(default_factory=queue.SimpleQueue)
    _process: subprocess.Popen[bytes] | None = None
    _ready: bool = False
    _began: float = 0.0
    _peak: int = 0
    _said: int = 0
    _unread: bytes = b""
    _chunks: queue.SimpleQueue[bytes] = field(default_factory=queue.SimpleQueue)
    _gone: bool = False
    _threads: list[threading.Lock] = field(default_factory=list)

    @property
    def alive(self) -> bool:
        """Whether a process is there."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the process; it takes tasks as soon as it is ready.

        Raises:
            WorkerError: it cannot be started.
        """
        try:
            with open_to_append(self.log) as log:
                self._said = log.tell()
                self._process = subprocess.Popen(
                    list(self.command),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    bufsize=0,
                    env=os.environ | _ONE_THREAD,
                    start_new_session=True,  # Ctrl-C is for the batch, which ends its workers
                )
        except OSError as error:
            raise WorkerError(
                f"A worker process cannot be started: {error.strerror or error} "
                f"({error.filename or self.command[0]})."
            ) from error
        self._ready, self._unread, self._gone = False, b"", False
        self._chunks = queue.SimpleQueue()
        self._threads = []
        self._run(_listen, self._pipes()[1], self._chunks, self.heard)

    def give(self, task: CaseTask) -> None:
        """Hand over a task."""
        self.task, self._began, self._peak = task, time.monotonic(), 0
        said = json.dumps(task.document()).encode() + b"\n"
        if len(said) <= _PIPE:
            _send(self._pipes()[0], said)
        else:  # the worker may still be starting, and takes it when it is ready
            self._run(_send, self._pipes()[0], said)

    def listen(self) -> Done | None:
        """The end of the task, if it has come to one.

        Raises:
            WorkerError: the worker ended before it was ready, for reasons of its own.
        """
        if self.task is None or self._process is None:
            return None
        self._hear()
        while b"\n" in self._unread:
            line, _, self._unread = self._unread.partition(b"\n")
            said = json.loads(line)
            if READY not in said:
                return self._end_of(said)
            self._ready, self._began = True, time.monotonic()
        return self._death() if self._gone else self._capped()

    def ask_to_end(self) -> None:
        """Ask the process to end; it finishes a result that it is writing."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.terminate()

    def end(self, *, grace: float = 0.0) -> None:
        """End the process.

        Args:
            grace: for an end of its own. [s]
        """
        process = self._process
        if process is None:
            return
        try:
            if grace > 0.0:
                process.wait(timeout=grace)
        except subprocess.TimeoutExpired:
            pass
        finally:
            process.kill()
            process.wait()
            self._forget()

    def _pipes(self) -> tuple[int, int]:
        """File descriptors of its stdin and stdout."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise ValueError("the worker has not been started")
        return process.stdin.fileno(), process.stdout.fileno()

    def _run(self, target: Callable[..., None], *arguments: object) -> None:
        running = threading.Lock()

        def run() -> None:
            try:
                target(*arguments)
            finally:
                running.release()

        running.acquire()
        start_new_thread(run, ())
        self._threads.append(running)

    def _hear(self) -> None:
        """Take what it said since the last time."""
        with contextlib.suppress(queue.Empty):
            while not self._gone:
                chunk = self._chunks.get_nowait()
                self._unread += chunk
                self._gone = not chunk

    def _forget(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if not all(running.acquire(timeout=_JOIN) for running in self._threads):
            return  # a number that is still waited at must not become another file's
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def _end_of(self, said: dict[str, object]) -> Done:
        ending = Ending(said["ending"])
        if ending in _SPENT:
            self.end()
        return self._done(ending, str(said["detail"]), str(said["digest"]), int(str(said["peak"])))

    def _death(self) -> Done:
        """The worker is gone: ended from outside, or it died of its task."""
        code = self._process.wait() if self._process is not None else 0
        self._forget()
        if code in _KILLED:
            return self._done(Ending.LOST, "killed")
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        if not self._ready:
            self.task = None
            raise WorkerError(
                f"The workers do not start ({name}): {self._last_words() or 'they said nothing'}. "
                f"All they said is in {self.log}."
            )
        return self._done(Ending.CRASHED, name)

    def _capped(self) -> Done | None:
        most = self.caps.seconds if self._ready else _STARTING
        if time.monotonic() - self._began > most:
            self.end()
            if self._ready:
                return self._done(Ending.TIME_CAP)
            raise WorkerError(f"A worker was not ready after {_STARTING:g} s; see {self.log}.")
        held = self._held()
        self._peak = max(self._peak, held)
        if held > self.caps.memory:
            self.end()
            return self._done(Ending.MEMORY_CAP)
        return None

    def _held(self) -> int:
        """Memory of the process now, in bytes."""
        if self._process is None:
            return 0
        try:  # fifty times a second for each worker: without the layers of a text file
            handle = os.open(f"/proc/{self._process.pid}/statm", os.O_RDONLY)
        except OSError:
            return 0  # no such thing on this system, or the process is gone
        try:
            return int(os.read(handle, _STATM).split()[1]) * mmap.PAGESIZE
        except OSError:
            return 0
        finally:
            os.close(handle)

    def _last_words(self) -> str:
        try:
            with self.log.open("rb") as log:
                size = log.seek(0, os.SEEK_END)
                log.seek(max(self._said, size - _LAST_WORDS))
                text = log.read(_LAST_WORDS).decode("utf-8", errors="replace").strip()
        except OSError:
            return ""
        return text.splitlines()[-1] if text else ""

    def _done(self, ending: Ending, detail: str = "", digest: str = "", peak: int = 0) -> Done:
        task, self.task = self.task, None
        if task is None:
            raise ValueError("the worker has no task")
        return Done(
            task=task,
            digest=digest or task.digest,
            ending=ending,
            detail=detail,
            seconds=time.monotonic() - self._began,
            peak=max(peak, self._peak),
        )


def _listen(handle: int, chunks: queue.SimpleQueue[bytes], heard: queue.SimpleQueue[None]) -> None:
    """Hand on what comes out of a pipe, and nothing at its end."""
    chunk = b"-"
    while chunk:
        try:
            chunk = os.read(handle, 1 << 16)
        except OSError:
            chunk = b""
        chunks.put(chunk)
        heard.put(None)


def _send(handle: int, said: bytes) -> None:
    """Write into a pipe; that nobody reads it any more is heard at the other one."""
    with contextlib.suppress(OSError):
        while said:
            said = said[os.write(handle, said) :]
