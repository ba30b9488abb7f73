#!/bin/bash
# A sweep in 16 shards by GNU parallel, on this machine or, with --sshloginfile, on others:
#
#   sweep-parallel.sh sweep.json rows.jsonl
#
# Started again after a kill, each shard goes on where it stopped.
set -euo pipefail
seq 0 15 | parallel --halt now,fail=1 orrery sweep "$1" --jobs 1 --shard {}/16 -o "$2.{}"
orrery merge "$2".{0..15} -o "$2"
