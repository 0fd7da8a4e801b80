"""URScript as far as measuring programmes need it; what is not known here is refused.

Source: Universal Robots, "The URScript Programming Language" for e-Series (SW 5.x): flow of control
and functions (chapters 5, 6), scope (8), threads and their scheduling (9: ``run``, ``kill``, a
frame per thread and ``sync``), module motion (13: movej, movel, stopl, set_tcp in 15), internals
(15: get_actual_joint_positions, get_standard_digital_in, str_cat, str_sub, to_str with six
decimals, textmsg, popup, sleep, sync), urmath (floor, norm, r2d) and interfaces (socket_open,
socket_send_line, socket_close). Numbers without a point are integers of 32 bits.
"""

# ruff: noqa: ARG002 - arguments are those of the language
from __future__ import annotations

import re

import numpy as np

from robots.core.pose import inverse_pose, rotation_exp
from tests.reports.programmes.virtual_arm import (
    FaultError,
    HaltedError,
    JointMove,
    LineMove,
    RefusedError,
)

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.\d*(?:[eE][-+]?\d+)?|\d+)|(?P<string>\"[^\"]*\")|(?P<pose>p\[)"
    r"|(?P<word>[A-Za-z_]\w*)|(?P<sign>==|!=|<=|>=|[-+*/%<>=(),\[\]:]))"
)
_WORDS = {"and", "or", "not", "True", "False", "run"}
_INT = 2**31


def _tokens(line):
    found, place = [], 0
    line = line.rstrip()
    while place < len(line):
        match = _TOKEN.match(line, place)
        if match is None:
            raise RefusedError(f"not URScript: {line[place:]!r}")
        kind = match.lastgroup
        found.append((kind, match[kind]))
        place = match.end()
    return found


def _uncommented(line):
    inside = False
    for place, sign in enumerate(line):
        if sign == '"':
            inside = not inside
        elif sign == "#" and not inside:
            return line[:place]
    return line


class _Parser:
    """Expressions of one line."""

    def __init__(self, tokens):
        self.tokens, self.place = tokens, 0

    def peek(self):
        return self.tokens[self.place] if self.place < len(self.tokens) else ("end", "")

    def take(self, value=None):
        kind, found = self.peek()
        if value is not None and found != value:
            raise RefusedError(f"expected {value!r}, found {found!r}")
        self.place += 1
        return kind, found

    def done(self):
        if self.place != len(self.tokens):
            raise RefusedError(f"not understood: {self.peek()[1]!r}")

    def expression(self):
        left = self._and()
        while self.peek()[1] == "or":
            self.take()
            left = ("or", left, self._and())
        return left

    def _and(self):
        left = self._not()
        while self.peek()[1] == "and":
            self.take()
            left = ("and", left, self._not())
        return left

    def _not(self):
        if self.peek()[1] == "not":
            self.take()
            return ("not", self._not())
        return self._compared()

    def _compared(self):
        left = self._sum()
        if self.peek()[1] in ("==", "!=", "<", ">", "<=", ">="):
            sign = self.take()[1]
            return ("compare", sign, left, self._sum())
        return left

    def _sum(self):
        left = self._product()
        while self.peek()[1] in ("+", "-"):
            sign = self.take()[1]
            left = ("sum", sign, left, self._product())
        return left

    def _product(self):
        left = self._signed()
        while self.peek()[1] in ("*", "/", "%"):
            sign = self.take()[1]
            left = ("product", sign, left, self._signed())
        return left

    def _signed(self):
        if self.peek()[1] == "-":
            self.take()
            return ("minus", self._signed())
        return self._indexed()

    def _indexed(self):
        base = self._atom()
        while self.peek()[1] == "[":
            self.take()
            base = ("index", base, self.expression())
            self.take("]")
        return base

    def _atom(self):
        kind, text = self.take()
        if kind == "number":
            return ("value", float(text) if re.search(r"[.eE]", text) else int(text))
        if kind == "string":
            return ("value", text[1:-1])
        if kind == "pose":
            return ("pose", self._items("]"))
        if text == "[":
            return ("list", self._items("]"))
        if text == "(":
            inner = self.expression()
            self.take(")")
            return inner
        if text in ("True", "False"):
            return ("value", text == "True")
        if text == "run":
            name = self.take()[1]
            self.take("(")
            self.take(")")
            return ("run", name)
        if kind == "word" and self.peek()[1] == "(":
            self.take()
            return ("call", text, *self._arguments())
        if kind == "word" and text not in _WORDS:
            return ("name", text)
        raise RefusedError(f"not an expression: {text!r}")

    def _items(self, close):
        items = []
        while self.peek()[1] != close:
            items.append(self.expression())
            if self.peek()[1] != close:
                self.take(",")
        self.take(close)
        return items

    def _arguments(self):
        given, named = [], {}
        while self.peek()[1] != ")":
            following = self.tokens[self.place + 1 : self.place + 2]
            if self.peek()[0] == "word" and following == [("sign", "=")]:
                name = self.take()[1]
                self.take("=")
                named[name] = self.expression()
            else:
                if named:
                    raise RefusedError("a positional argument after a named one")
                given.append(self.expression())
            if self.peek()[1] != ")":
                self.take(",")
        self.take(")")
        return given, named


