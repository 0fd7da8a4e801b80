"""``--cluster ADDRESS``: whatever stands there, one line, exit code 2, an end in bounded time."""

from __future__ import annotations

import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

from planner.batch import cluster
from planner.batch.cluster import address_of
from planner.errors import OptionError
from tests.cases import some

HANG = 60  # [s] a guard against waiting for ever, not a measure of speed
GIVEN_UP = 0.8  # [s] after which the product gives up here, instead of 20
GREETING = 120  # [bytes]

Talk = Callable[[socket.socket], None]


class Server:
    """On loopback, for one test; what it says to each visitor is a function of the line."""

    def __init__(self, talk: Talk) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.lines: list[socket.socket] = []
        self.visits = 0
        self.thread = threading.Thread(target=self.serve, args=(talk,), daemon=True)
        self.thread.start()

    def serve(self, talk: Talk) -> None:
        while True:
            try:
                line, _ = self.socket.accept()
            except OSError:
                return  # the test is over
            self.visits += 1
            self.lines.append(line)
            try:
                line.settimeout(HANG)
                talk(line)
            except OSError:
                continue

    def close(self) -> None:
        self.socket.shutdown(socket.SHUT_RDWR)
        for line in [self.socket, *self.lines]:
            line.close()
        self.thread.join(HANG)


def say_nothing(line: socket.socket) -> None:
    del line


def answer_http(line: socket.socket) -> None:
    while line.recv(100):
        line.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")


def greet_as_ssh(line: socket.socket) -> None:
    line.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")


def hang_up(line: socket.socket) -> None:
    line.close()


def announce_nothing(line: socket.socket) -> None:
    line.sendall(bytes(8))


def dribble(line: socket.socket) -> None:
    for _ in range(7):
        line.sendall(b"\1")
        time.sleep(0.02)


def greet_and_fall_silent(line: socket.socket) -> None:
    line.sendall(struct.pack("<Q", GREETING))


def greet_with_noise(line: socket.socket) -> None:
    line.sendall(struct.pack("<QQQ", GREETING, 1, GREETING - 16) + bytes(range(GREETING - 16)))


