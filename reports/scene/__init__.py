"""The cell in three dimensions: arm, part, points, path and motion, as a page and as glTF."""

from reports.scene.build import scene_of as scene_of
from reports.scene.build import scene_of_robot as scene_of_robot
from reports.scene.gltf import scene_glb as scene_glb
from reports.scene.viser_scene import scene_html as scene_html
