"""A machine of three sliding axes, and a block on it that its hits align in all directions."""

from __future__ import annotations

import numpy as np

from planner.job import read_job
from robots.core.pose import rotation_zyx
from robots.library import text_of

AXIS = """
[[joint]]
name = "{name}"
type = "prismatic"
pose = {{ translation_mm = [{x}, 0, 0], rotation_zyx_deg = {turn} }}
min_mm = {low}
max_mm = {high}
max_speed_m_s = 0.5
max_acceleration_m_s2 = 2.0
"""
ROBOT = (
    """format = 1
[robot]
name = "gantry-3"
source = "ours: three axes of about a metre"
gravity_m_s2 = [0, 0, -9.81]
"""
    + AXIS.format(name="bridge", x=0, turn=[0, 90, 0], low=0, high=1200)
    + AXIS.format(name="carriage", x=-1400, turn=[0, 0, -90], low=0, high=1000)
    + AXIS.format(name="ram", x=0, turn=[0, -90, 0], low=-1200, high=0)
    + """
[tool]
rotation_zyx_deg = [0, 0, 180]

[controller]                       # X is the carriage; the ram counts down from its top
axes = ["carriage", "bridge", "ram"]
signs = [1, -1, 1]
offsets_mm = [0, 600, 1000]
home_mm = [200, 300, -700]
tool_number = 3
"""
)
HEAD = """
[controller]
axes = ["q2", "q1", "q3", "q4", "q5"]
signs = [1, -1, 1, 1, 1]
offsets_mm = [0, 600, 1000]
tool_number = 3
"""
JOB = """format = 1
[job]
name = "block on a gantry"
[robot]
model = "robot.toml"
LIMITS
[probe]
stylus_length_mm = 60.0
ball_diameter_mm = 4.0
[part]
pose = { translation_mm = [500, 450, 300], rotation_zyx_deg = [20, 4, -6] }
[points]
file = "points.csv"
frame = "part"
compensated = true
[approach]
distance_mm = 15.0
axis = [AXIS]
[evaluation]
alignment = "normals"
"""
POINTS = """name,x_mm,y_mm,z_mm,nx,ny,nz,feature
T1,-40,-30,30,0,0,1,top
T2,40,-30,30,0,0,1,top
T3,0,30,30,0,0,1,top
R1,60,-25,10,1,0,0,right
R2,60,25,12,1,0,0,right
B1,-20,45,11,0,1,0,back
"""


# A cycle of its own for one feature, for tests of what the defaults hide.
TOUCH = """
[touch]
speed_mm_s = 4
search_before_mm = 2
search_after_mm = 4
back_off_mm = 1.5
settle_s = 0.0505
latency_ms = 3
[[touch.feature]]
name = "right"
speed_mm_s = 2.7
search_before_mm = 2.5
"""


def gantry_job(folder, *, head=False, text=JOB):
    """The job on three axes, or on the library's five with a head that stands still.

    That on five axes has a cycle of its own.
    """
    text = text + TOUCH if head else text
    robot = text_of("gantry-5") + HEAD if head else ROBOT
    R = rotation_zyx(np.radians([20.0, 4.0, -6.0]))
    down = R.T @ [0.0, 0.0, -1.0]  # the machine's stylus, in the frame of the part
    axis = "0.3, -0.2, -1" if head else ", ".join(f"{value:.16f}" for value in down)
    (folder / "robot.toml").write_text(robot)
    (folder / "points.csv").write_text(POINTS)
    (folder / "job.toml").write_text(text.replace("AXIS", axis).replace("LIMITS", ""))
    return read_job(folder / "job.toml")
