"""Plain Python loops over arrays as machine code: compiled by Numba once, then loaded.

A loop is an ordinary function of NumPy arrays and numbers that writes into its last arrays and
returns nothing; it and the functions of its own package that it calls are plain Python and run
uncompiled too, which is how tests read them. The machine code was compiled ahead, or lies in the
same cache as the recorded kernels; its key is the text of the modules it came from. For a processor
that it does not fit, LLVM makes it of the bitcode that was optimised ahead, in a tenth of the time
that the whole way takes; Numba is imported only where that is missing, too.

Arrays that belong together come as a ``NamedTuple`` of arrays: the function's annotation names the
class, the loop's types stand in parentheses, and the machine code takes it apart.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import FunctionType, ModuleType
from typing import Any, get_type_hints

import numpy as np

from robots.core.errors import EquationError
from robots.core.kernels import cache as disk
from robots.core.kernels.address import address_of
from robots.core.kernels.machine import (
    LOOP_ENTRY,
    Processor,
    baseline,
    bitcode_kind,
    host,
    mapped,
    object_of_bitcode,
    runs_baseline,
)

# Raise when the generated code changes in a way the modules' texts do not show.
_GENERATION = "5"
_LOG = logging.getLogger("palpeur.kernels")
_DTYPES = {
    **{"f8": "float64", "f4": "float32"},
    **{"i8": "int64", "i4": "int32", "u8": "uint64", "u1": "uint8"},
}
_SCALARS: dict[str, Any] = {"f8": ctypes.c_double, "i8": ctypes.c_int64}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Argument:
    """Type of one argument: "f8[2]" is a C-ordered matrix of doubles, "i8" an integer."""

    name: str
    kind: str
    rank: int
    dtype: np.dtype[Any]

    def takes(self, value: Any) -> bool:
        """Return whether a value may be passed as this array."""
        return (
            isinstance(value, np.ndarray)
            and value.dtype == self.dtype
            and value.ndim == self.rank
            and value.flags.c_contiguous
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """A ``NamedTuple`` of arrays, or of such tuples."""

    name: str
    kind: type
    parts: tuple[_Parameter, ...]

    def takes(self, value: Any) -> bool:
        """Return whether a value is one of these; its parts are looked at one by one."""
        return isinstance(value, self.kind)


_Parameter = _Argument | _Group


class Loop:
    """A function of loops, called with arrays; the call releases the interpreter lock.

    Args:
        function: plain Python; every function that it calls must be of its own top package, or one
            that Numba knows.
        arguments: types in order, such as "f8[2] (i4[1] f8[1]) i8"; f8 f4 i8 i4 u8 u1, the brackets
            hold the number of axes, the parentheses the fields of a ``NamedTuple``.

    Raises:
        EquationError: a type that is not known, on creation; on the first call, types that are not
            those of the function's parameters.
    """

    def __init__(self, function: Callable[..., None], arguments: str) -> None:
        self.function = function
        self._signature = arguments
        self._types = _types(arguments)
        self._parameters: tuple[_Parameter, ...] = ()
        self._lock = Lock()  # threads may call before any of them has loaded
        self._call: Any = None
        self._flat: Any = None  # arguments as the machine code takes them; None for a wrong one
        self._keep: Any = None  # what holds the machine code in memory

    def __call__(self, *values: Any) -> None:
        """Run; arrays must be C-ordered and of the declared types.

        Raises:
            EquationError: an array of another type, rank or order.
        """
        if self._call is None:
            self._load()
        try:
            flat = self._flat(*values)
        except (AttributeError, TypeError):  # of what is no array, or of too many or too few
            flat = None
        if flat is None:
            self._refuse(self._parameters, values, "")
        self._call(*flat)

    def _refuse(self, parameters: tuple[_Parameter, ...], values: Any, owner: str) -> None:
        """Say which of some values is none that its parameter takes."""
        for parameter, value in zip(parameters, values, strict=True):
            if isinstance(parameter, _Argument) and parameter.rank == 0:
                continue
            if not parameter.takes(value):
                raise self._refused(parameter, value, owner)
            if isinstance(parameter, _Group):
                self._refuse(parameter.parts, value, f"{owner}{parameter.name}.")

    def _refused(self, parameter: _Parameter, value: Any, owner: str) -> EquationError:
        found = f"{value.dtype} {value.shape}" if isinstance(value, np.ndarray) else repr(value)
        expected = (
            f"a {parameter.kind.__name__}"
            if isinstance(parameter, _Group)
            else f"a C-ordered array of {parameter.dtype} with {parameter.rank} axes"
        )
        name = f"{owner}{parameter.name}"
        return EquationError(
            f"Argument {name} of loop {self.function.__name__} is {found}; expected {expected}.",
            argument=name,
        )

    def _load(self) -> None:
        with self._lock:
            if self._call is None:
                self._parameters = _parameters(self.function, self._types)
                self._flat = _flattening(self._parameters)
                self._call = self._loaded()

    def _loaded(self) -> Any:
        """The machine code as a ctypes function: from ahead, out of the cache, or compiled."""
        processor = baseline() if runs_baseline() else host()
        key = self._object_key(processor)
        code = disk.read_ahead(_object_file(key)) or disk.read(key)
        if code is None:
            _LOG.info("compiling %s", self.function.__qualname__)
            bitcode = disk.read_ahead(self.bitcode_name()) or self.bitcode()
            code = object_of_bitcode(bitcode, processor)
            disk.write(key, code)
        self._keep = mapped(code, LOOP_ENTRY)
        kinds: list[Any] = []
        for argument in _leaves(self._parameters):
            if argument.rank == 0:
                kinds.append(_SCALARS[argument.kind])
            else:
                kinds += [ctypes.c_void_p, *[ctypes.c_int64] * argument.rank]
        return ctypes.CFUNCTYPE(None, *kinds)(self._keep[LOOP_ENTRY])

    def object_name(self) -> str:
        """File of the machine code compiled ahead for this kind of machine."""
        return _object_file(self._object_key(baseline()))

    def _object_key(self, processor: Processor) -> str:
        """The compiler's version is no part of it: the text says what an object does."""
        return self._key("object", sys.platform, *processor)

    def bitcode_name(self) -> str:
        """File of the bitcode optimised ahead, for any processor of this kind and system."""
        return f"bitcode/{self._key('bitcode', sys.platform, bitcode_kind())}.bc"

    def _key(self, *target: str) -> str:
        modules = _modules_of(self.function)
        texts = [Path(str(m.__file__)).read_text("utf-8") for _, m in sorted(modules.items())]
        name = f"{self.function.__module__}.{self.function.__qualname__}"
        parts = (_GENERATION, *target, name, self._signature, *texts)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def bitcode(self) -> bytes:
        """LLVM's bitcode, optimised: all that takes long, and depends on no make of processor."""
        import numba
        from numba import carray, types

        from robots.core.kernels.lowering import Lowering, without_collection

        entry = _JITTED.function(self.function)
        kinds: list[Any] = []
        parameters = _parameters(self.function, self._types)
        for argument in _leaves(parameters):
            base = getattr(types, argument.dtype.name)
            if argument.rank == 0:
                kinds.append(base)
            else:
                kinds += [types.CPointer(base), *[types.int64] * argument.rank]
        namespace: dict[str, Any] = {"entry": entry, "carray": carray}
        exec(_wrapper(parameters, namespace), namespace)
        lowered = numba.cfunc(
            types.void(*kinds), nopython=True, error_model="numpy", pipeline_class=Lowering
        )
        with without_collection():
            made = lowered(namespace["wrapper"])
            bitcode: bytes = made._library.optimised_code(made.native_name)
            return bitcode


