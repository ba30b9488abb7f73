# A sweep's file is cut only where a row of this sweep was cut off: any other file stays as it is.
$ echo '{"run": "llama-3-8b-8-h100", "axes": {"training.micro_batch": [1, 2]}}' > s.json
$ printf '{"a": 1}' > precious.json; orrery sweep s.json -o precious.json
! exit 2
! stderr /^error: precious.json: end of the file: found no row of this sweep that was cut off; allowed: /
$ printf 'my notes' > notes.csv; orrery sweep s.json --csv -o notes.csv
! exit 2
! stderr /^error: notes.csv: end of the file: found no row/
$ printf '%s' "$(cat s.json)" > own.json; orrery sweep own.json -o own.json
! exit 2
! stderr /^error: own.json: end of the file: found no row/
$ cat precious.json notes.csv own.json | tr -d '\n'; echo
> {"a": 1}my notes{"run": "llama-3-8b-8-h100", "axes": {"training.micro_batch": [1, 2]}}
$ orrery sweep s.json -o rows.jsonl && head -n 1 rows.jsonl > first && (cat first; printf '{"sweep":"0000') > other.jsonl; orrery sweep s.json -o other.jsonl
! exit 2
! stderr /^error: other.jsonl: end of the file: found no row/

# Rows of more than 256 MiB are read like any others.
$ yes "$(cat first)" | head -n $((270 * 1048576 / $(wc -c < first))) > large.jsonl; orrery sweep s.json -o large.jsonl
! exit 2
! stderr error: large.jsonl: row 2: found point 0; allowed: rows of this shard in order, or a new file
$ orrery merge large.jsonl
! exit 2
! stderr error: large.jsonl: point 0: found a row that large.jsonl has too; allowed: each point once

# A row that somebody changed is no result.
$ rm large.jsonl; orrery sweep s.json --csv -o rows.csv; for f in rows.jsonl rows.csv; do sed '2s/0\.0/0.1/' $f > changed.$f; cmp -s $f changed.$f && echo same; orrery merge changed.$f; orrery sweep s.json $(test $f = rows.csv && echo --csv) -o changed.$f; done
! exit 2
! stderr /^error: changed.rows.jsonl: line 2: found a row that is not as it was written; allowed: rows of `orrery sweep`, whole and unchanged\nerror: changed.rows.jsonl: line 2: .*\nerror: changed.rows.csv: line 3?2?: .*\nerror: changed.rows.csv: line 2: /

# A value that is empty is no value, whatever the flag.
$ for c in "estimate llama-3-8b-8-h100 --tp" "estimate llama-3-8b-8-h100 -o" "validate --tolerance" "validate --calibration" "capacity llama-3-8b-8-h100 --budget" "search llama-3-8b-8-h100 --html" "search llama-3-8b-8-h100 --minimize" "simulate llama-3-8b-8-h100 --trace" "simulate llama-3-8b-8-h100 --seed" "explain llama-3-8b-8-h100 mfu --depth" "list models --config-dir" "sweep s.json --shard" "show model"; do orrery $c "" 2>&1 | sed 's/; allowed.*//'; done
> error: orrery estimate: found --tp: an empty value
> error: orrery estimate: found --output: an empty value
> error: orrery validate: found --tolerance: an empty value
> error: orrery validate: found --calibration: an empty value
> error: orrery capacity: found --budget: an empty value
> error: orrery search: found --html: an empty value
> error: orrery search: found --minimize: an empty value
> error: orrery simulate: found --trace: an empty value
> error: orrery simulate: found --seed: an empty value
> error: orrery explain: found --depth: an empty value
> error: orrery list: found --config-dir: an empty value
> error: orrery sweep: found --shard: an empty value
> error: orrery show: found NAME: an empty value

# A file keeps its rights, a link stays a link, and two flags cannot name one file.
$ touch mine && chmod 600 mine && ln -s mine link && orrery estimate llama-3-8b-8-h100 -o link && stat -c %a mine && test -L link && grep -c '^step  ' mine
> 600
> 1
$ orrery simulate llama-3-8b-8-h100 --html page --trace ./page > out
! exit 2
! stderr error: page: found a file that two flags name; allowed: a file of its own for each
$ orrery search llama-3-8b-8-h100 --tp 1 --pp 1 --html page -o page
! exit 2
! stderr error: page: found a file that two flags name; allowed: a file of its own for each
$ ls page out 2>&1 | grep -v "No such"; cat out
> out

