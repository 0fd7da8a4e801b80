"""Efforts on cells: what the model says between the nodes, within the chord and its slack."""

from dataclasses import replace

import numpy as np

from robots.core.model import Model
from robots.core.motion.joint_path import JointPath
from robots.core.motion.path_efforts import Panels, fill
from robots.core.motion.phase_plane import Efforts, Pieces
from robots.library import load

ARM = load("measuring-arm")


def test_efforts_lie_within_the_slack_of_their_chords():
    rng = np.random.default_rng(3)
    friction = rng.uniform(0.5, 2.0, ARM.dof)
    joints = [
        replace(joint, coulomb=dry, viscous=dry)
        for joint, dry in zip(ARM.movable, friction, strict=True)
    ]
    model = Model(replace(ARM, joints=tuple(joints)))
    waypoints = rng.uniform(-1.5, 1.5, (3, ARM.dof))
    path = JointPath.blended(waypoints, np.array([0.4]), ARM.max_speed)
    panels = Panels.of(path, model)
    count = 8 * np.diff(panels.first)
    place = [np.linspace(0.0, h, c + 1) for h, c in zip(path.length, count, strict=True)]
    pieces = Pieces(
        length=path.length,
        powers=path.powers,
        straight=path.straight.astype(np.int64),
        stops=path.stops.astype(np.int64),
        cells=np.concatenate([[0], np.cumsum(count)]),
        place=np.concatenate(place),
    )
    n, cells = ARM.dof, int(np.sum(count))
    efforts = Efforts(
        *np.empty((3, len(pieces.place), n)),
        *np.empty((2, cells, 3 * n)),
        viscous=friction,
        coulomb=friction,
        limit=ARM.max_effort,
    )
    fill(pieces, panels, np.empty((4, 3 * n)), efforts)
    frictionless = Model(ARM)  # friction is kept apart
    piece = np.repeat(np.arange(len(count)), count)
    node = np.arange(len(piece)) + piece
    slack, reach = (values.reshape(-1, 3, ARM.dof) for values in (efforts.slack, efforts.reach))
    for share in np.linspace(0.0, 1.0, 7):
        at = (1.0 - share) * pieces.place[node] + share * pieces.place[node + 1]
        state = path.piece_state(piece, at)
        still = np.zeros_like(state.q)
        weight = frictionless.torques(state.q, still, still)
        a = frictionless.torques(state.q, still, state.dq) - weight
        b = frictionless.torques(state.q, state.dq, state.ddq) - weight
        for k, (ends, true) in enumerate(
            zip((efforts.a, efforts.b, efforts.d), (a, b, weight), strict=True)
        ):
            chord = (1.0 - share) * ends[node] + share * ends[node + 1]
            assert np.all(np.abs(true - chord) <= slack[:, k])
            dry = friction if k == 2 else 0.0
            assert np.all(np.abs(true) + dry <= reach[:, k] * (1.0 + 1e-12))
        # Not so loose that nothing is said: a cell's curvature is small beside the whole.
        assert np.max(slack) < 0.05 * np.max(reach)
