"""Which link of a URDF file is the tip: the one whose frame is the tool frame.

The link that the user gives; else a link with one of the usual names; else the leaf behind the most
moving joints. Where several are as good, none is taken: the file does not say which is meant.
"""

from __future__ import annotations

from robots.core.errors import RobotFileError
from robots.core.file_reading import Tip, TipRule
from robots.core.schema_problems import nearest
from robots.core.urdf.document import Element, UrdfText
from robots.core.urdf.links import LinkTree

# The ROS-Industrial names first: a tool frame behind them belongs to a tool that is not ours.
TIP_NAMES = ("tool0", "flange", "tcp", "tool")
_MOST_LISTED = 12


def tip_of(document: UrdfText, tree: LinkTree, given: str = "") -> Tip:
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
    """Whether a joint has a type that moves."""
    return bool(joint.get("type") != "fixed")


def _tip(tree: LinkTree, link: str, rule: TipRule) -> Tip:
    return Tip(link=link, root=tree.root, rule=rule, moving=moving_joints(tree, link))


def _given(document: UrdfText, tree: LinkTree, link: str) -> Tip:
    if link not in tree.links:
        raise RobotFileError(
            f"{document.origin}: the tip {link!r} is no link of this file; "
            f"{nearest(link, tree.links)}",
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
