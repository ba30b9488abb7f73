# A tool that nobody has heard of is one file: ten settings, no code.
$ mkdir -p own/tools; cp $ROOT/tests/cli/quark.json own/tools/; printf 'quark: 2\nmodel: {name: meta-llama/Llama-3.1-8B}\nbatch: 2\nlength: 4096\ndtype: bf16\nmesh: {tensor: 2}\nlr: 1e-4\nbucket_mb: 25\n' > q.yaml; orrery import --config-dir own q.yaml --node dgx-h100 --gpus 8 --json > run.json
! stderr /noted: bucket_mb 25 \(the profile's buckets are used\)/
! json run.json:format = "quark"
! json run.json:run.training.global_batch = 8
! json run.json:run.parallel.tp = 2
! json run.json:run.parallel.recompute = "none"
! json run.json:run.parallel.zero = 3
! json run.json:without_effect = ["quark", "lr"]

# It is gone with its file.
$ rm own/tools/quark.json; orrery import --config-dir own q.yaml --node dgx-h100 --gpus 8
! exit 2
! stderr /q.yaml: found YAML with the keys quark, model, batch, length, …; allowed: /

# What it leaves open is asked for, and its own mistakes are named with their place.
$ cp $ROOT/tests/cli/quark.json own/tools/; printf 'quark: 2\nbatch: 2\n' > q.yaml; orrery import --config-dir own q.yaml --node dgx-h100 --gpus 8 --model llama-3-8b --sequence-length 4096 > run.json
! exit 2
! stderr /q.yaml: training.precision: dtype is not bf16, which alone is known; --precision VALUE, or --assume training.precision=VALUE/
$ sed -i 's/"micro_batch"/"micro_bach"/' own/tools/quark.json; orrery import --config-dir own q.yaml
! exit 2
! stderr error: own/tools/quark.json: settings.batch: found "micro_bach"; allowed: a fact or a key of a run; did you mean "micro_batch"?