def _object_file(key: str) -> str:
    return f"objects/{key}.o"


_Types = tuple["str | _Types", ...]


def _types(text: str) -> _Types:
    """Types in order; those in parentheses as a tuple of their own."""
    open_groups: list[list[str | _Types]] = [[]]
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            open_groups.append([])
        elif word == ")" and len(open_groups) > 1:
            group = tuple(open_groups.pop())
            open_groups[-1].append(group)
        else:
            kind, _, rest = word.partition("[")
            if kind not in _DTYPES or (not rest and kind not in _SCALARS):
                raise EquationError(
                    f"A loop has no argument type {word!r}; there are {', '.join(_DTYPES)}."
                )
            open_groups[-1].append(word)
    if len(open_groups) > 1:
        raise EquationError(f"A parenthesis is left open in the types {text!r} of a loop.")
    return tuple(open_groups[0])


def _parameters(owner: Callable[..., None] | type, types: _Types) -> tuple[_Parameter, ...]:
    """Types with the names and classes of a function's parameters, or of a tuple's fields."""
    names: tuple[str, ...] = (
        owner.__code__.co_varnames[: owner.__code__.co_argcount]
        if isinstance(owner, FunctionType)
        else getattr(owner, "_fields", ())
    )
    hints = get_type_hints(owner) if any(isinstance(item, tuple) for item in types) else {}
    if len(names) != len(types):
        raise EquationError(
            f"Loop {owner.__name__} declares {len(types)} types for the {len(names)} parameters "
            f"{', '.join(names)}.",
            types=len(types),
            parameters=len(names),
        )
    found: list[_Parameter] = []
    for name, item in zip(names, types, strict=True):
        if isinstance(item, str):
            kind, _, rest = item.partition("[")
            rank = int(rest.removesuffix("]")) if rest else 0
            dtype = np.dtype(_DTYPES[kind])
            found.append(_Argument(name=name, kind=kind, rank=rank, dtype=dtype))
        else:
            found.append(_Group(name=name, kind=hints[name], parts=_parameters(hints[name], item)))
    return tuple(found)


