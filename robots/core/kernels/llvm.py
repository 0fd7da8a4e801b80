"""LLVM text of a recorded programme: rows of instructions, sines, cosines and arctangents.

A block of rows is read and transposed, computed with explicit vectors, transposed back and stored;
no buffer and no loop vectoriser stand between the recording and the machine. Nothing is reordered,
so NaN and infinities behave as written. Which products are fused with the sum that takes them is
decided here, not by the compiler: a sample has the same bits in one lane as in eight, at every
level of optimisation.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from robots.core.kernels.machine import ENTRY, ENTRY_BY_LIST
from robots.core.recording import Instruction, Operation, Programme

_BINARY = {
    Operation.ADD: "fadd",
    Operation.SUBTRACT: "fsub",
    Operation.MULTIPLY: "fmul",
    Operation.DIVIDE: "fdiv",
}


def llvm_text(programme: Programme, lanes: int) -> str:
    """LLVM assembly of ``void palpeur_kernel(i64 blocks, ptr in0, …, ptr out)``.

    ``void palpeur_kernel_by_list(i64 blocks, ptr list)`` is the same with its pointers in a list.

    Args:
        programme: what to compute.
        lanes: samples per block: doubles in one vector register of the machine, a power of two.
    """
    out = Emitter(lanes=lanes)
    pointers = [f"%in{k}" for k in range(len(programme.arguments))]
    bases = [
        row_pointer(out, pointer, lanes * argument.size)
        for pointer, argument in zip(pointers, programme.arguments, strict=True)
    ]
    target = row_pointer(out, "%out", lanes * programme.result.size)
    first = len(out.lines)
    values = _compute(programme, out, bases)
    computed = len(out.lines)
    write_rows(out, target, _outputs(programme, out, values))
    middle_of_stores = (computed + len(out.lines)) // 2
    out.interleave((first, middle_of_stores), _requests(programme, out, bases, target))
    arguments = "".join(f"ptr noalias readonly {pointer}, " for pointer in pointers)
    body = "\n".join(out.lines)
    return f"""define void @{ENTRY}(i64 %blocks, {arguments}ptr noalias %out) #0 {{
entry:
  %some = icmp sgt i64 %blocks, 0
  br i1 %some, label %loop, label %done
loop:
  %block = phi i64 [ 0, %entry ], [ %next, %loop ]
{body}
  %next = add nuw nsw i64 %block, 1
  %more = icmp slt i64 %next, %blocks
  br i1 %more, label %loop, label %done
