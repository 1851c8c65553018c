"""The files in examples/cluster, each by its own validator where there is one."""

import subprocess
from pathlib import Path

import yaml
from ray.autoscaler._private.util import prepare_config, validate_config

FILES = Path(__file__).parents[2] / "examples" / "cluster"


def test_the_cluster_file_is_one_by_rays_schema() -> None:
    """By the checks that `ray up` makes itself, defaults filled in; and by what it only warns of."""
    config = prepare_config(yaml.safe_load((FILES / "ssh.yaml").read_text()))
    validate_config(config)
    [workers] = config["available_node_types"].values()
    assert workers["min_workers"] == len(config["provider"]["worker_ips"])  # all are started, and stay
    [start] = [command for command in config["head_start_ray_commands"] if "ray start" in command]
    assert "--autoscaling-config=~/ray_bootstrap_config.yaml" in start  # without it no worker is started


def test_the_manifest_has_the_parts_of_a_ray_cluster() -> None:
    cluster, policy = yaml.safe_load_all((FILES / "kuberay.yaml").read_text())
    assert (cluster["apiVersion"], cluster["kind"]) == ("ray.io/v1", "RayCluster")
    groups = [cluster["spec"]["headGroupSpec"], *cluster["spec"]["workerGroupSpecs"]]
    assert all(group["template"]["spec"]["containers"][0]["image"] for group in groups)
    assert policy["spec"]["podSelector"]["matchLabels"]["ray.io/cluster"] == cluster["metadata"]["name"]


def test_the_slurm_script_is_one_of_bash() -> None:
    subprocess.run(["bash", "-n", str(FILES / "slurm.sh")], check=True)
