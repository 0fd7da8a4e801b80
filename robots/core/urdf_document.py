"""URDF documents: elements with their lines, links and joints in order, the tip."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from robots.core.arrays import Array
from robots.core.errors import RobotFileError
from robots.core.file_reading import TipLink, TipRule
from robots.core.pose import make_pose, rotation_zyx
from robots.core.robot_file.source_text import check_size

Element = Any  # lxml's element class is private
# What writers put where a limit must stand and there is none.
UNLIMITED = 1e300
_EXPAND = "expand the file first: xacro robot.xacro > robot.urdf."


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
        values = _finite(text)
        if values is None or len(values) != len(default):
            count = "a finite number" if len(default) == 1 else f"{len(default)} finite numbers"
            raise self.error(element, f'has {attribute}="{text[:60]}"; expected {count}.')
        return values

    def some_numbers(self, element: Element, attribute: str, default: str = "") -> list[float]:
        """Numbers of an attribute, whatever their count.

        Raises:
            RobotFileError: a value that is not a finite number.
        """
        text = element.get(attribute) or default
        values = _finite(text)
        if values is None:
            raise self.error(element, f'has {attribute}="{text[:60]}"; expected finite numbers.')
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


def _finite(text: str) -> list[float] | None:
    """Numbers between blanks; None where one is none, or is not finite."""
    try:
        values = [float(part) for part in text.split()]
    except ValueError:
        return None
    return values if all(map(math.isfinite, values)) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTree:
    """A checked tree.

    Args:
        root: name of the link that the tree starts from.
        base: name of the link whose frame is the base frame.
        upstream: joints from the file's root to the base; the tree holds them, too, where none of
            them moves.
        links: by name.
        joints: parents before children, otherwise in the order of the file.
        carriers: the joint that carries each link but the root, by the link's name.
    """

    root: str
    base: str
    upstream: tuple[Element, ...]
    links: dict[str, Element]
    joints: tuple[Element, ...]
    carriers: dict[str, Element]

    def joint(self, name: str) -> Element | None:
        """The joint of a name; None where there is none."""
        return next((joint for joint in self.joints if joint.get("name") == name), None)

    @property
    def leaves(self) -> tuple[str, ...]:
        """Links that carry no joint, in the order of the file."""
        parents = {joint.find("parent").get("link") for joint in self.joints}
        return tuple(name for name in self.links if name not in parents)

    def chain(self, link: str) -> tuple[Element, ...]:
        """Joints from the root to a link."""
        found: list[Element] = []
        while link != self.root:
            found.append(self.carriers[link])
            link = found[-1].find("parent").get("link")
        return tuple(reversed(found))


def parse_urdf(text: bytes, origin: str) -> UrdfText:
    """Parse a URDF document.

    Raises:
        RobotFileError: too large, not XML, with a document type or entities, or not URDF.
    """
    document = parse_xml(text, origin)
    _drop_default_namespace(document.root)
    _refuse_macros(document)
    if document.root.tag != "robot":
        raise document.error(document.root, "is the root element; a URDF file begins with <robot>.")
    return document


def parse_xml(text: bytes, origin: str) -> UrdfText:
    """Parse an XML document that describes a robot.

    Raises:
        RobotFileError: too large, not XML, with a document type or entities.
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
        told = str(error).removesuffix(")").partition(" (<string>")[0]  # no name of the file
        raise RobotFileError(f"{origin}: this is not valid XML: {told}.", file=origin) from None
    document = UrdfText(origin=origin, root=root)
    if root.getroottree().docinfo.doctype:
        raise document.error(
            root, "comes after a document type, which may hold entities; remove <!DOCTYPE …>."
        )
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