done:
  ret void
}}
{_entry_by_list(pointers)}
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare {out.vector} @llvm.fma.v{lanes}f64({out.vector}, {out.vector}, {out.vector})
declare {out.vector} @llvm.fabs.v{lanes}f64({out.vector})
declare {out.vector} @llvm.sqrt.v{lanes}f64({out.vector})
declare {out.vector} @llvm.copysign.v{lanes}f64({out.vector}, {out.vector})
attributes #0 = {{ nounwind "min-legal-vector-width"="{64 * lanes}" \
"prefer-vector-width"="{64 * lanes}" }}
"""


def _entry_by_list(pointers: Sequence[str]) -> str:
    """The entry for callers that serve kernels with any number of arguments."""
    lines = []
    for place, pointer in enumerate((*pointers, "%out")):
        lines.append(f"  {pointer}.at = getelementptr ptr, ptr %list, i64 {place}")
        lines.append(f"  {pointer} = load ptr, ptr {pointer}.at")
    given = ", ".join(f"ptr {pointer}" for pointer in (*pointers, "%out"))
    body = "\n".join(lines)
    return f"""define void @{ENTRY_BY_LIST}(i64 %blocks, ptr %list) #0 {{
{body}
  call void @{ENTRY}(i64 %blocks, {given})
  ret void
}}"""


def _requests(
    programme: Programme, out: Emitter, bases: Sequence[str], target: str
) -> list[list[str]]:
    """Lines of memory for later blocks, those to read evenly between those to store."""
    sizes = [out.lanes * argument.size for argument in programme.arguments]
    read = [
        request
        for base, size in zip(bases, sizes, strict=True)
        for request in lines_to_read(out, base, size)
    ]
    store = lines_to_store(out, target, out.lanes * programme.result.size)
    placed = [
        ((k + 0.5) / len(kind), request) for kind in (store, read) for k, request in enumerate(kind)
    ]
    return [request for _, request in sorted(placed, key=lambda item: item[0])]


def _compute(programme: Programme, out: Emitter, bases: Sequence[str]) -> list[str]:
    """Emit the instructions in order; the name of every value."""
    columns = [
        read_rows(out, base, argument.size)
        for base, argument in zip(bases, programme.arguments, strict=True)
    ]
    trigonometry = Trigonometry(out)
    fused = _fused_products(programme)
    inside = set(fused.values())
    values: list[str] = []
    for index, item in enumerate(programme.instructions):
        if index in inside:
            values.append("")  # its sum reads the factors
            continue
        match item.operation:
            case Operation.INPUT:
                name = columns[item.a][item.b]
            case Operation.CONSTANT:
                name = out.constant(item.number)
            case Operation.SIN:
                name = trigonometry.sin(values[item.a])
            case Operation.COS:
                name = trigonometry.cos(values[item.a])
            case Operation.ATAN2:
                name = arctangent(out, values[item.a], values[item.b])
            case Operation.OPPOSITE:
                name = opposite(out, values[item.a])
            case Operation.MAXIMUM:
                name = _maximum(out, values[item.a], values[item.b])
            case Operation.SIGN:
                name = _sign(out, values[item.a])
            case Operation.SQRT:
                name = out.value(
                    f"call {out.vector} @llvm.sqrt.v{out.lanes}f64({out.vector} {values[item.a]})"
                )
            case _ if index in fused:
                product = programme.instructions[fused[index]]
                factors = values[product.a], values[product.b]
                name = _multiply_add(out, item, values, factors, first=fused[index] == item.a)
            case _:
                word = _BINARY[item.operation]
                name = out.value(f"{word} {out.vector} {values[item.a]}, {values[item.b]}")
        values.append(name)
    return values


def _fused_products(programme: Programme) -> dict[int, int]:
    """By sum, the product that becomes part of it: one that nothing else reads, the first of two.

    A sum takes one product only, and a square that is added to itself stays a product.
    """
    items = programme.instructions
    reads = Counter(
        operand for item in items for operand in (item.a, item.b)[: item.operation.operands]
    )
    reads.update(output.value for output in programme.outputs)
    return {
        index: product
        for index, item in enumerate(items)
        if item.operation in (Operation.ADD, Operation.SUBTRACT)
        for product in (item.b, item.a)  # the later entry stands
        if items[product].operation is Operation.MULTIPLY and reads[product] == 1
    }


def _multiply_add(
    out: Emitter, item: Instruction, values: Sequence[str], factors: tuple[str, str], *, first: bool
) -> str:
    """x·y + z, x·y - z or z - x·y, rounded once."""
    (x, y), z = factors, values[item.b if first else item.a]
    if item.operation is Operation.SUBTRACT:
        negated = out.value(f"fneg {out.vector} {z if first else x}")
        x, z = (x, negated) if first else (negated, z)
    v = out.vector
    return out.value(f"call {v} @llvm.fma.v{out.lanes}f64({v} {x}, {v} {y}, {v} {z})")


def _sign(out: Emitter, x: str) -> str:
    """-1, 0 or 1 by lane; NaN stays NaN."""
    one = out.constant(1.0)
    unit = out.value(
        f"call {out.vector} @llvm.copysign.v{out.lanes}f64({out.vector} {one}, {out.vector} {x})"
    )
    moving = out.value(f"fcmp one {out.vector} {x}, {out.constant(0.0)}")
    return out.value(f"select <{out.lanes} x i1> {moving}, {out.vector} {unit}, {out.vector} {x}")


def _maximum(out: Emitter, x: str, y: str) -> str:
    """The larger by lane; NaN in either stays NaN."""
    smaller = out.value(f"fcmp ult {out.vector} {x}, {y}")
    larger = f"<{out.lanes} x i1> {smaller}, {out.vector} {y}, {out.vector} {x}"
    chosen = out.value(f"select {larger}")
    broken = out.value(f"fcmp uno {out.vector} {x}, {x}")
    return out.value(f"select <{out.lanes} x i1> {broken}, {out.vector} {x}, {out.vector} {chosen}")


def _outputs(programme: Programme, out: Emitter, values: Sequence[str]) -> list[str]:
    return [
        out.value(f"fneg {out.vector} {values[item.value]}")
        if item.negative
        else values[item.value]
        for item in programme.outputs
    ]


# --------------------------------------------------------------------------------------- Llvm rows
# Arrays stay as users hold them, one row per sample; a block of rows is transposed in registers by
# butterfly shuffles.
#
# What a block stores, the machine must first own: it fetches each line of memory from wherever it
# last was. Large batches would wait for that at every store, so the lines of later blocks are asked
# for while this one is computed, one every few instructions: a core has buffers for a dozen lines
# on their way, and a burst of requests would wait for memory first and compute only then.

_LINE = 8  # doubles in one line of memory
# Doubles between this block and the line asked for: far enough, and still in the cache when needed.
_AHEAD_OF_READS = 200
_AHEAD_OF_STORES = 512


def row_pointer(out: Emitter, pointer: str, stride: int) -> str:
    """Where the block's rows begin, ``stride`` doubles from block to block."""
    offset = out.value(f"mul nsw i64 %block, {stride}")
    return out.value(f"getelementptr inbounds double, ptr {pointer}, i64 {offset}")


