"""The models that a controller needs in every cycle, at the price of one call.

Forward geometry and inverse dynamics are one recorded programme, so what they share is computed
once; the arrays of arguments and results are made once. For many samples use ``Model``.

Source: [GASTEBOIS17] §2.6.2, Figure 35: these two took 161.6 µs of the controller's 2 ms cycle
"""

from __future__ import annotations

from dataclasses import dataclass

from robots.core.arrays import Array
from robots.core.equations.dynamics import newton_euler
from robots.core.equations.kinematics import frames, tool_frame
from robots.core.equations.tree import grouped, tree_of
from robots.core.kernels.cycles import BoundCall
from robots.core.mechanism import Mechanism
from robots.core.recording import Programme, Recorder, recording_functions


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CycleModels:
    """Views of a controller's result; its next call overwrites them.

    Args:
        T_base_tool: pose of the tool. # (4, 4)
        tau: joint torques. # (n,) [N m]
    """

    T_base_tool: Array
    tau: Array


class LegController:
    """Forward geometry and inverse dynamics of a mechanism, one posture at a time.

    Args:
        mechanism: the leg.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._call = BoundCall(_models(mechanism))
        self._run = self._call.run
        self._q, self._qd, self._qdd = self._call.arguments
        result = self._call.result
        self._models = CycleModels(T_base_tool=result[:16].reshape(4, 4), tau=result[16:])

    def models(self, q: Array, qd: Array, qdd: Array) -> CycleModels:
        """Pose of the tool and torques of a motion.

        Args:
            q: # (n,) [rad]
            qd: # (n,) [rad/s]
            qdd: # (n,) [rad/s²]

        Returns:
            Always the same arrays: copy what is to outlive the next call.

        Raises:
            ValueError: an argument that is not n numbers (NumPy's message).
        """
        # Straight into the arguments' places: the loop over them costs as much as the models.
        self._q[...] = q
        self._qd[...] = qd
        self._qdd[...] = qdd
        self._run()
        return self._models


def _models(mechanism: Mechanism) -> Programme:
    recorder = Recorder()
    q, qd, qdd = (recorder.argument(name, (mechanism.dof,)) for name in ("q", "qd", "qdd"))
    fn, tree = recording_functions(), tree_of(mechanism)
    tool = tool_frame(tree, frames(tree, q, fn))
    rows = zip(tool.rotation, tool.origin, strict=True)
    pose = [x for row, p in rows for x in (*row, p)] + [0.0, 0.0, 0.0, 1.0]
    tau = newton_euler(grouped(tree), (q, qd, qdd), fn)
    return recorder.programme("leg models", [*pose, *tau], (16 + mechanism.dof,))
