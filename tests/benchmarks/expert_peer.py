"""What an expert writes in an afternoon: Pinocchio, coal every 5 ms, Ruckig; run as a script.

Joints by Newton's method from the point before, lines by splines through eleven places, quintic in
time; travels by Ruckig without jerk limit; a yes or no for collisions every 5 ms. Nothing is proven
between those instants, no torque is evaluated, and the order is the points'.
"""

import pickle
import sys
from pathlib import Path

import coal
import numpy as np
import pinocchio as pin
import ruckig
from scipy.interpolate import CubicSpline

STEP, PLACES, ACCURACY = 0.005, np.linspace(0.0, 1.0, 11), 1e-9


def newton(model, data, tool, q, target, axis):
    """Joints that bring the ball to a place along an axis."""
    for _ in range(50):
        pin.framesForwardKinematics(model, data, q)
        pose = data.oMf[tool]
        R = pose.rotation
        turn = R.T @ axis  # (0, 0, 1) where it is reached
        error = np.concatenate([R.T @ (target - pose.translation), [-turn[1], turn[0]]])
        if error @ error < ACCURACY**2:
            return q
        J = pin.computeFrameJacobian(model, data, q, tool, pin.LOCAL)[:5]
        q = q + np.linalg.solve(J, error)
    raise RuntimeError(f"no joints for {target}")


def geometry(cell):
    """Capsules of the links, the part, and which of them are looked at."""
    shapes = pin.GeometryModel()
    for name, joint, a, b, radius in cell["capsules"]:
        length = float(np.linalg.norm(b - a))
        z = (b - a) / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
        turn = pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), z).matrix()
        shape = coal.Capsule(radius, length) if length > 0.0 else coal.Sphere(radius)
        place = pin.SE3(turn, 0.5 * (a + b))
        shapes.addGeometryObject(pin.GeometryObject(name, joint, place, shape))
    links = len(cell["capsules"])
    pairs = list(cell["self_pairs"])
    if cell["part"]:
        mesh = coal.MeshLoader(coal.BV_OBBRSS).load(cell["part"], np.full(3, 1e-3))
        pose = pin.SE3(cell["pose"])
        shapes.addGeometryObject(pin.GeometryObject("part", 0, pose, mesh))
        pairs += [(k, links) for k in range(links) if cell["capsules"][k][1] > 0]
    for a, b in pairs:
        shapes.addCollisionPair(pin.CollisionPair(a, b))
    return shapes


def main(source):
    cell = pickle.loads(Path(source).read_bytes())
    model = pin.Model()
    model.loadFromString(cell["model"])
    data, tool = model.createData(), cell["tool"]
    speed, push = cell["speed"], cell["acceleration"]
    q, lines = cell["start"], []
    points = cell["contacts"], cell["clearances"], cell["axes"]
    for contact, clearance, axis in zip(*points, strict=True):
        places = []
        for s in PLACES:
            q = newton(model, data, tool, q, clearance + s * (contact - clearance), axis)
            places.append(q)
        q = places[0]
        lines.append(places)
    lines = np.array(lines)
    spline = CubicSpline(PLACES, lines, axis=1)
    s = np.linspace(0.0, 1.0, 41)
    r, dr = s**3 * (10 - 15 * s + 6 * s * s), 30 * (s * (1 - s)) ** 2
    ddr = 60 * s * (1 - s) * (1 - 2 * s)
    d1, d2 = spline(r, 1), spline(r, 2)
    rate = np.max(np.abs(d1 * dr[:, None]) / speed, axis=(1, 2))
    bend = np.max(np.abs(d2 * (dr * dr)[:, None] + d1 * ddr[:, None]) / push, axis=(1, 2))
    times = np.maximum(rate, np.sqrt(bend))
    otg, plan = ruckig.Ruckig(model.nv), ruckig.InputParameter(model.nv)
    plan.max_velocity, plan.max_acceleration = speed.tolist(), push.tolist()
    s = np.linspace(0.0, 1.0, int(np.ceil(np.max(times) / STEP)) + 1)
    probing = spline(s**3 * (10 - 15 * s + 6 * s * s)).reshape(-1, model.nq)
    duration, travels = 2.0 * float(np.sum(times)), []
    for first, last in zip(lines[:-1, 0].tolist(), lines[1:, 0].tolist(), strict=True):
        plan.current_position, plan.target_position = first, last
        travel = ruckig.Trajectory(model.nv)
        otg.calculate(plan, travel)
        duration += travel.duration
        travels += [travel.at_time(t)[0] for t in np.arange(0.0, travel.duration, STEP)]
    shapes = geometry(cell)
    seen = shapes.createData()
    touching = [k for k, p in enumerate(shapes.collisionPairs) if p.first in cell["stylus"]]
    hits = sum(pin.computeCollisions(model, data, shapes, seen, np.array(q), True) for q in travels)
    for k in touching:  # of what touches the part at the end of a line nothing is asked there
        seen.deactivateCollisionPair(k)
    # The way back from the part is the same.
    hits += sum(pin.computeCollisions(model, data, shapes, seen, q, True) for q in probing)
    print(f"{duration:.6f} {hits} {len(travels) + len(probing)}")


if __name__ == "__main__":
    main(sys.argv[1])