# ----------------------------------------------------------------------------------- Statements


def _blocks(text):
    lines = []
    for raw in text.splitlines():
        line = _uncommented(raw).strip()
        if line:
            lines.append(line)
    body, rest = _block(lines, 0, top=True)
    if rest != len(lines):
        raise RefusedError("an end too many")
    return body


def _block(lines, place, *, top=False):
    """Statements up to the ``end``, ``elif`` or ``else`` that closes them."""
    found = []
    while place < len(lines):
        line = lines[place]
        head = line.split("(")[0].split(" ")[0].rstrip(":")
        if head in ("end", "elif", "else"):
            if top:
                raise RefusedError(f"{head} without a beginning")
            return found, place
        if head in ("def", "thread"):
            match = re.fullmatch(rf"{head} ([A-Za-z_]\w*)\(([\w, ]*)\):", line)
            if match is None:
                raise RefusedError(f"not a {head}: {line!r}")
            body, place = _block(lines, place + 1)
            place = _closed(lines, place)
            names = [name.strip() for name in match[2].split(",") if name.strip()]
            found.append((head, match[1], names, body))
        elif head == "while":
            test = _condition(line, "while")
            body, place = _block(lines, place + 1)
            place = _closed(lines, place)
            found.append(("while", test, body))
        elif head == "if":
            arms, otherwise, word = [], [], "if"
            while word in ("if", "elif"):
                test = _condition(lines[place], word)
                body, place = _block(lines, place + 1)
                arms.append((test, body))
                word = lines[place].split(" ")[0].rstrip(":") if place < len(lines) else ""
            if word == "else":
                if lines[place] != "else:":
                    raise RefusedError(f"not an else: {lines[place]!r}")
                otherwise, place = _block(lines, place + 1)
            place = _closed(lines, place)
            found.append(("if", arms, otherwise))
        else:
            found.append(_statement(line))
            place += 1
    if not top:
        raise RefusedError("an end is missing")
    return found, place


def _closed(lines, place):
    if place >= len(lines) or lines[place] != "end":
        raise RefusedError("an end is missing")
    return place + 1


def _condition(line, word):
    if not line.endswith(":"):
        raise RefusedError(f"no colon: {line!r}")
    parser = _Parser(_tokens(line[len(word) : -1]))
    test = parser.expression()
    parser.done()
    return test


def _statement(line):
    if line == "halt":
        return ("halt",)
    tokens = _tokens(line)
    scope = ""
    if tokens[0][1] in ("local", "global"):
        scope = tokens.pop(0)[1]
    if tokens[0][1] in ("return", "kill") and not scope:
        parser = _Parser(tokens[1:])
        statement = (tokens[0][1], parser.expression())
        parser.done()
        return statement
    if len(tokens) > 2 and tokens[0][0] == "word" and tokens[1] == ("sign", "="):
        parser = _Parser(tokens[2:])
        value = parser.expression()
        parser.done()
        return ("assign", scope, tokens[0][1], value)
    if scope:
        raise RefusedError(f"a declaration without a value: {line!r}")
    parser = _Parser(tokens)
    call = parser.expression()
    parser.done()
    if call[0] != "call":
        raise RefusedError(f"not a statement: {line!r}")
    return ("do", call)


# ------------------------------------------------------------------------------------------ Running


class _ReturnError(Exception):
    def __init__(self, value):
        self.value = value


class _Thread:
    def __init__(self, body):
        self.body, self.alive = body, True


