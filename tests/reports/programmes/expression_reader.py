"""Expressions of robot languages, read by recursive descent: what KRL and RAPID share."""

from __future__ import annotations

from tests.reports.programmes.virtual_arm import RefusedError


class ExpressionReader:
    """Tokens of a text, and expressions by precedence: OR, AND, comparisons, sums, products, signs.

    Args:
        text: to be read.
        token: pattern of a token; the name of its group is the token's kind.
    """

    EQUAL = "=="

    def __init__(self, text, token):
        self.tokens, self.at, at, end = [], 0, 0, len(text.rstrip())
        while at < end:
            match = token.match(text, at)
            if not match or match.end() == at:
                raise RefusedError(f"signs {text[at : at + 20]!r}")
            self.tokens.append((match.lastgroup, match[match.lastgroup]))
            at = match.end()
        comparisons = (self.EQUAL, "<>", "<", ">", "<=", ">=")
        self._levels = (("OR",), ("AND",), comparisons, ("+", "-"), ("*", "/"))

    def peek(self, ahead=0):
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else ("end", "")

    def take(self, text):
        if self.peek()[1] == text and self.peek()[0] != "text":
            self.at += 1
            return True
        return False

    def need(self, text):
        if not self.take(text):
            raise RefusedError(f"{text} is meant, not {self.peek()[1]!r}")

    def expression(self, level=0):
        if level == len(self._levels):
            return self.factor()
        found = self.expression(level + 1)
        while self.peek()[1] in self._levels[level] and self.peek()[0] in ("op", "name"):
            op = self.peek()[1]
            self.at += 1
            found = ("op", op, found, self.expression(level + 1))
        return found

    def factor(self):
        if self.take("NOT"):
            return ("not", self.factor())
        if self.take("-"):
            return ("neg", self.factor())
        if self.take("("):
            found = self.expression()
            self.need(")")
            return found
        return self.operand()

    def operand(self):
        """A number, a text, a name with what follows it: what each language writes its own way."""
        raise NotImplementedError
