"""The links and joints of a URDF document as one tree, parents first."""

from __future__ import annotations

from dataclasses import dataclass

from robots.core.schema_problems import nearest
from robots.core.urdf.document import Element, UrdfText


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTree:
    """A checked tree.

    Args:
        root: name of the link that stands on the base.
        links: by name.
        joints: parents before children, otherwise in the order of the file.
        carriers: the joint that carries each link but the root, by the link's name.
    """

    root: str
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


def joints_in_order(document: UrdfText) -> LinkTree:
    """Order the joints and check that they make one tree.

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
    root = _root(document, links, carried)
    order = _ordered(document, root, children)
    if len(order) < len(joints):
        stray = next(joint for joint in joints.values() if joint not in order)
        raise document.error(stray, "belongs to a loop of links that never reaches the root link.")
    return LinkTree(root=root, links=links, joints=order, carriers=carried)


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
            joint, f"names {end} link {link!r}, which is missing; {nearest(link, links)}"
        )
    return link


def _root(document: UrdfText, links: dict[str, Element], carried: dict[str, Element]) -> str:
    roots = [name for name in links if name not in carried]
    if not roots:
        raise document.error(
            document.root, "has no root link: every link is carried, so the links close a loop."
        )
    if len(roots) > 1:
        raise document.error(
            links[roots[1]],
            f"is a second root beside {roots[0]!r}: no joint carries it; join the two trees.",
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
