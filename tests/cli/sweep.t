# A product of axes, the last fastest; a point that breaks a rule says so.
$ echo '{"run": "llama-3-8b-8-h100", "axes": {"training.global_batch": [16, 24], "parallel.tp": {"from": 1, "to": 4, "factor": 2}, "training.micro_batch": [1, 2]}, "columns": ["step_time_s", "memory.peak_gib"]}' > sweep.json
$ orrery sweep sweep.json --csv | cut -d, -f2-7 | tail -n +1
> points,point,training.global_batch,parallel.tp,training.micro_batch,status
> 12,0,16,1,1,fits
> 12,1,16,1,2,fits
> 12,2,16,2,1,fits
> 12,3,16,2,2,fits
> 12,4,16,4,1,fits
> 12,5,16,4,2,fits
> 12,6,24,1,1,fits
> 12,7,24,1,2,illegal
> 12,8,24,2,1,fits
> 12,9,24,2,2,fits
> 12,10,24,4,1,fits
> 12,11,24,4,2,fits

# A column may have the name of its metric too.
$ echo '{"run": "llama-3-8b-8-h100", "axes": {"parallel.tp": [1]}, "columns": ["memory.allocated_peak"]}' > named.json
$ orrery sweep named.json --csv | cut -d, -f7
> memory.allocated_peak_bytes
> 4...

$ echo '{"run": "llama-3-8b-8-h100", "axes": {"search.top": [1, 2]}}' > top.json
$ orrery sweep top.json
! exit 2
! stderr top.json: axes: found search.top beside answer estimate; allowed: it beside answer search, which alone reads it

# A device that lacks a precision, and a model that lacks positions, are points that break a rule too.
$ echo '{"run": "llama-3-8b-8-h100", "axes": {"cluster.node": ["dgx-a100-80gb", "dgx-h100"], "training.precision": ["bf16", "fp8"]}, "columns": ["step_time_s"]}' > formats.json
$ orrery sweep formats.json --csv | cut -d, -f4-6
> cluster.node,training.precision,status
> dgx-a100-80gb,bf16,fits
> dgx-a100-80gb,fp8,illegal
> dgx-h100,bf16,fits
> dgx-h100,fp8,fits
$ echo '{"run": "llama-3-8b-8-h100", "axes": {"model": ["llama-3-8b", "gpt2-xl"]}, "answer": "search", "columns": ["step_time_s"]}' > models.json
$ orrery sweep models.json --csv | cut -d, -f4-5
> model,status
> llama-3-8b,fits
> gpt2-xl,illegal

