#!/bin/bash
# A run on the nodes of a Slurm job: sbatch slurm.sh. Stopped by the time limit, the same command goes on.
#SBATCH --job-name=tengen
#SBATCH --nodes=8
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=12:00:00
set -euo pipefail
source "$HOME/tengen/bin/activate" # where pip install 'tengen[train,cluster]' was

export RAY_USAGE_STATS_ENABLED=0
export RAY_AUTH_MODE=token # without the token, in a home folder that all nodes share, nobody uses the cluster
ray get-auth-token --generate > /dev/null
chmod 600 "$HOME/.ray/auth_token"
mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
head=${nodes[0]}
address=$(srun --nodes=1 --ntasks=1 -w "$head" hostname --ip-address | awk '{print $1}')
port=$((20000 + SLURM_JOB_ID % 10000)) # jobs that share a machine don't meet

srun --nodes=1 --ntasks=1 --overlap -w "$head" \
    ray start --head --node-ip-address="$address" --port="$port" --include-dashboard=false --block &
until ray status --address="$address:$port" > /dev/null 2>&1; do sleep 1; done
for node in "${nodes[@]:1}"; do
    # Ray ends on a node that was out of reach for half a minute: it joins again.
    srun --nodes=1 --ntasks=1 --overlap -w "$node" \
        bash -c 'while true; do ray start --address="$1" --block; sleep 5; done' - "$address:$port" &
done

srun --nodes=1 --ntasks=1 --overlap -w "$head" \
    tengen train go --config go.toml --run "$HOME/runs/go" --cluster "$address:$port"
