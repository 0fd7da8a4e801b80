"""Workers on a dask cluster: each of its processes keeps one watched worker of ours.

What travels is text: the order, tasks and their ends, as JSON. Dask's own protocol wraps it in
pickle between processes that trust each other, which is why a scheduler belongs on a trusted
network (docs/threat-model.md). Caps, retries and results are those of the local pool; the ledger
has to be a folder that every worker reaches under the same path.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
import re
import secrets
import socket
import struct
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.batch.case import Case
from planner.batch.engine import CaseTask, Done, Ending
from planner.batch.pool import Caps, WorkerPool
from planner.batch.worker import WorkerRequest, local_pool, order_of
from planner.errors import ClusterError, OptionError, PlannerError

if TYPE_CHECKING:
    from distributed import Client, Worker

_CHUNK = 16  # tasks that travel together at most
_WORK = 0.25  # [s] of a chunk: the way costs little beside it, and no worker ends long after others
_AHEAD = 2  # chunks per worker: one in work, one on the way
_LEAVE = 15.0  # [s] for every worker to finish a result that it is writing, and to end
_CLOSE = 5.0  # [s] for the client
_LOOK = 0.01  # [s] between two looks at what came back
_CHECK = 0.5  # [s] between two checks whether the batch was given up
_POOLS = "palpeur_pools"  # attribute of a dask worker, so that what it keeps ends with it
_CONNECT = 20.0  # [s]
_PATIENCE = 0.5  # of that time until somebody listens; the scheduler may be starting, too
_STRANGER = "what answers there is none"
_SHOWN, _SAID = 80, 300  # characters of an address, and of what went wrong
_LOUD = frozenset({"distributed", "asyncio", "tornado"})  # what matters of it is said by us
_FORM = re.compile(
    r"(?:(?P<scheme>[a-z]+)://)?(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s:/\[\]]+)):(?P<port>[0-9]+)"
)
_HOST = re.compile(rb"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9_.])?")


class ClusterEngine:
    """An engine of dask workers (see ``planner.batch.engine.Engine``).

    Args:
        address: of the scheduler.
        order: what each worker of ours is told.
        caps: of one case.

    Raises:
        OptionError: no such scheduler, or the extra is not installed.
    """

    def __init__(self, address: str, order: WorkerRequest, caps: Caps) -> None:
        self._address = address
        self._client = connected(address_of(address))
        self._batch = secrets.token_hex(8)
        self._order = order.text()
        self._caps = json.dumps(asdict(caps))
        self._futures: dict[Any, tuple[CaseTask, ...]] = {}
        self._seconds = math.inf  # per task of the chunk that came back last

    @property
    def free(self) -> int:
        """Tasks that keep every worker busy until the next look."""
        return self._open() * self._chunk()

    def give(self, tasks: Sequence[CaseTask]) -> None:
        """Send tasks in chunks, smaller ones where that keeps more workers busy."""
        size = min(self._chunk(), -(-len(tasks) // max(1, self._open())))
        for start in range(0, len(tasks), size):
            self._send(tuple(tasks[start : start + size]))

    def wait(self, seconds: float) -> Sequence[Done]:
        """Tasks of chunks that came back."""
        until = time.monotonic() + seconds
        while not any(future.done() for future in self._futures):
            self._check_there()
            left = until - time.monotonic()
            if left <= 0 or not self._futures:
                time.sleep(max(0.0, left))
                return []
            time.sleep(min(left, _LOOK))
        return [end for future in self._back() for end in self._ends(future)]

    def close(self) -> None:
        """Give up what is on the way and end our processes beside the dask workers.

        Results that are being written are finished. What could not be ended is told on stderr.
        """
        if self._client.status == "running":
            leaving = _Leaving(client=self._client, futures=list(self._futures), batch=self._batch)
            leaving.start()
            leaving.join(_LEAVE)  # it may hang with a worker
            for message in leaving.messages():
                print(message, file=sys.stderr)
        with contextlib.suppress(OSError, TimeoutError, asyncio.CancelledError):
            self._client.close(timeout=_CLOSE)

    def _chunk(self) -> int:
        """Tasks that travel together: one until it is known how long they take."""
        return int(min(_CHUNK, max(1.0, _WORK / max(self._seconds, _WORK / _CHUNK))))

    def _open(self) -> int:
        """Chunks that can be sent."""
        try:
            threads = sum(int(n) for n in self._client.nthreads().values())
        except (OSError, TimeoutError, asyncio.CancelledError) as error:
            raise self._gone() from error
        return max(0, threads * _AHEAD - len(self._futures))

    def _send(self, chunk: tuple[CaseTask, ...]) -> None:
        said = json.dumps([task.document() for task in chunk])
        future = self._client.submit(
            run_chunk, self._batch, self._order, self._caps, said, pure=False, retries=0
        )
        self._futures[future] = chunk

    def _check_there(self) -> None:
        if self._client.status != "running":
            raise self._gone()

    def _gone(self) -> ClusterError:
        return ClusterError(
            f"The scheduler {self._address} is gone. What was finished is kept; start it again "
            "and run the same command.",
            address=self._address,
        )

    def _back(self) -> list[Any]:
        return [future for future in self._futures if future.done()]

    def _ends(self, future: Any) -> list[Done]:
        chunk = self._futures.pop(future)
        if future.status in {"cancelled", "lost"}:
            raise self._gone()
        if future.status == "error":
            return self._lost(future.exception(), chunk)
        ends = [
            Done(
                task=task,
                digest=end["digest"],
                ending=Ending(end["ending"]),
                detail=end["detail"],
                seconds=end["seconds"],
                peak=end["peak"],
            )
            for task, end in zip(chunk, json.loads(future.result()), strict=True)
        ]
        self._seconds = sum(end.seconds for end in ends) / len(ends)
        return ends

    def _lost(self, error: BaseException, chunk: tuple[CaseTask, ...]) -> list[Done]:
        """A chunk whose workers were lost as often as dask tries: each task by itself."""
        from distributed.scheduler import KilledWorker

        if not isinstance(error, KilledWorker):
            raise ClusterError(
                f"A worker of the cluster {self._address} cannot run Palpeur: "
                f"{type(error).__name__}: {error}. It needs the same installation, and --out under "
                "the same path.",
                address=self._address,
            )
        if len(chunk) == 1:
            detail = "the cluster lost every worker that tried it"
            task = chunk[0]
            return [Done(task=task, digest=task.digest, ending=Ending.LOST, detail=detail)]
        for task in chunk:
            self._send((task,))
        return []


class _Leaving(threading.Thread):
    """The end of a batch on its cluster, and what could not be ended.

    Args:
        client: of the scheduler.
        futures: chunks on the way.
        batch: token of the batch.
    """

    def __init__(self, client: Any, futures: list[Any], batch: str) -> None:
        super().__init__(daemon=True)
        self._client, self._futures, self._batch = client, futures, batch
        self._failures: dict[str, Exception] = {}
        self._error: Exception | None = None

    def run(self) -> None:
        """See ``threading.Thread``."""
        try:
            self._client.cancel(self._futures)
            ends = self._client.run(end_pools, self._batch, on_error="return")
        except (OSError, TimeoutError, RuntimeError, asyncio.CancelledError) as error:
            self._error = error if isinstance(error, Exception) else TimeoutError("cancelled")
        else:
            self._failures = {w: e for w, e in ends.items() if isinstance(e, Exception)}

    def messages(self) -> list[str]:
        """A sentence for each worker, or the cluster, that may still run processes of ours."""
        after = "Worker processes of this batch may still run there; they end with the dask worker."
        if self.is_alive():
            return [f"Warning: the cluster did not answer within {_LEAVE:g} s. {after}"]
        if self._error is not None:
            return [f"Warning: the cluster could not be tidied: {_words(self._error)}. {after}"]
        return [
            f"Warning: {worker} could not be tidied: {_words(error)}. {after}"
            for worker, error in sorted(self._failures.items())
        ]


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


# --- inside a dask worker: a watched worker process of ours for each of its threads ---------------
@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """The pool of one thread, kept from chunk to chunk.

    Args:
        batch: token of the batch that it was made for.
        pool: of one worker.
        busy: held while a chunk is judged; its holder alone touches the pool.
        stop: set when the batch is given up.
    """

    batch: str
    pool: WorkerPool
    busy: threading.Lock = field(default_factory=threading.Lock)
    stop: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pools:
    """Process pools that a dask worker keeps, by batch.

    Args:
        kept: pools by thread of the dask worker.
        ended: tokens of batches that are over; a chunk of theirs that comes late is refused.
        lock: held while either is read or changed.
    """

    kept: dict[int, _Kept] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)


def run_chunk(batch: str, order: str, caps: str, tasks: str) -> str:
    """Judge a chunk of tasks in a process of our own beside the dask worker.

    Args:
        batch: token of the run of the command that sends it.
        order: text of an ``WorkerRequest``.
        caps: text of ``Caps``.
        tasks: list of task documents.

    Returns:
        List of the ends, in the order of the tasks; cut short when the batch was given up
        meanwhile, and nobody waits for it any more.
    """
    from distributed import get_worker

    kept = _kept(_pools(get_worker()), batch, order, caps)
    if kept is None:
        return "[]"
    todo = [_task(said) for said in json.loads(tasks)]
    with kept.busy:
        try:
            ends = [end for task in todo if (end := _end(task, kept)) is not None]
        except PlannerError as error:
            ends = [_not_done(task, error) for task in todo]
        finally:
            if kept.stop.is_set():
                kept.pool.close()
    return json.dumps([_end_document(end) for end in ends])


async def end_pools(batch: str, dask_worker: Worker) -> None:
    """End the worker processes that a batch has beside a dask worker, and wait for their end.

    Args:
        batch: token of the batch; pools of other batches stay.
        dask_worker: given by dask, which runs this in the worker's own event loop, where
            ``get_worker`` knows none.
    """
    pools = _pools(dask_worker)
    with pools.lock:
        pools.ended.add(batch)
        mine = [thread for thread, kept in pools.kept.items() if kept.batch == batch]
        ending = [pools.kept.pop(thread) for thread in mine]
    await asyncio.gather(*(asyncio.to_thread(_give_up, kept) for kept in ending))


def _give_up(kept: _Kept) -> None:
    """End a pool; whoever judges a chunk with it stops first."""
    kept.stop.set()
    with kept.busy:
        kept.pool.close()


def _end(task: CaseTask, kept: _Kept) -> Done | None:
    """How a task ended; None when the batch was given up."""
    if not kept.stop.is_set():
        kept.pool.give([task])
    while not kept.stop.is_set():
        for done in kept.pool.wait(_CHECK):
            return done
    return None


def _kept(pools: _Pools, batch: str, order: str, caps: str) -> _Kept | None:
    """The watched worker of this thread of a dask worker; None when the batch is over."""
    thread = threading.get_ident()
    with pools.lock:
        if batch in pools.ended:
            return None
        mine = pools.kept.get(thread)
        if mine is not None and mine.batch == batch:
            return mine
        pool = local_pool(order_of(order), Caps(**json.loads(caps)), workers=1)
        fresh = pools.kept[thread] = _Kept(batch=batch, pool=pool)
    if mine is not None:  # of another batch, or of one whose command was killed
        _give_up(mine)
    return fresh


def _pools(worker: Worker) -> _Pools:
    pools: _Pools = vars(worker).setdefault(_POOLS, _Pools())
    return pools


def _task(said: dict[str, str]) -> CaseTask:
    case = Case(name=said["name"], job=Path(said["job"]), text=said["text"])
    return CaseTask(case=case, digest=said["digest"])


def _not_done(task: CaseTask, error: PlannerError) -> Done:
    return Done(task=task, digest=task.digest, ending=Ending.UNWRITABLE, detail=error.message)


def _end_document(done: Done) -> dict[str, object]:
    return {
        "digest": done.digest,
        "ending": done.ending.value,
        "detail": done.detail,
        "seconds": done.seconds,
        "peak": done.peak,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Of a scheduler.

    Args:
        scheme: "tcp" or "tls".
        host: name or number.
        port: 1 to 65535.
    """

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        """As dask and its user write it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def address_of(text: str) -> Address:
    """An address from the command line.

    Raises:
        OptionError: this is none.
    """
    found = _FORM.fullmatch(text)
    if found is None:
        raise _no_address(text, "it has no host and port")
    if (scheme := found["scheme"] or "tcp") not in {"tcp", "tls"}:
        raise _no_address(text, "a scheduler speaks tcp or tls")
    if not 1 <= (port := int(found["port"][:9])) <= 65535:
        raise _no_address(text, "a port is 1 to 65535")
    return Address(scheme=scheme, host=found["six"] or _host(found["host"], text), port=port)


def connected(address: Address) -> Client:
    """A client of the scheduler; it lives until it is closed, whatever becomes of it.

    Raises:
        OptionError: no scheduler answers there, or the extra is not installed.
    """
    try:
        from distributed import Client
    except ImportError:
        raise OptionError(
            "--cluster needs dask.distributed, which is not installed; install palpeur[cluster]."
        ) from None
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in _LOUD:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        with ThreadPoolExecutor(1) as thread:  # where this is called, a loop may be running
            kind = thread.submit(asyncio.run, _kind_of_server(address)).result()
        if kind == "Scheduler":
            client: Client = Client(str(address), timeout=_CONNECT, set_as_default=False)
            return client
        reason = "a worker answers there" if kind in ("Worker", "Nanny") else _STRANGER
    except TimeoutError:
        reason = "what listens there does not answer as one does"
    except OSError as error:
        reason = _words_of(error) or _refusal(address) or "what listens there hangs up"
    except TypeError as error:  # options of a secure connection that are missing
        reason = _words_of(error)
    except (MemoryError, struct.error, ValueError, LookupError, AttributeError):
        # a stranger's bytes, read as the length of a message or as its content
        reason = _STRANGER
    raise OptionError(
        f"--cluster {address}: no scheduler answers there within {_CONNECT:g} s: {reason}. "
        "Start one with `dask scheduler --host 127.0.0.1`, workers with `dask worker ADDRESS`.",
        address=str(address),
    )


async def _kind_of_server(address: Address) -> str:
    """What a dask server says it is: "Scheduler", "Worker" or "Nanny".

    A client cannot be asked at once: its time limit does not hold for the handshake, so that it
    would wait for ever for whatever listens and says nothing.

    Raises:
        TimeoutError: no answer in time; so does what the bytes of a stranger lead to.
    """
    from distributed.core import rpc
    from distributed.security import Security

    server = rpc(
        str(address),
        timeout=_PATIENCE * _CONNECT,
        deserialize=False,
        connection_args=Security().get_connection_args("client"),
    )

    async def ask() -> str:
        async with server:
            return str((await server.identity())["type"])

    return await asyncio.wait_for(ask(), _CONNECT)


def _refusal(address: Address) -> str:
    """Why no connection is made; dask's last attempt may end by its time limit and not say it."""
    try:
        with socket.create_connection((address.host, address.port), timeout=_CONNECT):
            return ""
    except OSError as error:
        return _words_of(error)


def _words_of(error: BaseException) -> str:
    """Of what is at the root of an error, on one line, without the stop at its end."""
    while isinstance(error.__cause__, OSError):
        error = error.__cause__
    words = getattr(error, "strerror", None) or str(error)
    return " ".join(words.split())[:_SAID].rstrip(".")


def _host(name: str, text: str) -> str:
    """A name as the network has it.

    Raises:
        OptionError: no name.
    """
    try:
        known = name.encode("idna")
    except UnicodeError:
        raise _no_address(text, "that is no name of a host") from None
    if not _HOST.fullmatch(known):
        raise _no_address(text, "that is no name of a host")
    return known.decode("ascii")


def _no_address(text: str, why: str) -> OptionError:
    return OptionError(
        f"--cluster is {text[:_SHOWN]!r}: {why}; give the address of a scheduler as "
        "tcp://host:8786.",
        address=text,
    )
