"""Biped files: TOML → Biped and Drives, and their JSON Schema."""

from robots.biped.biped_file.read import json_schema as json_schema
from robots.biped.biped_file.read import load as load
from robots.biped.biped_file.read import load_drives as load_drives
from robots.biped.biped_file.read import read_biped as read_biped
from robots.biped.biped_file.read import read_drives as read_drives
