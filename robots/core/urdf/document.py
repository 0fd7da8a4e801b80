"""Safe XML, and attributes of URDF elements as checked numbers.

Entities, the network and huge trees are off; a document type is refused outright.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from robots.core.arrays import Array
from robots.core.errors import RobotFileError
from robots.core.pose import make_pose, rotation_zyx
from robots.core.robot_file.source_text import check_size

Element = Any  # lxml's element class is private

# What writers put where a limit must stand and there is none.
UNLIMITED = 1e300


@dataclass(frozen=True, slots=True, kw_only=True)
class UrdfText:
    """A URDF document's name and root element."""

    origin: str
    root: Element

    def error(self, element: Element, sentence: str, **facts: object) -> RobotFileError:
        """The error at an element: file, line, element, then the sentence."""
        name = element.get("name")
        what = f"<{element.tag}>" if name is None else f"<{element.tag} name={name!r}>"
        return RobotFileError(
            f"{self.origin}, line {element.sourceline}: {what} {sentence}",
            file=self.origin,
            line=element.sourceline,
            **facts,
        )

    def required(self, element: Element, attribute: str) -> str:
        """An attribute that must be there.

        Raises:
            RobotFileError: it is not, or it is empty.
        """
        value = element.get(attribute)
        if not value or not value.strip():
            raise self.error(element, f"has no {attribute}; URDF requires it.")
        return str(value)

    def child(self, element: Element, tag: str) -> Element | None:
        """The one child of this tag, None when there is none.

        Raises:
            RobotFileError: several.
        """
        found = element.findall(tag)
        if len(found) > 1:
            raise self.error(found[1], f"stands a second time in <{element.tag}>; keep one.")
        return found[0] if found else None

    def numbers(
        self, element: Element | None, attribute: str, default: Sequence[float]
    ) -> list[float]:
        """Numbers of an attribute, as many as ``default`` has.

        Raises:
            RobotFileError: another count, or a value that is not a finite number.
        """
        text = None if element is None else element.get(attribute)
        if text is None:
            return list(default)
        try:
            values = [float(part) for part in text.split()]
        except ValueError:
            values = [math.nan]
        if len(values) != len(default) or not all(map(math.isfinite, values)):
            count = "a finite number" if len(default) == 1 else f"{len(default)} finite numbers"
            raise self.error(element, f'has {attribute}="{text[:60]}"; expected {count}.')
        return values

    def number(self, element: Element | None, attribute: str, default: float = 0.0) -> float:
        """One number of an attribute.

        Raises:
            RobotFileError: not a finite number.
        """
        return self.numbers(element, attribute, [default])[0]

    def origin_of(self, element: Element) -> Array:
        """Pose of an element's <origin xyz rpy>: Rz(yaw)·Ry(pitch)·Rx(roll). # (4, 4).

        Raises:
            RobotFileError: not numbers.
        """
        origin = self.child(element, "origin")
        roll, pitch, yaw = self.numbers(origin, "rpy", [0.0, 0.0, 0.0])
        translation = self.numbers(origin, "xyz", [0.0, 0.0, 0.0])
        return make_pose(rotation_zyx([yaw, pitch, roll]), translation)


def parse_urdf(text: bytes, origin: str) -> UrdfText:
    """Parse a URDF document.

    Raises:
        RobotFileError: too large, not XML, with a document type or entities, or not URDF.
    """
    from lxml import etree

    check_size(origin, len(text))
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        load_dtd=False,
        dtd_validation=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(text, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise RobotFileError(f"{origin}: this is not valid XML: {error}.", file=origin) from None
    document = UrdfText(origin=origin, root=root)
    if root.getroottree().docinfo.doctype:
        raise document.error(
            root, "comes after a document type, which may hold entities; remove <!DOCTYPE …>."
        )
    _drop_default_namespace(root)
    _refuse_macros(document)
    if root.tag != "robot":
        raise document.error(root, "is the root element; a URDF file begins with <robot>.")
    return document


def _drop_default_namespace(root: Element) -> None:
    """Give elements of the default namespace their bare names: some exporters declare one."""
    default = root.nsmap.get(None)
    if default is None:
        return
    for element in root.iter(f"{{{default}}}*"):
        element.tag = element.tag.partition("}")[2]


def _refuse_macros(document: UrdfText) -> None:
    """Refuse what only xacro can expand; that its namespace is declared says nothing.

    Raises:
        RobotFileError: an element of xacro, or an expression in a value of a link or a joint.
    """
    for element in document.root.iter():
        name = str(element.tag)
        if name.startswith("{") and name.partition("}")[0].endswith("/xacro"):
            local = name.partition("}")[2]
            raise RobotFileError(
                f"{document.origin}, line {element.sourceline}: <xacro:{local}> is an element of "
                f"xacro; {_EXPAND}",
                file=document.origin,
                line=element.sourceline,
            )
    for top in document.root.iterchildren("link", "joint"):
        for element in top.iter():
            for key, value in element.items():
                if "${" in value:
                    raise document.error(
                        element, f'has {key}="{value[:60]}", an expression of xacro; {_EXPAND}'
                    )


_EXPAND = "expand the file first: xacro robot.xacro > robot.urdf."
