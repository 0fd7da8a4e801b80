"""The page of one robot: the arm in 3D, a slider for each joint, limits, reach."""

from reports.robot.page import posture_of as posture_of
from reports.robot.page import robot_page as robot_page
