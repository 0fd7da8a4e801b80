"""A double of what a measuring node needs of ROS 2, with the arm behind it.

Source: rclpy's API (Node, ActionClient, spin_once, spin_until_future_complete), the interfaces
control_msgs/action/FollowJointTrajectory, trajectory_msgs, sensor_msgs/JointState, std_msgs/Bool,
action_msgs/GoalStatus; ros2_controllers, joint_trajectory_controller: points with positions and
velocities are joined by cubics from the present state, times rise, the last velocity is zero, a
cancelled goal holds the arm where it then is. The node's own text runs unchanged; attributes that
the double does not have are errors.
"""

# ruff: noqa: ARG001, ARG002, ARG005 - arguments are those of the middleware
from __future__ import annotations

import io
import sys
from itertools import pairwise
from types import ModuleType, SimpleNamespace

import numpy as np

from tests.reports.programmes.virtual_arm import (
    EDGE,
    FaultError,
    HaltedError,
    Leg,
    Record,
    RefusedError,
)

_LOOKS = np.linspace(0.0, 1.0, 25)
_LATENCY = 1e-3  # [s] from the message of the probe to the stop
_STRAIGHT = 1e-9  # [rad, m]


class World:
    """The arm under its joint trajectory controller, and messages.

    Args:
        cell: the ``VirtualCell``.
        q: where the arm stands.
        names: of the joints.
        period: of joint_states; None for one at every instant that matters. [s]
        stuck: True, or the posture in which the probe switches.
    """

    def __init__(self, cell, q, names, *, period=None, stuck=None):
        self.cell, self.model, self.names = cell, cell.model, names
        self.q, self.period, self.stuck = np.array(q), period, stuck
        self.now, self.record, self.node = 0.0, Record(), None
        self.moving = None

    def touching(self):
        if self.stuck is True:
            return True
        if self.stuck is not None and np.abs(self.q - self.stuck).max() < 1e-6:
            return True
        ball = self.model.forward(self.q)[:3, 3]
        return bool(self.cell.gaps(ball[None]).min() <= EDGE)

    # --- messages ---

    def publish_state(self):
        for kind, topic, callback in self.node.subscriptions:
            if topic == "joint_states":
                state = kind()
                state.name, state.position = list(self.names), self.q.tolist()
                callback(state)

    def publish_probe(self):
        for kind, topic, callback in self.node.subscriptions:
            if topic == "probe":
                callback(kind(data=self.touching()))

    def spin_once(self, timeout):
        self.now += timeout
        self.publish_state()
        self.publish_probe()

    # --- motion ---

    def begin(self, goal, done):
        """Take a goal. Returns whether it is accepted."""
        trajectory = goal.trajectory
        if sorted(trajectory.joint_names) != sorted(self.names) or not trajectory.points:
            return False
        order = [trajectory.joint_names.index(name) for name in self.names]
        t, q, qd = [0.0], [self.q], [np.zeros_like(self.q)]
        for point in trajectory.points:
            when = point.time_from_start
            t.append(when.sec + 1e-9 * when.nanosec)
            if len(point.positions) != len(order) or len(point.velocities) != len(order):
                return False
            q.append(np.array(point.positions, dtype=float)[order])
            qd.append(np.array(point.velocities, dtype=float)[order])
        if np.any(np.diff(t) <= 0.0) or np.abs(qd[-1]).max() > 1e-6:
            return False
        self.moving = _Cubics(np.array(t), np.array(q), np.array(qd))
        self.done, self.cancelled, self.at = done, False, 0.0
        times = np.concatenate([a + (b - a) * _LOOKS for a, b in pairwise(t)])
        samples, rates, accelerations = self.moving.at(times)
        balls = np.linalg.norm(self.model.velocity(samples, rates)[:, :3], axis=1)
        way = q[-1] - q[0]
        square = float(way @ way)
        off = samples - q[0]
        if square > 0.0:
            off = off - np.outer(off @ way / square, way)
        straight = np.abs(off).max() < _STRAIGHT
        lead = int(np.argmax(np.abs(way)))
        self.leg = Leg(
            kind="joint" if straight else "path",
            start=self.q,
            target=q[-1],
            speed=float(np.abs(rates[:, lead]).max() if straight else balls.max()),
            acceleration=float(np.abs(accelerations[:, lead]).max()),
        )
        self.leg.samples = samples
        self.record.legs.append(self.leg)
        self.record.events.append(("leg", self.leg))
        self.contact = None
        if self.stuck is not True and not self.touching():

            def path(x):
                return self.cell.ball(self.moving.at(np.asarray(x) * t[-1])[0])

            length = np.linalg.norm(np.diff(self.cell.ball(samples), axis=0), axis=1).sum()
            found = self.cell.first_contact(path, float(length))
            self.contact = None if found is None else found * t[-1]
        return True

    def go_on(self):
        """To the next instant that matters: the trigger, a joint state, the end."""
        end = float(self.moving.t[-1])
        times = [end]
        if self.contact is not None and self.at < self.contact:
            times.append(self.contact)
        if self.period is not None:
            times.append((np.floor(self.at / self.period + 1e-9) + 1.0) * self.period)
        until = min(times)
        self.now += until - self.at
        self.at = until
        self.q = self.moving.at(np.array([until]))[0][0]
        triggered = self.contact is not None and until == self.contact
        if triggered:
            self.leg.hit = self.q
        if self.period is None or not triggered:
            self.publish_state()
        if triggered:
            self.publish_probe()
        if self.cancelled:
            self._halt(min(until + _LATENCY, end))
        elif until >= end:
            self._finish(4)

    def _halt(self, at):
        self.q = self.moving.at(np.array([at]))[0][0]
        self.leg.stopped = True
        self._finish(5)

    def _finish(self, status):
        self.leg.end, self.moving = self.q, None
        if self.leg.hit is not None:
            ball, hit = (self.model.forward(q)[:3, 3] for q in (self.q, self.leg.hit))
            self.leg.overrun = float(np.linalg.norm(ball - hit))
        self.publish_state()
        self.publish_probe()
        self.done.set(SimpleNamespace(status=status))