def lines_to_read(out: Emitter, base: str, size: int) -> list[list[str]]:
    """Requests for the lines that a later block reads; beyond the array they do nothing."""
    return _llvm_rows_requests(out, base, size, _AHEAD_OF_READS, write=False)


def lines_to_store(out: Emitter, base: str, size: int) -> list[list[str]]:
    """Requests to own the lines that a later block stores; beyond the array they do nothing."""
    return _llvm_rows_requests(out, base, size, _AHEAD_OF_STORES, write=True)


def _llvm_rows_requests(
    out: Emitter, base: str, size: int, ahead: int, *, write: bool
) -> list[list[str]]:
    """Instructions for each line of ``size`` doubles, some blocks behind ``base``.

    Single samples (one lane) lie where the caller has just looked.
    """
    if out.lanes == 1 or size == 0:
        return []
    later = math.ceil(ahead / size) * size
    requests = []
    for double in range(later, later + size, _LINE):
        line = out.name()
        requests.append(
            [
                f"{line} = getelementptr double, ptr {base}, i64 {double}",
                f"call void @llvm.prefetch.p0(ptr {line}, i32 {int(write)}, i32 3, i32 1)",
            ]
        )
    return requests


def _groups(size: int, lanes: int) -> Iterator[tuple[int, int]]:
    """Split the columns of a row into powers of two: (first column, width)."""
    start, width = 0, lanes
    while start < size:
        while width > size - start:
            width //= 2
        yield start, width
        start += width


def read_rows(out: Emitter, base: str, size: int) -> list[str]:
    """Columns of a block of rows, one vector each."""
    columns: list[str] = []
    for start, width in _groups(size, out.lanes):
        rows = [_gather_rows(out, (base, size), start, width, j) for j in range(width)]
        columns.extend(_transposed(out, rows, width))
    return columns


def _gather_rows(out: Emitter, block: tuple[str, int], start: int, width: int, j: int) -> str:
    """Columns start…start+width of the rows j, j+width, …, side by side in one vector."""
    base, size = block
    parts = []
    for row in range(j, out.lanes, width):
        address = out.value(f"getelementptr inbounds double, ptr {base}, i64 {row * size + start}")
        kind = f"<{width} x double>"
        parts.append(out.value(f"load {kind}, ptr {address}, align 8"))
    return _joined(out, parts, width)


def _joined(out: Emitter, parts: list[str], width: int) -> str:
    """Neighbouring vectors joined pairwise until one is left."""
    while len(parts) > 1:
        parts = [
            out.shuffle(parts[k], parts[k + 1], range(2 * width), width)
            for k in range(0, len(parts), 2)
        ]
        width *= 2
    return parts[0]


def _transposed(out: Emitter, rows: list[str], width: int) -> list[str]:
    """Transpose width × width tiles, side by side in the lanes."""
    return _butterflies(out, rows, width, width)


def _butterflies(out: Emitter, rows: list[str], width: int, end: int) -> list[str]:
    """Exchange columns of neighbouring rows at distances 1, 2, … below ``end``."""
    lanes = out.lanes
    distance = 1
    while distance < end:
        moved = list(rows)
        for i in range(width):
            if i & distance:
                continue
            a, b = rows[i], rows[i + distance]
            low = [k if not k & distance else lanes + k - distance for k in range(lanes)]
            high = [k + distance if not k & distance else lanes + k for k in range(lanes)]
            moved[i] = out.shuffle(a, b, low, lanes)
            moved[i + distance] = out.shuffle(a, b, high, lanes)
        rows = moved
        distance *= 2
    return rows


