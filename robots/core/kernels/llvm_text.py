"""A programme as LLVM assembly: one loop over blocks of ``lanes`` samples, straight line inside.

A block of rows is read and transposed, computed with explicit vectors, transposed back and stored;
no buffer and no loop vectoriser stand between the recording and the machine. Sums of products may
be contracted to fused multiply-adds; nothing else is reordered, so NaN and infinities behave as
written.
"""

from __future__ import annotations

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
from robots.core.recording import Operation, Programme

ENTRY = "palpeur_kernel"


_BINARY = {
    Operation.ADD: "fadd",
    Operation.SUBTRACT: "fsub",
    Operation.MULTIPLY: "fmul",
    Operation.DIVIDE: "fdiv",
}


def llvm_text(programme: Programme, lanes: int) -> str:
    """LLVM assembly of ``void palpeur_kernel(i64 blocks, ptr in0, …, ptr out)``.

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
    arguments = ", ".join(f"ptr noalias readonly {pointer}" for pointer in pointers)
    body = "\n".join(out.lines)
    return f"""define void @{ENTRY}(i64 %blocks, {arguments}, ptr noalias %out) #0 {{
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
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare {out.vector} @llvm.fma.v{lanes}f64({out.vector}, {out.vector}, {out.vector})
declare {out.vector} @llvm.fabs.v{lanes}f64({out.vector})
declare {out.vector} @llvm.sqrt.v{lanes}f64({out.vector})
declare {out.vector} @llvm.copysign.v{lanes}f64({out.vector}, {out.vector})
attributes #0 = {{ nounwind "min-legal-vector-width"="{64 * lanes}" \
"prefer-vector-width"="{64 * lanes}" }}
"""


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
    values: list[str] = []
    for item in programme.instructions:
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
            case _:
                word = _BINARY[item.operation]
                name = out.value(f"{word} contract {out.vector} {values[item.a]}, {values[item.b]}")
        values.append(name)
    return values


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
