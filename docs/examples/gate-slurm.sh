#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A job that first asks whether its run fits on the nodes it was given, and ends at once if not.
#   sbatch docs/examples/gate-slurm.sh run.json
#SBATCH --nodes=8
#SBATCH --gpus-per-node=8
#SBATCH --output=job.%j.out
set -uo pipefail
run=${1:?run file}
gpus=$((SLURM_JOB_NUM_NODES * ${SLURM_GPUS_ON_NODE:-8}))
report=estimate.$SLURM_JOB_ID.txt
"${ORRERY:-orrery}" estimate "$run" --gpus "$gpus" -o "$report"
code=$?
case $code in
  0) ;;
  3) echo "not started: the run does not fit on $gpus GPUs, see $report" >&2; exit $code ;;
  *) echo "not started: the run is not one that can be estimated" >&2; exit $code ;;
esac
srun "${TRAIN:-./train.sh}" "$run"
