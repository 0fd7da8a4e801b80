"""Datums of a QIF document: letters for features, and the frames that they make together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from reports.evaluation.qif.numbering import Numbering, ids, reference
from reports.programmes.xml_text import element, parent

_PRECEDENCE = ("PRIMARY", "SECONDARY", "TERTIARY")
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"  # without I, O and Q, which drawings do not use


@dataclass(slots=True, kw_only=True, eq=False)
class DatumParts:
    """Elements of datums, each made when it is first asked for.

    Args:
        numbering: of the document.
        features: identifiers of the nominal features, by name.
    """

    numbering: Numbering
    features: dict[str, int]
    definitions: list[str] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)
    _datums: dict[str, int] = field(default_factory=dict)
    _frames: dict[tuple[str, ...], int] = field(default_factory=dict)

    def frame(self, names: Sequence[str]) -> int:
        """The frame of some datum features, the first one primary."""
        key = tuple(names)
        if key not in self._frames:
            inside = [
                parent(
                    "Datum",
                    parent(
                        "SimpleDatum",
                        reference("DatumDefinitionId", self._datum(name)),
                        element("MaterialModifier", "REGARDLESS"),
                        element("ReferencedComponent", "ACTUAL"),
                    ),
                    parent("Precedence", element("PrecedenceEnum", word)),
                )
                for name, word in zip(key, _PRECEDENCE, strict=False)
            ]
            self._frames[key] = self.numbering.next()
            self.frames.append(
                parent(
                    "DatumReferenceFrame",
                    parent("Datums", *inside, n=len(inside)),
                    id=self._frames[key],
                )
            )
        return self._frames[key]

    def _datum(self, name: str) -> int:
        if name not in self._datums:
            number, place = self.numbering.next(), len(self._datums)
            letter = _LETTERS[place % len(_LETTERS)] * (1 + place // len(_LETTERS))
            self._datums[name] = number
            self.definitions.append(
                parent(
                    "DatumDefinition",
                    element("DatumLabel", letter),
                    ids("FeatureNominalIds", self.features[name]),
                    id=number,
                )
            )
        return self._datums[name]