def write_rows(out: Emitter, base: str, columns: Sequence[str]) -> None:
    """Store one vector per column as a block of rows."""
    block = base, len(columns)
    for start, width in _groups(len(columns), out.lanes):
        group = list(columns[start : start + width])
        write = _write_halves if width == out.lanes > 2 else _write_tiles
        write(out, block, start, group)


def _write_halves(out: Emitter, block: tuple[str, int], start: int, columns: list[str]) -> None:
    """Columns as many as lanes: what the last butterfly would join is stored as two halves.

    One port of the processor shuffles, and the arc tangents and products wait for it; storing a
    half of a register takes none of its time.
    """
    width = len(columns)
    half = width // 2
    rows = _butterflies(out, columns, width, half)
    for row in range(width):
        for side in (0, half):
            _store(
                out, block, (row, start + side), (rows[row % half + side], row // half * half), half
            )


def _write_tiles(out: Emitter, block: tuple[str, int], start: int, columns: list[str]) -> None:
    """Fewer columns than lanes: tiles side by side in each vector, one below the other."""
    width = len(columns)
    rows = _transposed(out, columns, width)
    for row in range(out.lanes):
        _store(out, block, (row, start), (rows[row % width], row // width * width), width)


def _store(
    out: Emitter, block: tuple[str, int], place: tuple[int, int], part: tuple[str, int], width: int
) -> None:
    """Store ``width`` lanes of a vector from a first one on at (row, column) of the block."""
    (base, size), (row, column), (vector, first) = block, place, part
    lanes = out.shuffle(vector, vector, range(first, first + width), out.lanes)
    address = out.value(f"getelementptr inbounds double, ptr {base}, i64 {row * size + column}")
    out.line(f"store <{width} x double> {lanes}, ptr {address}, align 8")


# ------------------------------------------------------------------------------- Llvm trigonometry
# x is reduced by the nearest multiple of π with fused multiply-adds (π as the sum of two doubles),
# so that |r| ≤ π/2; polynomials in r² of degree 8 (near-minimax: Chebyshev interpolation, worst
# error 2e-17) give both functions; the parity of the multiple gives the sign. Absolute error stays
# below 4e-16 for |x| ≤ ``RANGE``; beyond it, and for NaN or infinity, the answer is NaN.

RANGE = 1e9  # [rad]
_PI_HIGH = float.fromhex("0x1.921fb54442d18p+1")
_PI_LOW = float.fromhex("0x1.1a62633145c07p-53")
_INVERSE_PI = float.fromhex("0x1.45f306dc9c883p-2")
# Adding 1.5·2⁵² to a small number rounds it to an integer, whose lowest bit is then bit 0.
_ROUND = 6755399441055744.0
# sin r = r + r·r²·S(r²) and cos r = 1 + r²·C(r²) on |r| ≤ 1.0001·π/2, lowest power first.
SIN_POLYNOMIAL = (
    -0.16666666666666666,
    0.008333333333333316,
    -0.00019841269841254955,
    2.755731921915843e-06,
    -2.5052107616384595e-08,
    1.6058977272815506e-10,
    -7.643969031052769e-13,
    2.731428986122616e-15,
)
COS_POLYNOMIAL = (
    -0.5,
    0.04166666666666634,
    -0.0013888888888860676,
    2.4801587292437113e-05,
    -2.755731776616188e-07,
    2.0876630792310255e-09,
    -1.1464687487845909e-11,
    4.627646089543635e-14,
)


class Trigonometry:
    """Emits sin and cos; the two share the reduction of one angle."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._reduced: dict[str, tuple[str, str, str]] = {}

    def sin(self, x: str) -> str:
        """Name of sin x."""
        r, z, parity = self._reduce(x)
        out = self._out
        rz = out.value(f"fmul {out.vector} {r}, {z}")
        return self._signed(self._fma(rz, self._horner(z, SIN_POLYNOMIAL), r), parity)

    def cos(self, x: str) -> str:
        """Name of cos x."""
        _, z, parity = self._reduce(x)
        polynomial = self._horner(z, COS_POLYNOMIAL)
        return self._signed(self._fma(z, polynomial, self._out.constant(1.0)), parity)

    def _reduce(self, x: str) -> tuple[str, str, str]:
        """(r, r², sign bits) of x = nπ + r."""
        if x not in self._reduced:
            out = self._out
            kept = self._in_range(x)
            rounded = self._fma(kept, out.constant(_INVERSE_PI), out.constant(_ROUND))
            n = out.value(f"fsub {out.vector} {rounded}, {out.constant(_ROUND)}")
            r = self._fma(n, out.constant(-_PI_HIGH), kept)
            r = self._fma(n, out.constant(-_PI_LOW), r)
            z = out.value(f"fmul {out.vector} {r}, {r}")
            bits = out.value(f"bitcast {out.vector} {rounded} to <{out.lanes} x i64>")
            shift = "<" + ", ".join(["i64 63"] * out.lanes) + ">"
            parity = out.value(f"shl <{out.lanes} x i64> {bits}, {shift}")
            self._reduced[x] = (r, z, parity)
        return self._reduced[x]

    def _in_range(self, x: str) -> str:
        out = self._out
        size = out.value(f"call {out.vector} @llvm.fabs.v{out.lanes}f64({out.vector} {x})")
        inside = out.value(f"fcmp ole {out.vector} {size}, {out.constant(RANGE)}")
        nan = out.constant(float("nan"))
        return out.value(
            f"select <{out.lanes} x i1> {inside}, {out.vector} {x}, {out.vector} {nan}"
        )

    def _horner(self, z: str, coefficients: tuple[float, ...]) -> str:
        out = self._out
        total = out.constant(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            total = self._fma(total, z, out.constant(coefficient))
        return total

    def _fma(self, a: str, b: str, c: str) -> str:
        v = self._out.vector
        return self._out.value(
            f"call {v} @llvm.fma.v{self._out.lanes}f64({v} {a}, {v} {b}, {v} {c})"
        )

    def _signed(self, magnitude: str, parity: str) -> str:
        """Flip the sign where the multiple of π was odd."""
        out = self._out
        integers = f"<{out.lanes} x i64>"
        bits = out.value(f"bitcast {out.vector} {magnitude} to {integers}")
        flipped = out.value(f"xor {integers} {bits}, {parity}")
        return out.value(f"bitcast {integers} {flipped} to {out.vector}")


# --------------------------------------------------------------------------------- Llvm arctangent
# The quotient of the smaller by the larger of |x| and |y| is folded at tan(π/8), a polynomial of
# degree 21 (near-minimax, error 2e-18) gives its angle, and selections place it in the right
# octant. atan2(0, 0) is 0; the error stays below 4e-16 rad; NaN stays NaN.

# atan t = t + t·t²·P(t²) on |t| ≤ 1.0001·tan(π/8), lowest power first.
POLYNOMIAL = (
    -0.3333333333333333,
    0.19999999999995513,
    -0.1428571428466482,
    0.11111111015117626,
    -0.09090904572487347,
    0.07692183059894114,
    -0.06664509603255386,
    0.05858132894427922,
    -0.05085365922344248,
    0.03922923713835943,
    -0.01917392228554793,
)
_FOLD = math.tan(math.pi / 8.0)


def arctangent(out: Emitter, y: str, x: str) -> str:
    """Name of atan2(y, x)."""
    a, b = _magnitude(out, y), _magnitude(out, x)
    steep = out.value(f"fcmp ogt {out.vector} {a}, {b}")
    small, large = _select(out, steep, b, a), _select(out, steep, a, b)
    angle = _first_octant(out, small, large)
    complement = out.value(f"fsub {out.vector} {out.constant(math.pi / 2.0)}, {angle}")
    angle = _select(out, steep, complement, angle)
    behind = out.value(f"fcmp olt {out.vector} {x}, {out.constant(0.0)}")
    supplement = out.value(f"fsub {out.vector} {out.constant(math.pi)}, {angle}")
    angle = _select(out, behind, supplement, angle)
    v = out.vector
    return out.value(f"call {v} @llvm.copysign.v{out.lanes}f64({v} {angle}, {v} {y})")


def opposite(out: Emitter, angle: str) -> str:
    """Name of the angle half a turn away, within [-π, π] where the angle is."""
    v, half = out.vector, out.constant(math.pi)
    turn = out.value(f"call {v} @llvm.copysign.v{out.lanes}f64({v} {half}, {v} {angle})")
    return out.value(f"fsub {v} {angle}, {turn}")


def _first_octant(out: Emitter, small: str, large: str) -> str:
    """Angle of the quotient small/large, both positive."""
    v = out.vector
    limit = out.value(f"fmul {v} {large}, {out.constant(_FOLD)}")
    folded = out.value(f"fcmp ogt {v} {small}, {limit}")
    difference = out.value(f"fsub {v} {small}, {large}")
    total = out.value(f"fadd {v} {small}, {large}")
    numerator = _select(out, folded, difference, small)
    denominator = _select(out, folded, total, large)
    origin = out.value(f"fcmp oeq {v} {denominator}, {out.constant(0.0)}")
    t = out.value(f"fdiv {v} {numerator}, {_select(out, origin, out.constant(1.0), denominator)}")
    z = out.value(f"fmul {v} {t}, {t}")
    polynomial = _polynomial(out, z)
    tz = out.value(f"fmul {v} {t}, {z}")
    angle = _fma(out, tz, polynomial, t)
    turned = out.value(f"fadd {v} {angle}, {out.constant(math.pi / 4.0)}")
    return _select(out, folded, turned, angle)


def _polynomial(out: Emitter, z: str) -> str:
    """Even and odd powers apart: two chains that do not wait for each other."""
    square = out.value(f"fmul {out.vector} {z}, {z}")
    even, odd = (_horner(out, square, POLYNOMIAL[k::2]) for k in (0, 1))
    return _fma(out, odd, z, even)


def _horner(out: Emitter, z: str, coefficients: Sequence[float]) -> str:
    total = out.constant(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = _fma(out, total, z, out.constant(coefficient))
    return total


def _magnitude(out: Emitter, x: str) -> str:
    return out.value(f"call {out.vector} @llvm.fabs.v{out.lanes}f64({out.vector} {x})")


def _select(out: Emitter, condition: str, yes: str, no: str) -> str:
    return out.value(
        f"select <{out.lanes} x i1> {condition}, {out.vector} {yes}, {out.vector} {no}"
    )


def _fma(out: Emitter, a: str, b: str, c: str) -> str:
    v = out.vector
    return out.value(f"call {v} @llvm.fma.v{out.lanes}f64({v} {a}, {v} {b}, {v} {c})")


@dataclass(slots=True)
class Emitter:
    """Collects lines and hands out names."""

    lanes: int
    lines: list[str] = field(default_factory=list)
    _count: int = 0

    @property
    def vector(self) -> str:
        """Type of a value: one number per lane."""
        return f"<{self.lanes} x double>"

    def line(self, text: str) -> None:
        """Add one instruction without a result."""
        self.lines.append("  " + text)

    def value(self, text: str) -> str:
        """Add one instruction and name its result."""
        name = self.name()
        self.line(f"{name} = {text}")
        return name

    def name(self) -> str:
        """A name that no value has yet."""
        self._count += 1
        return f"%v{self._count}"

    def interleave(self, span: tuple[int, int], groups: Sequence[Sequence[str]]) -> None:
        """Spread groups of instructions evenly between the lines from a first to a last."""
        first, last = span
        lines = self.lines[first:last]
        mixed: list[str] = []
        for k, group in enumerate(groups):
            start, end = (len(lines) * j // len(groups) for j in (k, k + 1))
            mixed += [f"  {text}" for text in group] + lines[start:end]
        if groups:
            self.lines[first:last] = mixed

    def constant(self, number: float) -> str:
        """The same number in every lane."""
        return "<" + ", ".join([f"double {hex_double(number)}"] * self.lanes) + ">"

    def shuffle(self, a: str, b: str, lanes: Sequence[int], width: int) -> str:
        """Lanes of a (0…) and b (width…) in a new order; both have ``width`` lanes."""
        mask = ", ".join(f"i32 {lane}" for lane in lanes)
        kind = f"<{width} x double>"
        return self.value(f"shufflevector {kind} {a}, {kind} {b}, <{len(lanes)} x i32> <{mask}>")


def hex_double(number: float) -> str:
    """LLVM's exact spelling of a double."""
    return "0x" + struct.pack(">d", number).hex().upper()
