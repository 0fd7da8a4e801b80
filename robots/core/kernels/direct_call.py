"""A kernel as a built-in function of Python: machine code that reads NumPy arrays by itself.

A controller asks for one state at a time, and a call through ctypes takes longer than the torques
of six joints. So the compiled kernel is given to Python as a function of C: it looks at the arrays,
makes the result, and runs. One piece of machine code does it for all kernels; what distinguishes
them stands in a table beside each function.

The function takes C-ordered arrays of doubles that agree on the number of samples, one sample or
one row for each. Other numbers it has NumPy convert once; what does not fit then, errors among it,
it hands to a Python function. Fewer samples than the processor has lanes are repeated until the
lanes are full, and the last samples of a batch are computed together with some before them: a
sample has the same bits alone as in any batch.

The layout of Python's and NumPy's objects that this relies on is part of their binary interface;
it is compared with real objects before the first function is made, and where it differs there is no
direct call.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from robots.core.arrays import Array
from robots.core.kernels.compiled import CompiledForm
from robots.core.kernels.machine import Machine, mapped, object_of
from robots.core.recording import Programme

Function = Callable[..., Array]

ENTRY = "palpeur_direct_call"
CONVERTING_ENTRY = "palpeur_converting_call"

# Bytes from the start of an object: ob_type; PyTupleObject.ob_item; PyArrayObject_fields.
_TYPE, _ITEMS = 8, 24
_DATA, _RANK, _EXTENTS, _DTYPE, _FLAGS = 16, 24, 32, 56, 64
_ORDERED = 0x0001 | 0x0100  # NPY_ARRAY_C_CONTIGUOUS and NPY_ARRAY_ALIGNED
_DOUBLE = 12  # NPY_DOUBLE
_NEW_ARRAY, _FROM_ANY = 93, 69  # PyArray_New, PyArray_FromAny in NumPy's table of functions
# As numpy.asarray(value, dtype=float, order="C") converts: NPY_ARRAY_ALIGNED, _C_CONTIGUOUS,
# _NOTSWAPPED, _FORCECAST, _ENSUREARRAY.
_CONVERTED = 0x0100 | 0x0001 | 0x0200 | 0x0010 | 0x0040
_FAST_CALL = 0x0080  # METH_FASTCALL: (self, array of arguments, their number)

_MOST_ARGUMENTS = 15
_MOST_AXES = 15
_MOST_ON_STACK = 1 << 16  # bytes; the smallest stacks of threads have twice that
_UNLOCKED = 20_000  # operations from which other threads of Python run meanwhile: some 10 µs


class _Facts(NamedTuple):
    """Facts of one kernel for the machine code, in this order; eight bytes each.

    Behind it stands for each argument, and for the result: size, rank, extents.
    """

    kernel: int  # address of its entry by list
    arguments: int
    unlocked: int  # samples from which the interpreter lock is released
    block: int  # bytes of one block of arguments and result
    array_type: int
    double: int  # NumPy's description of a double
    new_array: int
    from_any: int
    hold: int  # Py_IncRef
    release: int  # Py_DecRef
    hand_on: int  # PyObject_Vectorcall
    unlock: int
    lock: int


class _MethodDefinition(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    )


def block_fits(programme: Programme, lanes: int) -> bool:
    """Whether a block of so many samples, arguments and result, may lie on a thread's stack."""
    return _block_bytes(programme, lanes) <= _MOST_ON_STACK


