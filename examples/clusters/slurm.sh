#!/usr/bin/env bash
# A sweep over the machines of a Slurm cluster: one shard for each task of the array.
#
#   sbatch --array=1-100 examples/clusters/slurm.sh sweep.toml results
#
# A task that is killed is queued again and goes on where it stopped. When all are through:
#
#   sre-zero merge results/shard-* --out results/whole
#SBATCH --job-name=sre-zero
#SBATCH --requeue
#SBATCH --cpus-per-task=2
#SBATCH --mem=1G
set -euo pipefail
sweep="${1:?usage: sbatch --array=1-N slurm.sh SWEEP.toml FOLDER}"
folder="${2:?usage: sbatch --array=1-N slurm.sh SWEEP.toml FOLDER}"
shards="${SLURM_ARRAY_TASK_COUNT:?start it with sbatch --array=1-N}"
shard="$((SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN + 1))"
exec sre-zero sweep "$sweep" --policy "${POLICY:-adaptive}" --jobs "${SLURM_CPUS_PER_TASK:-2}" \
    --shard "$shard/$shards" --out "$folder/shard-$shard"
