#!/bin/bash
# A sweep as a Slurm array of 64 shards, merged when all are done:
#
#   jobs=$(sbatch --parsable --array=0-63 sweep-slurm.sh sweep.json 64)
#   sbatch --dependency=afterok:$jobs --wrap 'orrery merge rows.*.jsonl -o rows.jsonl'
#
# A task that was killed goes on where it stopped: `scontrol requeue` it.
#SBATCH --cpus-per-task=4
#SBATCH --requeue
exec orrery sweep "$1" --shard "$SLURM_ARRAY_TASK_ID/$2" --jobs "${SLURM_CPUS_PER_TASK:-1}" \
  -o "rows.$SLURM_ARRAY_TASK_ID.jsonl"
