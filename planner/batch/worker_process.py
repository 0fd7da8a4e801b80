"""One worker: a child process that judges one case after the other, watched from outside.

Both sides speak one JSON document per line. A worker that passes a cap is ended and a new one takes
its place; nothing that a case does can end the batch.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from planner.batch.engine import Done, Ending, Task

_PAGE = os.sysconf("SC_PAGE_SIZE")
_LAST_WORDS = 2000  # characters of what a dead worker said


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """Where one case is ended.

    Args:
        seconds: of work.
        memory: of the worker's process. [bytes]
    """

    seconds: float
    memory: int


@dataclass(slots=True, kw_only=True)
class WorkerProcess:
    """A worker process and the task it is on.

    Args:
        command: that starts it.
        caps: of one task.
        log: file that takes what it says on stderr.
    """

    command: Sequence[str]
    caps: Caps
    log: Path
    task: Task | None = None
    _process: subprocess.Popen[bytes] | None = None
    _began: float = 0.0
    _peak: int = 0
    _heard: bytes = b""
    _said: int = field(default=0)

    @property
    def alive(self) -> bool:
        """Whether a process is there."""
        return self._process is not None and self._process.poll() is None

    @property
    def handle(self) -> int:
        """File descriptor that becomes readable when the worker says something or is gone."""
        if self._process is None or self._process.stdout is None:
            raise ValueError("the worker has not been started")
        return self._process.stdout.fileno()

    def start(self) -> None:
        """Start the process; it waits for tasks."""
        with self.log.open("ab") as log:
            self._said = log.tell()
            self._process = subprocess.Popen(
                list(self.command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the batch, which ends its workers in order
            )
        os.set_blocking(self.handle, False)
        self._heard = b""

    def give(self, task: Task) -> None:
        """Hand over a task."""
        self.task, self._began, self._peak = task, time.monotonic(), 0
        line = json.dumps(task.document()).encode() + b"\n"
        if self._process is None or self._process.stdin is None:
            raise ValueError("the worker has not been started")
        with contextlib.suppress(BrokenPipeError):  # it died meanwhile; that is seen when we listen
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def listen(self) -> Done | None:
        """The end of the task, if it has come to one."""
        if self.task is None or self._process is None or self._process.stdout is None:
            return None
        heard = self._process.stdout.read()
        self._heard += heard or b""
        if b"\n" in self._heard:
            line, _, self._heard = self._heard.partition(b"\n")
            return self._end_of(json.loads(line))
        if heard == b"":
            return self._death()
        return self._capped()

    def end(self, *, grace: float = 0.0) -> None:
        """End the process; it finishes a result that it is writing, if it gets the time."""
        process = self._process
        if process is None:
            return
        self._process = None
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM if grace else signal.SIGKILL)
        with contextlib.suppress(BrokenPipeError):
            if process.stdin is not None:
                process.stdin.close()
        try:
            process.wait(timeout=grace or None)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()

    def _end_of(self, said: dict[str, object]) -> Done:
        return self._done(
            Ending(said["ending"]), str(said["detail"]), str(said["digest"]), int(str(said["peak"]))
        )

    def _death(self) -> Done:
        """The worker is gone: killed from outside, or it died of its task."""
        process, self._process = self._process, None
        code = process.wait() if process is not None else 0
        if process is not None and process.stdout is not None:
            process.stdout.close()
        if code == -signal.SIGKILL:
            return self._done(Ending.LOST, "killed")
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return self._done(Ending.CRASHED, f"{name}: {self._last_words()}".rstrip(": "))

    def _capped(self) -> Done | None:
        if time.monotonic() - self._began > self.caps.seconds:
            self.end()
            return self._done(Ending.TIME_CAP)
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
        try:
            text = Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii")
        except OSError:
            return 0  # no such thing on this system, or the process is gone
        return int(text.split()[1]) * _PAGE

    def _last_words(self) -> str:
        try:
            with self.log.open("rb") as log:
                log.seek(self._said)
                text = log.read().decode("utf-8", errors="replace").strip()
        except OSError:
            return ""
        return text[-_LAST_WORDS:].splitlines()[-1] if text else ""

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
