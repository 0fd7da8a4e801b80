"""Robots of other formats as robot files: URDF, xacro, MJCF, Denavit-Hartenberg tables."""

from robots.core.robot_import.imported import ImportedRobot as ImportedRobot
from robots.core.robot_import.imported import ImportNote as ImportNote
from robots.core.robot_import.imported import Need as Need
from robots.core.robot_import.imported import SourceFormat as SourceFormat
from robots.core.robot_import.imported import Topic as Topic
from robots.core.robot_import.imported import import_robot as import_robot
