"""Robot files: TOML ⇄ Mechanism, and their JSON Schema."""

from robots.core.robot_file.conversion import json_schema as json_schema
from robots.core.robot_file.conversion import load as load
from robots.core.robot_file.conversion import read_robot as read_robot
from robots.core.robot_file.conversion import write_toml as write_toml