# Where no room is left, the file that was there stays, and nothing lies beside it.
$ echo before > kept.json; (ulimit -f 1; trap '' XFSZ; orrery estimate llama-3-8b-8-h100 --json -o kept.json; echo $?) 2> error; cat error kept.json; ls | grep -c part
> 2
> error: kept.json: found File too large; allowed: room for ... bytes
> before
> 0
! exit 1
$ orrery estimate llama-3-8b-8-h100 -o /dev/full
! exit 2
! stderr /^error: \/dev\/full: found No space left on device; allowed: room for [0-9]+ bytes$/
$ orrery estimate llama-3-8b-8-h100 -o no/such/folder
! exit 2
! stderr error: no/such/folder: found No such file or directory; allowed: a file that can be written

# A packed file is bounded by what it packs.
$ head -c 400M /dev/zero | tr '\\0' 0 | gzip > bomb.csv.gz; orrery calibrate fit bomb.csv.gz --device a100-sxm4-80gb
! exit 2
! stderr /^error: bomb.csv.gz: found more than [0-9]+ MiB unpacked; allowed: a shorter one$/

# Numbers beyond any machine's, and words that no option takes, are wrong inputs.
$ orrery estimate llama-3-70b-64-h100 --set cluster.tiers.infiniband.bandwidth=1e-300
! exit 2
! stderr /bandwidth: found 1e-300; allowed: a quantity such as "[^"]*", from 1e-15 to 1e30 of its SI unit/
$ orrery estimate llama-3-70b-64-h100 --set cluster.tiers.infiniband.latency=1e9
! exit 2
! stderr /latency: found 1e9|latency: found 1000000000(.0)?; allowed: a time up to 1 s, such as "4 us"/
$ orrery list models --verbose=9223372036854775808
! exit 2
! stderr /^error: orrery list: found a number of times that a flag is given; allowed: /
$ orrery search llama-3-70b-64-h100 --top x
! exit 2
! stderr /^error: orrery search: found --top x; allowed: /

# A cell of CSV is never a formula of a spreadsheet; numbers stay numbers.
$ echo '{"model": {"num_hidden_layers": 4, "hidden_size": 1024, "num_attention_heads": 8, "vocab_size": 1000, "hidden_act": "gelu"}, "cluster": {"node": "dgx-h100", "gpus": 8}, "training": {"sequence_length": 1024, "global_batch": 8}}' > =cmd.json
$ cp =cmd.json @sum.json; orrery compare =cmd.json @sum.json --csv | head -n 1
> key,unit,'=cmd.json,'@sum.json

# A misspelt key of a framework's option, and of a claim's run.
$ echo '{"inherits": "generic", "options": {"o": {"default": "on", "values": {"on": {"tp_exposd": 0.5}}}}}' > f.json; orrery estimate llama-3-8b-8-h100 --framework ./f.json
! exit 2
! stderr /^error: --framework .*f.json: options.o.values.on.tp_exposd: found an unknown key; .*did you mean "tp_exposed"|^error: .\/f.json: options.o.values.on.tp_exposd: found an unknown key/
$ echo '{"title": "t", "claim": "c", "source": "s", "runs": {"a": {"run": {"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8}, "training": {"sequence_length": 1024, "global_batch": 8}, "traning": {}}}}, "checks": [{"text": "x", "holds": "1 < 2"}]}' > claim.json; orrery validate claim.json
! exit 2
! stderr /traning: found an unknown key; .*did you mean "training"/

# A page takes the inputs that an estimate takes: standard input, and steps of one's own.
$ mkdir tree && ln -s $ROOT/configs tree/configs && echo '<script id="run"></script>' > tree/page.html
$ orrery export llama-3-8b-8-h100 > run.json && ORRERY_CONFIG_PATH=tree/configs orrery page - < run.json | grep -o '"name":"Llama 3 8B"'
> "name":"Llama 3 8B"
$ echo '[{"run": "llama-3-8b-8-h100", "step_time": "6 s"}]' > steps.json
$ ORRERY_CONFIG_PATH=tree/configs orrery page llama-3-8b-8-h100 --observed steps.json | grep -o '"steps":1'
> "steps":1