# Rows are those of estimate, in the same order for any number of threads and shards.
$ orrery sweep sweep.json --jobs 1 -o one.jsonl
$ orrery sweep sweep.json --jobs 3 -o three.jsonl && cmp one.jsonl three.jsonl && echo same
> same
$ for i in 0 1 2 3; do orrery sweep sweep.json --shard $i/4 -o shard.$i.jsonl; done
$ orrery merge shard.3.jsonl shard.0.jsonl shard.2.jsonl shard.1.jsonl -o merged.jsonl && cmp one.jsonl merged.jsonl && echo same
> same
$ orrery merge shard.0.jsonl shard.1.jsonl shard.2.jsonl shard.3.jsonl --csv
! exit 2
! stderr error: orrery merge: found csv of rows in json; allowed: json, or shards that the sweep wrote in csv
$ python3 -c 'import json; [print(json.dumps({"command": "merge", "request": {"files": [{"file": "one.jsonl", "text": open("one.jsonl").read()}], "format": f}})) for f in ("html", "json", "text")]' | orrery call | grep -o '^{"code":[0-9]'
> {"code":2
> {"code":0
> {"code":0
$ orrery estimate llama-3-8b-8-h100 --global-batch 24 --tp 4 --micro-batch 2 --json
! json one.jsonl:[-1].step_time_s = step_time_s
! json one.jsonl:[-1]["memory.peak_gib"] = memory.peak_gib

# A file cut off anywhere goes on to the same bytes.
$ for n in 0 1 100 500 1200; do head -c $n one.jsonl > cut.jsonl; orrery sweep sweep.json -o cut.jsonl; cmp one.jsonl cut.jsonl || echo differs; done; echo all
> all
$ orrery sweep sweep.json --csv -o one.csv
$ for n in 3 60 500; do head -c $n one.csv > cut.csv; orrery sweep sweep.json --csv -o cut.csv; cmp one.csv cut.csv || echo differs; done; echo all
> all

# A name with a line break is one cell of CSV: its rows go on where they were cut off, and join.
$ printf '%s\n' '{"run": "llama-3-8b-8-h100", "axes": {"name": ["a\nb", "c,d", "say \"e\"\n"], "parallel.tp": [1, 2]}, "columns": ["step_time_s"]}' > broken.json
$ orrery sweep broken.json --csv -o broken.csv
$ python3 -c 'import csv; print([r["name"] for r in csv.DictReader(open("broken.csv", newline=""))])'
> ['a\nb', 'a\nb', 'c,d', 'c,d', 'say "e"\n', 'say "e"\n']
$ for n in $(seq 1 23 $(stat -c %s broken.csv)); do head -c $n broken.csv > cut.csv; orrery sweep broken.json --csv -o cut.csv; cmp broken.csv cut.csv || echo differs; done; echo all
> all
$ for i in 0 1; do orrery sweep broken.json --csv --shard $i/2 -o broken.$i.csv; done
$ orrery merge broken.1.csv broken.0.csv -o joined.csv && cmp broken.csv joined.csv && echo same
> same
$ sed '2s/"//' broken.csv > unquoted.csv; orrery sweep broken.json --csv -o unquoted.csv
! exit 2
! stderr unquoted.csv: 

# Zips go side by side; a search or the memory at each point.
$ echo '{"run": "llama-3-8b-8-h100", "answer": "memory", "zip": [{"parallel.tp": [1, 2], "parallel.zero": [3, 1]}]}' > zip.json
$ orrery sweep zip.json
! json .[*]["parallel.tp"] = [1, 2]
! json .[*]["parallel.zero"] = [3, 1]
! json .[*]["memory.peak_gib"] > 10
! json no .[*].step_time_s
$ echo '{"run": {"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8}, "training": {"sequence_length": 8192, "global_batch": 16}, "framework": "megatron-core"}, "answer": "search", "axes": {"cluster.gpus": [8, 16]}}' > searches.json
$ orrery sweep searches.json
! json .[*]["cluster.gpus"] = [8, 16]
! json .[*].status = "fits"
! json .[*]["best.tp"] * .[*]["best.cp"] * .[*]["best.pp"] * .[*]["best.dp"] = [8, 16]
! json .[*].candidates > 100
! json .[*].step_time_s > 0

# Steps played at each point; a database in place of lines; the shipped examples.
$ echo '{"run": "llama-3-8b-8-h100", "answer": "simulate", "axes": {"parallel.pp": [1, 2]}}' > play.json
$ orrery sweep play.json
! json .[*]["parallel.pp"] = [1, 2]
! json .[*].status = "fits"
! json .[*].step_time_s > 0
$ orrery sweep sweep.json --sqlite -o rows.db; orrery merge one.jsonl --sqlite -o merged.db
$ python3 -c 'import sqlite3; [print(sqlite3.connect(f).execute("SELECT count(*), sum(step_time_s) > 0, min(point), max(point) FROM rows").fetchone()) for f in ("rows.db", "merged.db")]'
> (12, 1, 0, 11)
> (12, 1, 0, 11)
$ for f in stash-or-checkpoint network-bandwidth clusters played-pipelines; do orrery sweep $f > $f.jsonl; done
! json len(stash-or-checkpoint.jsonl:) = 72
! json network-bandwidth.jsonl:[*].status in ["fits", "likely", "tight"]
! json len(network-bandwidth.jsonl:) = 24
! json clusters.jsonl:[*].status = "fits"
! json len(clusters.jsonl:) = 4
! json len(played-pipelines.jsonl:) = 12

# An error is one line, and nothing is lost.
$ orrery sweep zip.json --sqlite -o rows.db
! exit 2
! stderr rows.db: row 1: found the sweep 
$ python3 -c 'import sqlite3; b = sqlite3.connect("merged.db"); b.execute("UPDATE rows SET step_time_s = 1 WHERE point = 3"); b.commit()'; orrery sweep sweep.json --sqlite -o merged.db
! exit 2
! stderr merged.db: point 3: found a row that is not as it was written
$ orrery sweep sweep.json --jobs -3
! exit 2
! stderr --jobs: found -3; allowed: a whole number from 1 to 1024
$ orrery sweep zip.json --sqlite
! exit 2
! stderr --sqlite: found no -o FILE
$ echo text > no.db; orrery sweep zip.json --sqlite -o no.db
! exit 2
! stderr no.db: found file is not a database
$ orrery merge one.jsonl --sqlite -o merged.db
! exit 2
! stderr merged.db: found rows; allowed: a new file
$ sed 's/"sweep":"[0-9a-f]*"/"sweep":"0123456789abcdef"/' one.jsonl > other-version.jsonl; orrery sweep sweep.json -o other-version.jsonl
! exit 2
! stderr other-version.jsonl: row 1: found the sweep 0123456789abcdef, this one is 
$ orrery merge shard.0.jsonl shard.1.jsonl shard.3.jsonl
! exit 2
! stderr shard.0.jsonl: found 9 of 12 points, the first that is missing is 2;
$ orrery merge one.jsonl shard.1.jsonl
! exit 2
! stderr shard.1.jsonl: point 1: found a row that one.jsonl has too; allowed: each point once
$ head -c 300 one.jsonl > half.jsonl; orrery merge half.jsonl
! exit 2
! stderr half.jsonl: line 2: found a row that was cut off
$ orrery sweep zip.json -o one.jsonl
! exit 2
! stderr one.jsonl: row 1: found the sweep 
$ orrery sweep sweep.json --shard 0/2 -o one.jsonl
! exit 2
! stderr one.jsonl: row 2: found point 1; allowed: rows of this shard in order
$ orrery sweep sweep.json --shard 4/4
! exit 2
! stderr --shard: found "4/4"; allowed: I/N
$ echo '{"run": "llama-3-8b-8-h100", "axes": {"parallel.ttp": [1, 2]}}' | orrery sweep -
! exit 2
! stderr parallel.ttp: found an unknown key
$ echo '{"run": "llama-3-8b-8-h100", "axes": {"parallel.tp": [1, 2]}, "columns": ["step_time"]}' | orrery sweep -
! exit 2
! stderr did you mean "step_time_s"
$ echo '{"run": "llama-3-8b-8-h100", "zip": [{"parallel.tp": [1, 2], "parallel.pp": [1]}]}' | orrery sweep -
! exit 2
! stderr zip[0].parallel.pp: found 1 values; allowed: 2, as many as the others of the zip
$ echo '{"run": "llama-3-8b-8-h100"}' | orrery sweep -
! exit 2
! stderr found no axes; allowed: axes or zip
$ orrery sweep sweep.json -o /dev/full
! exit 2
! stderr /dev/full: found Invalid argument; allowed: a plain file

# Shipped sweeps go by name.
$ orrery list sweeps --csv | cut -d, -f1-4
> name,run,answer,points
> clusters,llama-3-8b,search,4
> network-bandwidth,llama-3-70b-64-h100,estimate,24
> played-pipelines,gpt3-175b-1024-a100,simulate,12
> stash-or-checkpoint,gpt3-175b,estimate,72
$ orrery sweep stash-or-checkpont
! exit 2
! stderr stash-or-checkpont: found no such sweep; allowed: a file, - or a name of `orrery list sweeps`; did you mean "stash-or-checkpoint"?

# Axes without a file: a run by name, flags as keys, and a table that ends with the best of what fits.
$ orrery sweep llama-3-8b-8-h100 --vary micro_batch=1,2 --vary recompute=none,selective
>   micro_batch  recompute ...
> ...
> answer            most tokens/s of what fits: ...
> next              orrery estimate llama-3-8b-8-h100 ...

# A run by flags, doublings, and names that people type.
$ orrery sweep --model llama-3-8b --sequence-length 4096 --global-batch 64 --zero 3 --gpus 8 --vary node=8xA100,h100 --vary training.micro_batch=1..4 --json > rows.jsonl
! json rows.jsonl:[*].point = [0, 1, 2, 3, 4, 5]
! json rows.jsonl:[*]["training.micro_batch"] = [1, 2, 4, 1, 2, 4]