class UrScript:
    """One programme on one arm.

    Args:
        text: of the file.
        arm: a ``VirtualArm``.
        controller: map between the arm's joints and the controller's.
        stylus: from flange to ball along its z axis. [m]
        listening: whether a receiver listens to the socket.
    """

    def __init__(self, text, arm, controller, *, stylus, inputs=8, listening=True):
        body = _blocks(text)
        if len(body) != 1 or body[0][0] != "def" or body[0][2]:
            raise RefusedError("a programme is one function without arguments")
        self.body = body[0][3]
        self.arm, self.controller, self.stylus = arm, controller, stylus
        self.inputs, self.listening = inputs, listening
        self.globals, self.functions = {}, {}
        self.threads = []
        self.sockets = set()
        self.tool = None

    def run(self):
        """Carry the programme out. Returns its record."""
        arm = self.arm
        try:
            for _ in self._run(self.body, None):
                self._frame()
            if arm.moving:
                raise FaultError("the programme ends while the arm moves")
        except HaltedError as halted:
            arm.record.halted = str(halted)
        return arm.record

    def _frame(self):
        """Time of one frame: threads go on, the arm moves."""
        for thread in [t for t in self.threads if t.alive]:
            try:
                next(thread.body)
            except StopIteration:
                thread.alive = False
        self.arm.step()

    # Every statement that takes time yields; the caller lets a frame pass.

    def _run(self, body, scope):
        for statement in body:
            yield from self._one(statement, scope)

    def _one(self, statement, scope):
        kind = statement[0]
        if kind == "def":
            self.functions[statement[1]] = ("def", statement[2], statement[3])
        elif kind == "thread":
            self.functions[statement[1]] = ("thread", statement[2], statement[3])
        elif kind == "assign":
            value = yield from self._value(statement[3], scope)
            self._assign(statement[1], statement[2], value, scope)
        elif kind == "do":
            yield from self._value(statement[1], scope)
        elif kind == "return":
            raise _ReturnError((yield from self._value(statement[1], scope)))
        elif kind == "kill":
            thread = yield from self._value(statement[1], scope)
            if not isinstance(thread, _Thread):
                raise FaultError("kill takes a thread")
            thread.alive = False
        elif kind == "halt":
            raise HaltedError(self.last_popup)
        elif kind == "if":
            for test, arm in statement[1]:
                if (yield from self._truth(test, scope)):
                    yield from self._run(arm, scope)
                    return
            yield from self._run(statement[2], scope)
        elif kind == "while":
            rounds = 0
            while (yield from self._truth(statement[1], scope)):
                rounds += 1
                if rounds > 1_000_000:
                    raise FaultError("a loop without end")
                yield from self._run(statement[2], scope)
        else:
            raise RefusedError(kind)

    last_popup = ""

    def _assign(self, declared, name, value, scope):
        if declared == "global" or (declared == "" and name in self.globals):
            if scope is not None and declared == "" and name in scope:
                scope[name] = value
            else:
                self.globals[name] = value
        elif scope is not None and (declared == "local" or name in scope):
            scope[name] = value
        else:
            raise RefusedError(f"{name} is assigned but nowhere declared")

    def _truth(self, test, scope):
        value = yield from self._value(test, scope)
        if not isinstance(value, bool):
            raise FaultError("a condition that is neither true nor false")
        return value

    def _value(self, node, scope):
        kind = node[0]
        if kind == "value":
            return node[1]
        if kind == "name":
            if scope is not None and node[1] in scope:
                return scope[node[1]]
            if node[1] in self.globals:
                return self.globals[node[1]]
            raise FaultError(f"{node[1]} has no value")
        if kind in ("list", "pose"):
            items = []
            for item in node[1]:
                items.append((yield from self._value(item, scope)))
            if kind == "pose":
                if len(items) != 6:
                    raise FaultError("a pose has six numbers")
                return ("pose", [float(x) for x in items])
            return items
        if kind in ("and", "or"):
            left = yield from self._truth(node[1], scope)
            if left is (kind == "or"):
                return left
            return (yield from self._truth(node[2], scope))
        if kind == "not":
            return not (yield from self._truth(node[1], scope))
        if kind == "minus":
            return self._int(-self._number((yield from self._value(node[1], scope))))
        if kind in ("sum", "product", "compare"):
            left = self._number((yield from self._value(node[2], scope)))
            right = self._number((yield from self._value(node[3], scope)))
            return self._int(_OPERATORS[node[1]](left, right))
        if kind == "index":
            base = yield from self._value(node[1], scope)
            place = yield from self._value(node[2], scope)
            if not isinstance(base, list) or type(place) is not int:
                raise FaultError("an index of what is no list")
            if not 0 <= place < len(base):
                raise FaultError("an index outside the list")
            return base[place]
        if kind == "run":
            what, names, body = self.functions.get(node[1], ("", (), ()))
            if what != "thread" or names:
                raise FaultError(f"{node[1]} is no thread")
            thread = _Thread(self._function(body, {}))
            self.threads.append(thread)
            return thread
        if kind == "call":
            return (yield from self._call(node, scope))
        raise RefusedError(kind)

    def _number(self, value):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise FaultError("arithmetic with what is no number")
        return value

    def _int(self, value):
        if type(value) is int and not -_INT <= value < _INT:
            raise FaultError("an integer beyond 32 bits")
        return value

    def _function(self, body, scope):
        try:
            yield from self._run(body, scope)
        except _ReturnError as returned:
            return returned.value
        return None

    def _call(self, node, scope):
        _, name, given, named = node
        values = []
        for item in given:
            values.append((yield from self._value(item, scope)))
        words = {}
        for key, item in named.items():
            words[key] = yield from self._value(item, scope)
        if name in self.functions:
            what, names, body = self.functions[name]
            if what != "def" or words or len(values) != len(names):
                raise FaultError(f"{name} is called in another way than it is written")
            return (yield from self._function(body, dict(zip(names, values, strict=True))))
        builtin = getattr(self, f"_do_{name}", None)
        if builtin is None:
            raise RefusedError(f"{name} is not known")
        try:
            result = builtin(*values, **words)
        except TypeError as error:
            raise FaultError(f"{name}: {error}") from error
        if hasattr(result, "__next__"):
            return (yield from result)
        return result

    # --- motion ---

    def _joints(self, target):
        if not isinstance(target, list) or len(target) != 6:
            raise FaultError("a target is a list of six joints")
        values = np.array([self._number(x) for x in target], dtype=float)
        if np.abs(values).max() > 2.0 * np.pi + 1e-9:
            raise FaultError("a joint beyond one turn")
        return self.controller.from_controller(values)

    def _wait(self, motion):
        self.arm.start(motion)
        watched = self.watched
        while self.arm.moving:
            if watched:
                yield
            else:
                self.arm.finish()

    @property
    def watched(self):
        """Whether other threads run, which may look at the input meanwhile."""
        return any(thread.alive for thread in self.threads)

    def _do_movej(self, q, a=1.4, v=1.05, t=0, r=0):
        if t != 0 or r != 0:
            raise RefusedError("movej with t or r")
        yield from self._wait(
            JointMove(self.arm.model, self.arm.q, self._joints(q), float(v), float(a))
        )

    def _do_movel(self, pose, a=1.2, v=0.25, t=0, r=0):
        if t != 0 or r != 0:
            raise RefusedError("movel with t or r")
        if self.tool is None:
            raise FaultError("a linear move before the tool is set")
        target = self._joints(pose)
        yield from self._wait(
            LineMove(self.arm.model, self.arm.q, target, self.tool, float(v), float(a))
        )

    def _do_stopl(self, a, aRot=None):
        if self.watched and self.arm.moving:
            raise FaultError("stopl while a thread still moves the arm")
        self.arm.stop(float(a))

    def _do_set_tcp(self, pose, tcp_name=""):
        if not isinstance(pose, tuple):
            raise FaultError("set_tcp takes a pose")
        T = np.eye(4)
        T[:3, 3], T[:3, :3] = pose[1][:3], rotation_exp(np.array(pose[1][3:]))
        ball = np.eye(4)
        ball[2, 3] = self.stylus
        self.tool = inverse_pose(ball) @ T
        if np.abs(self.tool - np.eye(4)).max() > 1e-9:
            raise FaultError("the tool centre point is not the ball")

    def _do_sleep(self, t):
        self.arm.note("sleep", float(t))

    def _do_sync(self):
        yield

    # --- input, text, log ---

    def _do_get_standard_digital_in(self, n):
        if type(n) is not int or not 0 <= n < self.inputs:
            raise FaultError("no such input")
        return self.arm.touching() if n == self.controller.probe_input else False

    def _do_get_actual_joint_positions(self):
        return self.controller.to_controller(self.arm.q).tolist()

    def _do_textmsg(self, s1, s2=""):
        self.arm.note("message", _text(s1) + _text(s2))

    def _do_popup(self, s, title="Popup", warning=False, error=False, blocking=False):
        self.last_popup = _text(s)
        self.arm.note("popup", _text(s))

    def _do_str_cat(self, left, right):
        joined = _text(left) + _text(right)
        if len(joined) > 1023:
            raise FaultError("a string beyond 1023 characters")
        return joined

    def _do_str_sub(self, src, index, length):
        if not (isinstance(src, str) and 0 <= index <= len(src) and length >= 0):
            raise FaultError("str_sub out of bounds")
        return src[index : index + length]

    def _do_to_str(self, val):
        return _text(val)

    def _do_floor(self, f):
        return self._int(int(np.floor(self._number(f))))

    def _do_norm(self, a):
        return abs(self._number(a))

    def _do_r2d(self, r):
        return float(np.degrees(self._number(r)))

    def _do_socket_open(self, address, port, socket_name="socket_0"):
        if not isinstance(address, str) or type(port) is not int:
            raise FaultError("socket_open takes an address and a port")
        if self.listening:
            self.sockets.add(socket_name)
        return self.listening

    def _do_socket_send_line(self, text, socket_name="socket_0"):
        if socket_name not in self.sockets:
            return False
        self.arm.record.log += _text(text) + "\n"
        self.arm.note("log", _text(text))
        return True

    def _do_socket_close(self, socket_name="socket_0"):
        self.sockets.discard(socket_name)


def _text(value):
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    if isinstance(value, int | str):
        return str(value)
    raise RefusedError("a string of something else")


_OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