def direct_call(programme: Programme, form: CompiledForm, otherwise: Function) -> Function | None:
    """A function of a programme's arguments.

    Args:
        programme: what is computed.
        form: its machine code.
        otherwise: called with arrays of doubles that the machine code does not take.

    Returns:
        A built-in function; None where Python's or NumPy's objects are laid out otherwise, or the
        programme has too many arguments, axes or numbers.
    """
    arrays = (*programme.arguments, programme.result)
    lanes = form.target.lanes
    if (
        len(arrays) > _MOST_ARGUMENTS
        or max(len(array.shape) for array in arrays) >= _MOST_AXES
        or (lanes > 1 and not block_fits(programme, lanes))
        or not layout_is_known()
    ):
        return None
    facts = _Facts(
        kernel=form.loaded.by_list,
        arguments=len(programme.arguments),
        unlocked=max(_UNLOCKED // max(programme.work, 1), lanes),
        block=_block_bytes(programme, lanes),
        array_type=id(np.ndarray),
        double=id(np.dtype(np.float64)),
        new_array=_numpy_function(_NEW_ARRAY),
        from_any=_numpy_function(_FROM_ANY),
        hold=_python_function("Py_IncRef"),
        release=_python_function("Py_DecRef"),
        hand_on=_python_function("PyObject_Vectorcall"),
        unlock=_python_function("PyEval_SaveThread"),
        lock=_python_function("PyEval_RestoreThread"),
    )
    table = [*facts]
    for array in arrays:
        table += [array.size, len(array.shape), *array.shape]
    numbers, code = np.array(table, dtype=np.int64), _machine_code(form.target)
    converting = _built_in(programme.name, code.converting, (numbers, otherwise, form, code))
    return _built_in(programme.name, code.direct, (numbers, converting, form, code))


def _built_in(name: str, address: int, own: tuple[object, ...]) -> Function:
    """A function of C as one of Python; it owns all that its machine code needs."""
    method = _MethodDefinition(name.encode(), address, _FAST_CALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    made: Function = make(ctypes.addressof(method), (*own, method), None)
    return made


def _block_bytes(programme: Programme, lanes: int) -> int:
    return 8 * lanes * sum(array.size for array in (*programme.arguments, programme.result))


class _Code(NamedTuple):
    direct: int  # addresses
    converting: int
    engine: Any  # keeps it in memory


@cache
def _machine_code(target: Machine) -> _Code:
    engine = mapped(object_of(_text(target.lanes), target), ENTRY, CONVERTING_ENTRY)
    return _Code(direct=engine[ENTRY], converting=engine[CONVERTING_ENTRY], engine=engine)


@cache
def layout_is_known() -> bool:
    """Whether objects of this Python and this NumPy lie in memory as the machine code reads them.

    Looked at are real objects, inside their memory.
    """
    if (
        sys.implementation.name != "cpython"
        or sysconfig.get_config_var("Py_GIL_DISABLED")
        or ctypes.sizeof(ctypes.c_void_p) != 8
        or object.__basicsize__ != 2 * 8
        or tuple.__basicsize__ != _ITEMS
        or np.ndarray.__basicsize__ < _FLAGS + 8
    ):
        return False
    array, pair = np.zeros((3, 2)), (np.ndarray, None)
    extents = _word(id(array), _EXTENTS)
    return (
        _word(id(pair), _ITEMS) == id(np.ndarray)
        and _word(id(array), _TYPE) == id(np.ndarray)
        and _word(id(array), _DATA) == array.ctypes.data
        and _word(id(array), _RANK) & 0xFFFFFFFF == array.ndim
        and _word(id(array), _DTYPE) == id(array.dtype)
        and _word(id(array), _FLAGS) & 0xFFFFFFFF == array.flags.num
        # The strides stand right behind the extents, so that these may be looked at.
        and _word(id(array), _EXTENTS + 8) == extents + 8 * array.ndim
        and (_word(extents, 0), _word(extents, 8)) == array.shape
    )


def _word(address: int, offset: int) -> int:
    return ctypes.c_int64.from_address(address + offset).value


def _python_function(name: str) -> int:
    """Address of a function of Python's interface."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


def _numpy_function(place: int) -> int:
    """Address of a function of NumPy's interface, by its place in the table."""
    table = import_module("numpy._core._multiarray_umath")  # what NumPy's headers for C import
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return _word(pointer(table._ARRAY_API, None), 8 * place)


def _fact(name: str) -> str:
    """Read one of ``_Facts`` into a value of its name."""
    place = _Facts._fields.index(name)
    return f"""%{name}.at = getelementptr i64, ptr %facts, i64 {place}
  %{name} = load i64, ptr %{name}.at"""


def _pointer(name: str) -> str:
    """Read one of ``_Facts`` that is an address."""
    return _fact(name).replace("load i64", "load ptr")


def _member(name: str, kind: str, owner: str, offset: int) -> str:
    """Read a member of an object."""
    return f"""%{name}.at = getelementptr i8, ptr %{owner}, i64 {offset}
  %{name} = load {kind}, ptr %{name}.at"""


def _text(lanes: int) -> str:
    """LLVM assembly of the function: ``PyObject *(PyObject *own, PyObject **given, n)``.

    Args:
        lanes: of the kernels that are called.
    """
    return f"""
define ptr @{ENTRY}(ptr %own, ptr %given, i64 %count) {{
entry:
  %pointers = alloca ptr, i64 {_MOST_ARGUMENTS + 1}, align 8
  %shape = alloca i64, i64 {_MOST_AXES + 1}, align 8
  {_member("table", "ptr", "own", _ITEMS)}
  {_member("facts", "ptr", "table", _DATA)}
  {_pointer("kernel")}
  {_fact("arguments")}
  {_pointer("array_type")}
  {_pointer("double")}
  %arrays = getelementptr i64, ptr %facts, i64 {len(_Facts._fields)}
  %right.count = icmp eq i64 %count, %arguments
  br i1 %right.count, label %arguments.next, label %hand.on

; Each argument must be an ordered array of doubles, with as many samples as the first.
arguments.next:
  %k = phi i64 [ 0, %entry ], [ %k.after, %argument.fits ]
  %array = phi ptr [ %arrays, %entry ], [ %array.after, %argument.fits ]
  %samples = phi i64 [ 1, %entry ], [ %samples.here, %argument.fits ]
  %leading = phi i64 [ 0, %entry ], [ %leading.here, %argument.fits ]
  %more.arguments = icmp slt i64 %k, %arguments
  br i1 %more.arguments, label %argument.type, label %shape.begin

argument.type:
  %value.at = getelementptr ptr, ptr %given, i64 %k
  %value = load ptr, ptr %value.at
  {_member("type", "ptr", "value", _TYPE)}
  %is.array = icmp eq ptr %type, %array_type
  br i1 %is.array, label %argument.layout, label %hand.on

argument.layout:
  {_member("dtype", "ptr", "value", _DTYPE)}
  {_member("flags", "i32", "value", _FLAGS)}
  {_member("axes", "i32", "value", _RANK)}
  {_member("extents", "ptr", "value", _EXTENTS)}
  %is.double = icmp eq ptr %dtype, %double
  %order = and i32 %flags, {_ORDERED}
  %is.ordered = icmp eq i32 %order, {_ORDERED}
  %rank.at = getelementptr i64, ptr %array, i64 1
  %rank = load i64, ptr %rank.at
  %axes.wide = sext i32 %axes to i64
  %leading.here = sub i64 %axes.wide, %rank
  %is.one.or.row = icmp ult i64 %leading.here, 2
  %fits.1 = and i1 %is.double, %is.ordered
  %fits.2 = and i1 %fits.1, %is.one.or.row
  br i1 %fits.2, label %argument.samples, label %hand.on

argument.samples:
  %is.batch = icmp eq i64 %leading.here, 1
  br i1 %is.batch, label %argument.batch, label %argument.agrees

argument.batch:
  %rows = load i64, ptr %extents
  br label %argument.agrees

argument.agrees:
  %samples.here = phi i64 [ 1, %argument.samples ], [ %rows, %argument.batch ]
  %is.first = icmp eq i64 %k, 0
  %same.samples = icmp eq i64 %samples.here, %samples
  %same.leading = icmp eq i64 %leading.here, %leading
  %same = and i1 %same.samples, %same.leading
  %agrees = or i1 %is.first, %same
  %extents.own = getelementptr i64, ptr %extents, i64 %leading.here
  %extents.due = getelementptr i64, ptr %array, i64 2
  br i1 %agrees, label %extents.next, label %hand.on

extents.next:
  %j = phi i64 [ 0, %argument.agrees ], [ %j.after, %extent.fits ]
  %more.extents = icmp slt i64 %j, %rank
  br i1 %more.extents, label %extent.fits, label %argument.fits

extent.fits:
  %extent.at = getelementptr i64, ptr %extents.own, i64 %j
  %extent = load i64, ptr %extent.at
  %due.at = getelementptr i64, ptr %extents.due, i64 %j
  %due = load i64, ptr %due.at
  %j.after = add i64 %j, 1
  %is.due = icmp eq i64 %extent, %due
  br i1 %is.due, label %extents.next, label %hand.on

argument.fits:
  {_member("data", "ptr", "value", _DATA)}
  %pointer.at = getelementptr ptr, ptr %pointers, i64 %k
  store ptr %data, ptr %pointer.at
  %array.after = getelementptr i64, ptr %extents.due, i64 %rank
  %k.after = add i64 %k, 1
  br label %arguments.next

; The result: the number of samples in front of its own extents. %array now describes it.
shape.begin:
  store i64 %samples, ptr %shape
  %result.rank.at = getelementptr i64, ptr %array, i64 1
  %result.rank = load i64, ptr %result.rank.at
  %result.extents = getelementptr i64, ptr %array, i64 2
  %shape.own = getelementptr i64, ptr %shape, i64 %leading
  br label %shape.next

shape.next:
  %i = phi i64 [ 0, %shape.begin ], [ %i.after, %shape.copy ]
  %more.shape = icmp slt i64 %i, %result.rank
  br i1 %more.shape, label %shape.copy, label %make

shape.copy:
  %from.at = getelementptr i64, ptr %result.extents, i64 %i
  %from = load i64, ptr %from.at
  %to.at = getelementptr i64, ptr %shape.own, i64 %i
  store i64 %from, ptr %to.at
  %i.after = add i64 %i, 1
  br label %shape.next

make:
  {_pointer("new_array")}
  %result.axes.wide = add i64 %result.rank, %leading
  %result.axes = trunc i64 %result.axes.wide to i32
  %result = call ptr %new_array(ptr %array_type, i32 %result.axes, ptr %shape, i32 {_DOUBLE}, \
ptr null, ptr null, i32 0, i32 0, ptr null)
  %no.memory = icmp eq ptr %result, null
  br i1 %no.memory, label %done, label %sizes

sizes:
  {_member("numbers", "ptr", "result", _DATA)}
  %result.at = getelementptr ptr, ptr %pointers, i64 %arguments
  store ptr %numbers, ptr %result.at
  %is.block = icmp sge i64 %samples, {lanes}
  br i1 %is.block, label %blocks, label %few

; A block or more. What is left over is computed with the samples before it, once more.
blocks:
  {_fact("unlocked")}
  %is.long = icmp sge i64 %samples, %unlocked
  br i1 %is.long, label %unlocking, label %compute

unlocking:
  {_pointer("unlock")}
  %thread.here = call ptr %unlock()
  br label %compute

compute:
  %thread = phi ptr [ null, %blocks ], [ %thread.here, %unlocking ]
  %whole = sdiv i64 %samples, {lanes}
  call void %kernel(i64 %whole, ptr %pointers)
  %rest = srem i64 %samples, {lanes}
  %is.whole = icmp eq i64 %rest, 0
  br i1 %is.whole, label %computed, label %rest.begin

rest.begin:
  %skipped = sub i64 %samples, {lanes}
  br label %rest.next

rest.next:
  %r = phi i64 [ 0, %rest.begin ], [ %r.after, %rest.next ]
  %rest.array = phi ptr [ %arrays, %rest.begin ], [ %rest.array.after, %rest.next ]
  %rest.size = load i64, ptr %rest.array
  %rest.rank.at = getelementptr i64, ptr %rest.array, i64 1
  %rest.rank = load i64, ptr %rest.rank.at
  %rest.extents = getelementptr i64, ptr %rest.array, i64 2
  %rest.array.after = getelementptr i64, ptr %rest.extents, i64 %rest.rank
  %rest.offset = mul i64 %skipped, %rest.size
  %rest.at = getelementptr ptr, ptr %pointers, i64 %r
  %rest.start = load ptr, ptr %rest.at
  %rest.here = getelementptr double, ptr %rest.start, i64 %rest.offset
  store ptr %rest.here, ptr %rest.at
  %r.after = add i64 %r, 1
  %more.rest = icmp sle i64 %r.after, %arguments
  br i1 %more.rest, label %rest.next, label %rest.compute

rest.compute:
  call void %kernel(i64 1, ptr %pointers)
  br label %computed

computed:
  %is.locked = icmp eq ptr %thread, null
  br i1 %is.locked, label %done, label %locking

locking:
  {_pointer("lock")}
  call void %lock(ptr %thread)
  br label %done

; Less than a block: its rows are repeated until it is one, on the stack.
few:
  %none = icmp eq i64 %samples, 0
  br i1 %none, label %done, label %few.begin

few.begin:
  {_fact("block")}
  %rows.of.block = alloca i8, i64 %block, align 64
  br label %few.next

few.next:
  %f = phi i64 [ 0, %few.begin ], [ %f.after, %few.filled ]
  %few.array = phi ptr [ %arrays, %few.begin ], [ %few.array.after, %few.filled ]
  %place = phi ptr [ %rows.of.block, %few.begin ], [ %place.after, %few.filled ]
  %few.size = load i64, ptr %few.array
  %few.at = getelementptr ptr, ptr %pointers, i64 %f
  %few.rows = load ptr, ptr %few.at
  store ptr %place, ptr %few.at
  %few.is.result = icmp eq i64 %f, %arguments
  br i1 %few.is.result, label %few.compute, label %fill.begin

fill.begin:
  %few.end = mul i64 %few.size, %samples
  %due.end = mul i64 %few.size, {lanes}
  br label %fill.row

fill.row:
  %row = phi i64 [ 0, %fill.begin ], [ %row.after, %fill.row.done ]
  %row.is.own = icmp slt i64 %row, %few.end
  %row.from = select i1 %row.is.own, i64 %row, i64 0
  %row.source = getelementptr double, ptr %few.rows, i64 %row.from
  %row.target = getelementptr double, ptr %place, i64 %row
  %row.left = icmp slt i64 %row, %due.end
  br i1 %row.left, label %fill.column, label %few.filled

fill.column:
  %c = phi i64 [ 0, %fill.row ], [ %c.after, %fill.copy ]
  %column.left = icmp slt i64 %c, %few.size
  br i1 %column.left, label %fill.copy, label %fill.row.done

fill.copy:
  %source.at = getelementptr double, ptr %row.source, i64 %c
  %number = load double, ptr %source.at
  %target.at = getelementptr double, ptr %row.target, i64 %c
  store double %number, ptr %target.at
  %c.after = add i64 %c, 1
  br label %fill.column

fill.row.done:
  %row.after = add i64 %row, %few.size
  br label %fill.row

few.filled:
  %place.after = getelementptr double, ptr %place, i64 %due.end
  %few.rank.at = getelementptr i64, ptr %few.array, i64 1
  %few.rank = load i64, ptr %few.rank.at
  %few.extents = getelementptr i64, ptr %few.array, i64 2
  %few.array.after = getelementptr i64, ptr %few.extents, i64 %few.rank
  %f.after = add i64 %f, 1
  br label %few.next

few.compute:
  call void %kernel(i64 1, ptr %pointers)
  %own.numbers = mul i64 %few.size, %samples
  br label %answer.next

answer.next:
  %a = phi i64 [ 0, %few.compute ], [ %a.after, %answer.copy ]
  %answer.left = icmp slt i64 %a, %own.numbers
  br i1 %answer.left, label %answer.copy, label %done

answer.copy:
  %answer.from = getelementptr double, ptr %place, i64 %a
  %answer = load double, ptr %answer.from
  %answer.to = getelementptr double, ptr %numbers, i64 %a
  store double %answer, ptr %answer.to
  %a.after = add i64 %a, 1
  br label %answer.next

done:
  ret ptr %result

hand.on:
  {_member("otherwise", "ptr", "own", _ITEMS + 8)}
  {_pointer("hand_on")}
  %other = call ptr %hand_on(ptr %otherwise, ptr %given, i64 %count, ptr null)
  ret ptr %other
}}

; The same for numbers in any form: converted by NumPy, then computed or handed on.
define ptr @{CONVERTING_ENTRY}(ptr %own, ptr %given, i64 %count) {{
entry:
  %arrays = alloca ptr, i64 {_MOST_ARGUMENTS + 1}, align 8
  {_member("table", "ptr", "own", _ITEMS)}
  {_member("facts", "ptr", "table", _DATA)}
  {_fact("arguments")}
  {_pointer("double")}
  {_pointer("from_any")}
  {_pointer("hold")}
  {_pointer("release")}
  {_pointer("hand_on")}
  {_member("otherwise", "ptr", "own", _ITEMS + 8)}
  %right.count = icmp eq i64 %count, %arguments
  br i1 %right.count, label %next, label %wrong.count

next:
  %k = phi i64 [ 0, %entry ], [ %k.after, %converted ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %convert, label %compute

convert:
  %value.at = getelementptr ptr, ptr %given, i64 %k
  %value = load ptr, ptr %value.at
  call void %hold(ptr %double)  ; which the conversion takes
  %array = call ptr %from_any(ptr %value, ptr %double, i32 0, i32 0, i32 {_CONVERTED}, ptr null)
  %array.at = getelementptr ptr, ptr %arrays, i64 %k
  store ptr %array, ptr %array.at
  %failed = icmp eq ptr %array, null
  br i1 %failed, label %release.next, label %converted

converted:
  %k.after = add i64 %k, 1
  br label %next

compute:
  %answer = call ptr @{ENTRY}(ptr %own, ptr %arrays, i64 %count)
  br label %release.next

release.next:
  %left = phi i64 [ %k, %convert ], [ %count, %compute ], [ %last, %release.one ]
  %result = phi ptr [ null, %convert ], [ %answer, %compute ], [ %result, %release.one ]
  %some.left = icmp sgt i64 %left, 0
  br i1 %some.left, label %release.one, label %done

release.one:
  %last = sub i64 %left, 1
  %last.at = getelementptr ptr, ptr %arrays, i64 %last
  %used = load ptr, ptr %last.at
  call void %release(ptr %used)
  br label %release.next

done:
  ret ptr %result

wrong.count:
  %other = call ptr %hand_on(ptr %otherwise, ptr %given, i64 %count, ptr null)
  ret ptr %other
}}
"""