def _leaves(parameters: tuple[_Parameter, ...]) -> Iterator[_Argument]:
    """Arrays and numbers in order, those in tuples too."""
    for parameter in parameters:
        if isinstance(parameter, _Group):
            yield from _leaves(parameter.parts)
        else:
            yield parameter


def _wrapper(parameters: tuple[_Parameter, ...], namespace: dict[str, Any]) -> str:
    """Text of a function that makes arrays and tuples of pointers and sizes, and calls the entry.

    Args:
        parameters: of the entry.
        namespace: filled with the tuples' classes.
    """
    names: list[str] = []

    def made(parameter: _Parameter) -> str:
        if isinstance(parameter, _Group):
            place = f"group{len(namespace)}"
            namespace[place] = parameter.kind
            return f"{place}({', '.join(made(part) for part in parameter.parts)})"
        name = f"a{len(names)}"
        sizes = [f"{name}_{axis}" for axis in range(parameter.rank)]
        names.extend([name, *sizes])
        return f"carray({name}, ({', '.join(sizes)},))" if sizes else name

    call = f"entry({', '.join(made(parameter) for parameter in parameters)})"
    return f"def wrapper({', '.join(names)}):\n    {call}\n"


def _flattening(parameters: tuple[_Parameter, ...]) -> Callable[..., tuple[Any, ...] | None]:
    """A function of a call's arguments: the addresses, sizes and numbers that machine code takes.

    It returns None where an argument is not of its type. It is written out for the parameters,
    because small calls by the ten thousand would spend most of their time in a loop over them.
    """
    namespace: dict[str, Any] = {"address_of": address_of, "ndarray": np.ndarray}
    checks: list[str] = []
    unpacked: list[str] = []
    taken: list[str] = []

    def name(parameter: _Parameter) -> str:
        own = f"a{len(namespace)}"
        if isinstance(parameter, _Group):
            namespace[f"kind_{own}"] = parameter.kind
            parts = ", ".join(name(part) for part in parameter.parts)
            unpacked.insert(
                0, f"if not isinstance({own}, kind_{own}): return None\n    ({parts},) = {own}"
            )
        elif parameter.rank == 0:
            namespace[f"kind_{own}"] = None
            taken.append(own)
        else:
            namespace[f"kind_{own}"] = parameter.dtype
            checks.append(
                f"isinstance({own}, ndarray) and {own}.dtype == kind_{own} "
                f"and {own}.ndim == {parameter.rank} "
                f"and {own}.flags.c_contiguous"
            )
            taken.extend([f"address_of({own})", f"*{own}.shape"])
        return own

    names = [name(parameter) for parameter in parameters]
    text = f"def flat({', '.join(names)}):\n"
    text += "".join(f"    {line}\n" for line in unpacked)
    text += f"    if not ({' and '.join(checks) or True}): return None\n"
    exec(text + f"    return ({', '.join(taken)},)\n", namespace)
    flat: Callable[..., tuple[Any, ...] | None] = namespace["flat"]
    return flat


def _modules_of(function: Callable[..., None]) -> dict[str, ModuleType]:
    """Modules whose functions a loop may call: its own, and those that these import from."""
    package = _package(function.__module__)
    found: dict[str, ModuleType] = {}
    waiting = [function.__module__]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = sys.modules[name]
        waiting += [
            value.__module__
            for value in vars(found[name]).values()
            if isinstance(value, FunctionType) and _package(value.__module__) == package
        ]
    return found


def _package(module: str) -> str:
    return module.partition(".")[0]


class _Jitted:
    """Functions of modules ready for Numba: what one loop has compiled, the others call."""

    def __init__(self) -> None:
        self._spaces: dict[str, dict[str, Any]] = {}
        self._lock = Lock()  # threads may compile loops of one module at once

    def function(self, function: Callable[..., None]) -> Any:
        """The function as Numba's, with all that it calls."""
        with self._lock:
            return self._space(function.__module__)[function.__name__]

    def _space(self, name: str) -> dict[str, Any]:
        """Namespace of a module in which every function of its package is Numba's.

        It is filled step by step: under the lock only.
        """
        if name in self._spaces:
            return self._spaces[name]
        from robots.core.kernels.lowering import Function

        module = vars(sys.modules[name])
        space = self._spaces[name] = dict(module)
        functions = {k: v for k, v in module.items() if isinstance(v, FunctionType)}
        # Its own first: modules may call each other.
        for key, value in functions.items():
            if value.__module__ == name:
                copy = FunctionType(value.__code__, space, key, value.__defaults__)
                copy.__annotations__ = {}
                space[key] = Function(copy)
        for key, value in functions.items():
            if value.__module__ != name and _package(value.__module__) == _package(name):
                space[key] = self._space(value.__module__)[value.__name__]
        return space


_JITTED = _Jitted()
