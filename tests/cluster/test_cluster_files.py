"""The files in examples/cluster, each by its own validator where there is one."""

import json
import subprocess
from pathlib import Path

import jsonschema
import ray
import yaml

FILES = Path(__file__).parents[2] / "examples" / "cluster"


def test_the_cluster_file_is_one_by_rays_schema() -> None:
    schema = json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text())
    jsonschema.validate(yaml.safe_load((FILES / "ssh.yaml").read_text()), schema)


def test_the_manifest_has_the_parts_of_a_ray_cluster() -> None:
    cluster, policy = yaml.safe_load_all((FILES / "kuberay.yaml").read_text())
    assert (cluster["apiVersion"], cluster["kind"]) == ("ray.io/v1", "RayCluster")
    groups = [cluster["spec"]["headGroupSpec"], *cluster["spec"]["workerGroupSpecs"]]
    assert all(group["template"]["spec"]["containers"][0]["image"] for group in groups)
    assert policy["spec"]["podSelector"]["matchLabels"]["ray.io/cluster"] == cluster["metadata"]["name"]


def test_the_slurm_script_is_one_of_bash() -> None:
    subprocess.run(["bash", "-n", str(FILES / "slurm.sh")], check=True)