@pytest.fixture
def serve():
    """``serve(talk)`` → port of a server that ends with the test."""
    servers = []

    def start(talk: Talk) -> Server:
        servers.append(Server(talk))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def nobody():
    """A port on which nobody listens, and nobody will."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@pytest.fixture
def _guarded(monkeypatch):
    """Connecting is given up early, and what hangs is no endless test."""

    def ring(*_):
        raise AssertionError("it hangs")

    monkeypatch.setattr(cluster, "_CONNECT", GIVEN_UP)
    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(HANG)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("tcp://10.0.0.1:8786", "tcp://10.0.0.1:8786"),
        ("10.0.0.1:8786", "tcp://10.0.0.1:8786"),
        ("tls://node_1.cluster-a.example:1", "tls://node_1.cluster-a.example:1"),
        ("tcp://[fe80::1]:65535", "tcp://[fe80::1]:65535"),
        ("tcp://bücher.example:8786", "tcp://xn--bcher-kva.example:8786"),
        ("h:00080", "tcp://h:80"),
    ],
)
def test_an_address(text, address):
    assert str(address_of(text)) == address


BROKEN = [
    *("", " ", "tcp://", "text", "127.0.0.1", "tcp://127.0.0.1", "tcp://127.0.0.1:", ":8786"),
    *("tcp://:8786", "tcp://h:x", "tcp://h:8786/", "tcp://h:8786/path", "tcp://h:8786:1"),
    *("tcp://h:0", "tcp://h:70000", "tcp://h:-1", "tcp://h:" + "9" * 5000, "tcp://h:1.5"),
    *("tcp://h:٨٧٨٦", "tcp://h\u202e:8786", "tcp://\udcff:8786", "tcp://.:8786", "tcp://-h:8786"),
    *("tcp://" + "x" * 300 + ":8786", "tcp://a b:8786", "tcp://a\nb:8786", "tcp://u@h:8786"),
    *("http://127.0.0.1:8787", "inproc://1:2", "ucx://h:8786", "nonsense://h:1", "TCP://h:1"),
    *("[::1]", "tcp://[::1:8786", "tcp://[h]:8786", "%s:%d", "{0}:{1}", "*:8786", "x" * 9999),
]


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_address_is_told(text):
    with pytest.raises(OptionError) as caught:
        address_of(text)
    told = caught.value.message
    assert told.startswith("--cluster is '")
    assert told.endswith("; give the address of a scheduler as tcp://host:8786.")
    assert len(told) < 400
    assert told.isprintable()


@pytest.mark.usefixtures("nine", "_guarded")
def test_a_broken_address_ends_the_command_before_anything_is_done(palpeur, tmp_path):
    for text in BROKEN:
        ran = palpeur("batch", "nine", "--out", "out", f"--cluster={text}")
        assert (ran.code, ran.out) == (2, ""), text
        assert ran.err.startswith("Error: --cluster is '")
        assert ran.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def refused(palpeur, address: str) -> str:
    """Why a command with a good job ends at this address."""
    ran = palpeur("batch", "nine", "--out", "out", "--cluster", address)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    head = f"Error: --cluster {address}: no scheduler answers there within {GIVEN_UP:g} s: "
    tail = "Start one with `dask scheduler --host 127.0.0.1`, workers with `dask worker ADDRESS`.\n"
    assert ran.err.startswith(head)
    assert ran.err.endswith(tail)
    return ran.err.removeprefix(head).removesuffix(tail).strip()


@pytest.mark.usefixtures("nine", "_guarded")
def test_where_nobody_listens(palpeur, nobody, monkeypatch):
    pytest.importorskip("distributed")
    # dask stops trying after half of this; the other half is for a machine that is slow
    monkeypatch.setattr(cluster, "_CONNECT", 2.0)
    monkeypatch.setattr("tests.planner.cli.batch.test_scheduler.GIVEN_UP", 2.0)
    assert refused(palpeur, f"tcp://127.0.0.1:{nobody}") == "Connection refused."


@pytest.mark.usefixtures("nine", "_guarded")
@pytest.mark.parametrize(
    ("talk", "told"),
    some(
        [
            (say_nothing, "what listens there does not answer as one does."),
            (dribble, "what listens there does not answer as one does."),
            (greet_and_fall_silent, "what listens there does not answer as one does."),
            (answer_http, "what answers there is none."),
            (greet_as_ssh, "what answers there is none."),
            (announce_nothing, "what answers there is none."),
            (greet_with_noise, "what answers there is none."),
        ],
        gate=4,
    ),
)
def test_where_something_else_listens(palpeur, serve, talk, told):
    pytest.importorskip("distributed")
    server = serve(talk)
    assert refused(palpeur, f"tcp://127.0.0.1:{server.port}") == told
    assert server.visits


@pytest.mark.usefixtures("nine", "_guarded")
def test_where_a_worker_answers(palpeur, monkeypatch, nobody):
    pytest.importorskip("distributed")

    async def worker(_):
        return "Worker"

    monkeypatch.setattr(cluster, "_kind_of_server", worker)
    assert refused(palpeur, f"tcp://127.0.0.1:{nobody}") == "a worker answers there."


@pytest.mark.usefixtures("nine", "_guarded")
def test_where_somebody_hangs_up(palpeur, serve):
    pytest.importorskip("distributed")
    told = refused(palpeur, f"tcp://127.0.0.1:{serve(hang_up).port}")
    assert any(word in told for word in ("hangs up", "reset", "closed"))


@pytest.mark.usefixtures("nine", "_guarded")
def test_what_is_still_starting_is_waited_for(palpeur, monkeypatch):
    """At first nobody listens; the refusal is not the end of it."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "_CONNECT", 2.0)
    monkeypatch.setattr("tests.planner.cli.batch.test_scheduler.GIVEN_UP", 2.0)
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        timer = threading.Timer(0.4, held.listen)
        timer.start()
        told = refused(palpeur, f"tcp://127.0.0.1:{held.getsockname()[1]}")
        timer.join()
    assert told == "what listens there does not answer as one does."


# What dask itself meets: in a process of its own, for it must say nothing at its end either.
COMMAND = (
    "from planner.batch import cluster; from planner.cli.main import run; "
    f"cluster._CONNECT = {GIVEN_UP}; run()"
)


@pytest.mark.usefixtures("nine")
@pytest.mark.parametrize(
    ("scheme", "talk", "told"),
    some(
        [
            ("tls", answer_http, "TLS expects"),
            ("tcp", greet_and_fall_silent, "what listens there does not answer as one does."),
            ("tcp", greet_with_noise, "what answers there is none."),
        ],
        gate=1,
    ),
)
def test_what_only_seems_a_scheduler(serve, scheme, talk, told):
    pytest.importorskip("distributed")
    address = f"{scheme}://127.0.0.1:{serve(talk).port}"
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "batch", "nine", "--out", "out", "--cluster", address],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    head = f"Error: --cluster {address}: no scheduler answers there within {GIVEN_UP:g} s: {told}"
    assert done.stderr.startswith(head), done.stderr
