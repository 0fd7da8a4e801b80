"""A programme as LLVM assembly: one loop over blocks of ``lanes`` samples, straight line inside.

A block of rows is read and transposed, computed with explicit vectors, transposed back and stored;
no buffer and no loop vectoriser stand between the recording and the machine. Nothing is reordered,
so NaN and infinities behave as written. Which products are fused with the sum that takes them is
decided here, not by the compiler: a sample has the same bits in one lane as in eight, at every
level of optimisation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from robots.core.kernels.llvm_arctangent import arctangent, opposite
from robots.core.kernels.llvm_emitter import Emitter
from robots.core.kernels.llvm_rows import (
    lines_to_read,
    lines_to_store,
    read_rows,
    row_pointer,
    write_rows,
)
from robots.core.kernels.llvm_trigonometry import Trigonometry
from robots.core.recording import Instruction, Operation, Programme

ENTRY = "palpeur_kernel"
ENTRY_BY_LIST = "palpeur_kernel_by_list"

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