def joints_in_order(document: UrdfText, base: str = "") -> LinkTree:
    """Order the joints and check that they make one tree.

    Args:
        document: with links and joints.
        base: link whose frame is the base frame; empty for the root link. What stands before it is
            left out, unless it is rigid with it.

    Raises:
        RobotFileError: names given twice, a missing link, a closed loop, several trees.
    """
    links = _by_name(document, "link")
    joints = _by_name(document, "joint")
    if not links:
        raise document.error(document.root, "has no link; a robot has at least two.")
    children: dict[str, list[Element]] = {}
    carried: dict[str, Element] = {}
    for joint in joints.values():
        parent, child = (_end(document, joint, end, links) for end in ("parent", "child"))
        if child in carried:
            other = carried[child].get("name")
            raise document.error(
                joint,
                f"carries link {child!r}, as joint {other!r} does: the links close a loop. "
                "Only trees are read; cut the loop.",
            )
        carried[child] = joint
        children.setdefault(parent, []).append(joint)
    if base:
        return _tree_on_base(document, base, links, children, carried)
    root = _root(document, links, carried)
    order = _ordered(document, root, children)
    if len(order) < len(joints):
        stray = next(joint for joint in joints.values() if joint not in order)
        raise document.error(stray, "belongs to a loop of links that never reaches the root link.")
    return LinkTree(root=root, base=root, upstream=(), links=links, joints=order, carriers=carried)


def _tree_on_base(
    document: UrdfText,
    base: str,
    links: dict[str, Element],
    children: dict[str, list[Element]],
    carried: dict[str, Element],
) -> LinkTree:
    """The tree of a link that the user calls the base."""
    if base not in links:
        raise RobotFileError(
            f"{document.origin}: the base {base!r} is no link of this file; {_near(base, links)}",
            file=document.origin,
            base=base,
            known=tuple(links),
        )
    upstream: list[Element] = []
    root = base
    while root in carried:
        if carried[root] in upstream:
            raise document.error(
                carried[root], "belongs to a loop of links that never reaches a root link."
            )
        upstream.append(carried[root])
        root = document.required(document.child(carried[root], "parent"), "link")
    if any(is_moving(joint) for joint in upstream):
        root = base
    order = _ordered(document, root, children)
    inside = {root, *(_end(document, joint, "child", links) for joint in order)}
    return LinkTree(
        root=root,
        base=base,
        upstream=tuple(reversed(upstream)),
        links={name: link for name, link in links.items() if name in inside},
        joints=order,
        carriers=carried,
    )