class _Cubics:
    """Positions and velocities at times, joined by cubics."""

    def __init__(self, t, q, qd):
        self.t, self.q, self.qd = t, q, qd

    def at(self, times):
        k = np.clip(np.searchsorted(self.t, times, side="left") - 1, 0, len(self.t) - 2)
        h = (self.t[k + 1] - self.t[k])[:, None]
        u = (times - self.t[k])[:, None] / h
        a, b, va, vb = self.q[k], self.q[k + 1], h * self.qd[k], h * self.qd[k + 1]
        c2, c3 = 3.0 * (b - a) - 2.0 * va - vb, 2.0 * (a - b) + va + vb
        return (
            a + u * (va + u * (c2 + u * c3)),
            (va + u * (2.0 * c2 + 3.0 * u * c3)) / h,
            (2.0 * c2 + 6.0 * u * c3) / (h * h),
        )


# --------------------------------------------------------------------------------------- Middleware


class _Future:
    def __init__(self):
        self.value, self.ready = None, False

    def set(self, value):
        self.value, self.ready = value, True

    def result(self):
        if not self.ready:
            raise FaultError("a result before it is there")
        return self.value


class _Message:
    """A message with its fields and no others."""

    __slots__ = ()
    defaults = ()

    def __init__(self, **given):
        for name, value in self.defaults:
            setattr(self, name, given.pop(name, value() if callable(value) else value))
        if given:
            raise RefusedError(f"no field {sorted(given)[0]}")


def _message(name, /, **defaults):
    body = {"__slots__": tuple(defaults), "defaults": tuple(defaults.items())}
    return type(name, (_Message,), body)


_Duration = _message("Duration", sec=0, nanosec=0)
_Point = _message(
    "JointTrajectoryPoint",
    positions=list,
    velocities=list,
    accelerations=list,
    effort=list,
    time_from_start=_Duration,
)
_Header = _message("Header", frame_id="")
_Trajectory = _message("JointTrajectory", header=_Header, joint_names=list, points=list)
_State = _message(
    "JointState", header=_Header, name=list, position=list, velocity=list, effort=list
)
_Bool = _message("Bool", data=False)
_Goal = _message("Goal", trajectory=_Trajectory)


