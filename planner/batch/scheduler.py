"""The scheduler of a dask cluster: its address, and a client of it in bounded time.

Before dask is asked we listen to what the scheduler says by itself, because dask takes whatever
answers for a scheduler: of a web server's answer it would make a length, and allocate it.
"""

from __future__ import annotations

import logging
import re
import socket
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planner.errors import OptionError

if TYPE_CHECKING:
    from distributed import Client

_CONNECT = 20.0  # [s]
_AGAIN = 0.1  # [s] between two attempts: the scheduler may be starting, too
_LEAST = 1.0  # [s] that dask has, however late the scheduler began to speak
_GREETING = 1_000_000  # [bytes] that no greeting of a scheduler has
_SHOWN, _SAID = 80, 300  # characters of an address, and of what went wrong
_LOUD = frozenset({"distributed", "asyncio", "tornado"})  # what matters of it is said by us
_FORM = re.compile(
    r"(?:(?P<scheme>[a-z]+)://)?(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s:/\[\]]+)):(?P<port>[0-9]+)"
)
_HOST = re.compile(rb"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9_.])?")


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
        import distributed  # noqa: F401 what it brings would be counted to the time of connecting
    except ImportError:
        raise OptionError(
            "--cluster needs dask.distributed, which is not installed; install palpeur[cluster]."
        ) from None
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in _LOUD:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    attempt = _Attempt(address=address)
    # neither the search for a name nor dask can be told when to give up
    trying = threading.Thread(target=attempt.run, daemon=True)
    trying.start()
    trying.join(2.0 * _CONNECT + _LEAST)
    if attempt.client is None:
        raise OptionError(
            f"--cluster {address}: no scheduler answers there within {_CONNECT:g} s: "
            f"{attempt.reason}. Start one with `dask scheduler --host 127.0.0.1`, workers with "
            "`dask worker ADDRESS`.",
            address=str(address),
        )
    return attempt.client


@dataclass(slots=True, kw_only=True)
class _Attempt:
    """To connect, and how it goes.

    Args:
        address: of the scheduler.
        client: None until there is one.
        reason: why there is none.
    """

    address: Address
    client: Client | None = None
    reason: str = "nothing is heard of it"

    def run(self) -> None:
        """Connect, or note the reason."""
        until = time.monotonic() + _CONNECT
        try:
            self._listen(until)
            self.reason = "it greets like one and says no more"
            self.client = _client(self.address, max(_LEAST, until - time.monotonic()))
        except Exception as error:  # noqa: BLE001 whatever a stranger's bytes make dask raise
            self.reason = _words_of(error)

    def _listen(self, until: float) -> None:
        """Until a scheduler has greeted.

        Raises:
            OSError: the last thing that was heard instead.
        """
        while True:
            try:
                _hear(self.address, until)
            except OSError as error:
                if time.monotonic() + _AGAIN > until:
                    raise
                self.reason = _words_of(error)
                time.sleep(_AGAIN)
            else:
                return


def _hear(address: Address, until: float) -> None:
    """Hear the length of a greeting, which a scheduler sends to whoever comes.

    Raises:
        OSError: nobody is there, it says nothing, or leaves.
        ValueError: it says something else.
    """
    with socket.create_connection((address.host, address.port), _left(until)) as line:
        if address.scheme == "tls":
            return  # there the client speaks first
        heard = b""
        while len(heard) < 8:
            line.settimeout(_left(until))
            try:
                more = line.recv(8 - len(heard))
            except TimeoutError:
                raise TimeoutError("what listens there says nothing, so it is none") from None
            if not more:
                raise ConnectionError("what listens there hangs up")
            heard += more
    if not 0 < int.from_bytes(heard, "little") < _GREETING:
        raise ValueError("what answers there is none")


def _words_of(error: Exception) -> str:
    """On one line, without the stop at its end."""
    words = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(words.split())[:_SAID].rstrip(".")


def _left(until: float) -> float:
    return max(0.01, until - time.monotonic())


def _client(address: Address, seconds: float) -> Client:
    from distributed import Client

    # A client that could not connect would wait for its own end when it is collected.
    quiet = type("Client", (Client,), {"__del__": lambda _: None})
    made: Client = quiet(str(address), timeout=seconds, set_as_default=False)
    return made


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
