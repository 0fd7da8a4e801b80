"""Platform files: TOML ⇄ Platform, their JSON Schema, and what is odd about a platform."""

from robots.stewart.platform_file.audit import warnings as warnings
from robots.stewart.platform_file.read import json_schema as json_schema
from robots.stewart.platform_file.read import load as load
from robots.stewart.platform_file.read import read_platform as read_platform
from robots.stewart.platform_file.write import write_toml as write_toml