class _Handle:
    def __init__(self, world, accepted):
        self.accepted, self._world, self._done = accepted, world, _Future()

    def cancel_goal_async(self):
        self._world.cancelled = True
        return _Future()

    def get_result_async(self):
        return self._done


class _Client:
    def __init__(self, node, kind, name):
        if kind is not _Action or name != "follow_joint_trajectory":
            raise RefusedError("another action")
        self._world = node.world

    def wait_for_server(self, timeout_sec=None):
        return True

    def send_goal_async(self, goal):
        if self._world.moving is not None:
            raise FaultError("a goal while one is active")
        future, handle = _Future(), _Handle(self._world, True)
        handle.accepted = self._world.begin(goal, handle._done)
        future.set(handle)
        return future


_Action = type("FollowJointTrajectory", (), {"Goal": _Goal})


class _Clock:
    def __init__(self, world):
        self._world = world

    def now(self):
        return SimpleNamespace(nanoseconds=int(self._world.now * 1e9))


def _modules(world):
    class Node:
        def __init__(self, name):
            self.world, self.subscriptions = world, []
            world.node = self

        def create_subscription(self, kind, topic, callback, qos):
            if (kind, topic) not in ((_State, "joint_states"), (_Bool, "probe")):
                raise RefusedError(f"topic {topic}")
            self.subscriptions.append((kind, topic, callback))

        def get_clock(self):
            return _Clock(world)

        def get_logger(self):
            return SimpleNamespace(
                info=lambda text: world.record.events.append(("message", text)),
                error=lambda text: setattr(world.record, "halted", text),
            )

        def destroy_node(self):
            if world.moving is not None:
                raise FaultError("the node ends while the arm moves")

    def spin_until_future_complete(node, future, timeout_sec=None):
        for _ in range(1_000_000):
            if future.ready:
                return
            if world.moving is None:
                raise FaultError("waits for nothing")
            world.go_on()
        raise FaultError("a motion without end")

    contents = {
        "rclpy": {
            "init": lambda: None,
            "shutdown": lambda: None,
            "spin_once": lambda node, timeout_sec: world.spin_once(timeout_sec),
            "spin_until_future_complete": spin_until_future_complete,
        },
        "rclpy.action": {"ActionClient": _Client},
        "rclpy.node": {"Node": Node},
        "action_msgs.msg": {
            "GoalStatus": SimpleNamespace(STATUS_SUCCEEDED=4, STATUS_CANCELED=5, STATUS_ABORTED=6)
        },
        "builtin_interfaces.msg": {"Duration": _Duration},
        "control_msgs.action": {"FollowJointTrajectory": _Action},
        "sensor_msgs.msg": {"JointState": _State},
        "std_msgs.msg": {"Bool": _Bool},
        "trajectory_msgs.msg": {"JointTrajectoryPoint": _Point, "JointTrajectory": _Trajectory},
    }
    modules = {}
    for name, content in contents.items():
        for full in (name.split(".")[0], name):
            modules.setdefault(full, ModuleType(full))
        for key, value in content.items():
            setattr(modules[name], key, value)
    return modules


class _Log(io.StringIO):
    """A file that a node writes."""

    def __init__(self, world):
        super().__init__()
        self._world = world

    def write(self, text):
        self._world.record.log += text
        return len(text)


def run_node(text, world):
    """Run a node's text in the double. Returns the record."""

    def opened(path, mode="r", encoding=None):
        if (path, mode) != ("palpeur_hits.csv", "w"):
            raise FaultError("another file")
        return _Log(world)

    modules = _modules(world)
    held = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        space = {"__name__": "palpeur_node", "open": opened}
        exec(compile(text, "palpeur_node.py", "exec"), space)
        status = space["main"]()
        if status not in (0, 1) or (status == 1) != bool(world.record.halted):
            raise FaultError("the exit code does not tell what happened")
    except (FaultError, RefusedError, HaltedError):
        raise
    except Exception as error:
        raise RefusedError(f"{type(error).__name__}: {error}") from error
    finally:
        for name, module in held.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
    return world.record
