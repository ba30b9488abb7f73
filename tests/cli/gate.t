# The gate of docs/agents.md in a job's script: training starts where the run fits, and not elsewhere.
$ printf '#!/bin/sh\nexec "$@"\n' > srun; printf '#!/bin/sh\necho training $1\n' > train.sh; chmod +x srun train.sh
$ echo '{"model": "llama-3-70b", "cluster": {"node": "dgx-h100", "gpus": 64}, "training": {"sequence_length": 4096, "global_batch": 64}, "parallel": {"tp": 8, "zero": 3}}' > run.json
$ SLURM_JOB_ID=7 SLURM_JOB_NUM_NODES=8 SLURM_GPUS_ON_NODE=8 PATH=.:$PATH bash $ROOT/docs/examples/gate-slurm.sh run.json
> training run.json
$ SLURM_JOB_ID=8 SLURM_JOB_NUM_NODES=1 PATH=.:$PATH bash $ROOT/docs/examples/gate-slurm.sh run.json; echo $?; grep -c 'does not fit' estimate.8.txt
> 3
> ...
! stderr not started: the run does not fit on 8 GPUs, see estimate.8.txt
$ SLURM_JOB_ID=9 SLURM_JOB_NUM_NODES=3 SLURM_GPUS_ON_NODE=5 PATH=.:$PATH bash $ROOT/docs/examples/gate-slurm.sh run.json; echo $?
> 2
! stderr /allowed[^\n]*\nnot started: the run is not one that can be estimated/