def _by_name(document: UrdfText, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in document.root.findall(tag):
        name = document.required(element, "name")
        if name in found:
            raise document.error(element, f"has the name of an earlier {tag}; rename one.")
        found[name] = element
    return found


def _end(document: UrdfText, joint: Element, end: str, links: dict[str, Element]) -> str:
    element = document.child(joint, end)
    if element is None:
        raise document.error(joint, f"has no <{end} link=…>; URDF requires it.")
    link = document.required(element, "link")
    if link not in links:
        raise document.error(
            joint, f"names {end} link {link!r}, which is missing; {_near(link, links)}"
        )
    return link


def _root(document: UrdfText, links: dict[str, Element], carried: dict[str, Element]) -> str:
    roots = [name for name in links if name not in carried]
    if not roots:
        raise document.error(
            document.root,
            "has no root link: every link is carried, so the links close a loop. Only trees are "
            "read; cut the loop.",
        )
    if len(roots) > 1:
        raise document.error(
            links[roots[1]],
            f"is a second root beside {roots[0]!r}: no joint carries it. Give the one that the "
            f"robot stands on as the base, {roots[0]!r} or {roots[1]!r} (palpeur robot import "
            "--base); or join the two trees.",
            candidates=tuple(roots),
        )
    return roots[0]


def _ordered(
    document: UrdfText, root: str, children: dict[str, list[Element]]
) -> tuple[Element, ...]:
    """Joints depth first: a chain stays together, branches follow the order of the file."""
    order: list[Element] = []
    waiting = list(reversed(children.get(root, [])))
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        child = document.required(document.child(joint, "child"), "link")
        waiting.extend(reversed(children.get(child, [])))
    return tuple(order)


# --------------------------------------------------------------------------------------------- Tip
# The link that the user gives; else a link with one of the usual names; else the leaf behind the
# most moving joints. Where several are as good, none is taken: the file does not say which is
# meant.

# The ROS-Industrial names first: a tool frame behind them belongs to a tool that is not ours.
TIP_NAMES = ("tool0", "flange", "tcp", "tool")
_MOST_LISTED, _MOST_NEAR = 12, 3


def tip_of(document: UrdfText, tree: LinkTree, given: str = "") -> TipLink:
    """The tip.

    Args:
        document: for messages.
        tree: links and joints.
        given: name of a link; empty for the rule.

    Raises:
        RobotFileError: no such link, a link that no joint moves, or several as good.
    """
    if given:
        return _given(document, tree, given)
    for name in TIP_NAMES:
        if name in tree.links and moving_joints(tree, name):
            return _tip(tree, name, TipRule.NAMED)
    counts = _moving_by_link(tree)
    most = max(counts[leaf] for leaf in tree.leaves)
    farthest = [leaf for leaf in tree.leaves if counts[leaf] == most]
    if most == 0:
        raise document.error(document.root, "has no moving joint between its links.")
    if len(farthest) > 1:
        raise _ambiguous(document, tree, farthest, most)
    return _tip(tree, farthest[0], TipRule.FARTHEST)


def moving_joints(tree: LinkTree, link: str) -> int:
    """Number of joints that are not fixed between the root and a link."""
    return sum(is_moving(joint) for joint in tree.chain(link))


def _moving_by_link(tree: LinkTree) -> dict[str, int]:
    counts = {tree.root: 0}
    for joint in tree.joints:  # parents first
        parent, child = (joint.find(end).get("link") for end in ("parent", "child"))
        counts[child] = counts[parent] + is_moving(joint)
    return counts


def is_moving(joint: Element) -> bool:
    """Return whether a joint has a type that moves."""
    return bool(joint.get("type") != "fixed")


def _tip(tree: LinkTree, link: str, rule: TipRule) -> TipLink:
    return TipLink(link=link, root=tree.base, rule=rule, moving=moving_joints(tree, link))


def _given(document: UrdfText, tree: LinkTree, link: str) -> TipLink:
    if link not in tree.links:
        raise RobotFileError(
            f"{document.origin}: the tip {link!r} is no link of this file; "
            f"{_near(link, tree.links)}",
            file=document.origin,
            tip=link,
            known=tuple(tree.links),
        )
    if not moving_joints(tree, link):
        counts = _moving_by_link(tree)
        raise RobotFileError(
            f"{document.origin}: no joint moves the tip {link!r}; give a link behind moving "
            f"joints, such as {max(tree.leaves, key=counts.__getitem__)!r}.",
            file=document.origin,
            tip=link,
        )
    return _tip(tree, link, TipRule.GIVEN)


def _near(link: str, links: Iterable[str]) -> str:
    """Links whose names are like one that there is not; else the first ones."""
    names = list(links)
    close = get_close_matches(link, names, n=_MOST_NEAR, cutoff=0.5)
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return f"its links are {', '.join(names[:_MOST_LISTED])}{more}."


def _ambiguous(
    document: UrdfText, tree: LinkTree, farthest: list[str], most: int
) -> RobotFileError:
    """Name what is as good, and the link from which they part."""
    shown = ", ".join(repr(name) for name in farthest[:_MOST_LISTED])
    if len(farthest) > _MOST_LISTED:
        shown += f" and {len(farthest) - _MOST_LISTED} more"
    parting = _parting_link(tree, farthest)
    # Fingers part late, at the hand; two arms part early, and their torso is no tool.
    late = 2 * moving_joints(tree, parting) > most
    common = f", or {parting!r}, the link that carries them all" if late else ""
    example = parting if late else farthest[0]
    return document.error(
        document.root,
        f"does not say which link is the tool frame: {shown} are each behind {most} moving "
        f"joint{'' if most == 1 else 's'}. Give one of them{common}: --tip {example} on the "
        f'command line, tip = "{example}" under [robot] in a job.',
        candidates=tuple(farthest),
        parting=parting,
    )


def _parting_link(tree: LinkTree, links: list[str]) -> str:
    """The last link that the chains to all of some links have in common."""
    chains = [
        [tree.root, *(joint.find("child").get("link") for joint in tree.chain(link))]
        for link in links
    ]
    common = tree.root
    for level in zip(*chains, strict=False):
        if len(set(level)) > 1:
            break
        common = level[0]
    return common
