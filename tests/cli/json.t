# The keys of the contract, and that parts sum to their totals.
$ orrery estimate gpt3-175b-1024-a100 --json > e.json
$ python3 -c 'import json; print("\n".join(json.load(open("e.json"))))'
> feasible
> reasons
> step_time_s
> samples_per_s
> tokens_per_s
> tokens_per_s_per_gpu
> model_tflops_per_gpu
> hardware_tflops_per_gpu
> mfu
> hfu
> breakdown_s
> memory
> flops_convention
> communication
> interval_80
> training
> busy_stage
> end_stage
> limiter
> advice
> warnings
> rests_on
> inputs
> schema_version
> tool_version
$ python3 -c 'import json; print(" ".join(json.load(open("e.json"))["breakdown_s"]))'
> compute recompute tp_exposed cp_exposed ep_exposed pp_exposed pp_bubble dp_exposed optimizer offload_exposed host_exposed other
$ python3 -c 'import json; print(" ".join(json.load(open("e.json"))["memory"]))'
> peak_gib needed_gib weights_gib gradients_gib optimizer_gib activations_gib buffers_gib overhead_gib fit_probability bytes_per_parameter allocated_peak reserved_peak lines capacity_gib peak_gib_80 filled_by_cached_blocks fit rests_on stage by_stage
$ python3 -c 'import json; print(" ".join(json.load(open("e.json"))["communication"][0]))'
> dimension collective count bytes_per_gpu group tier algorithm time_s exposed_s
$ python3 -c 'import json; j = json.load(open("e.json")); print(abs(sum(j["breakdown_s"].values()) / j["step_time_s"] - 1) < 1e-12)'
> True
$ python3 -c 'import json; m = json.load(open("e.json"))["memory"]; print(abs(sum(m[k] for k in ("weights_gib", "gradients_gib", "optimizer_gib", "activations_gib", "buffers_gib", "overhead_gib")) / m["peak_gib"] - 1) < 1e-12)'
> True
$ python3 -c 'import json; i = json.load(open("e.json"))["inputs"]; print([a["path"] for a in i["assumed"]][-1], i["parallel"]["dp"])'
> parallel.order 16

# Every command answers in JSON.
$ for c in "memory gpt3-175b-1024-a100" "explain gpt3-175b-1024-a100 mfu" "list models" "list metrics" "show model gpt2" "show node dgx-h100" "show run gpt3-175b-1024-a100 --operators"; do orrery $c --json | python3 -c 'import json, sys; print(type(json.load(sys.stdin)).__name__)'; done
> dict
> dict
> list
> list
> dict
> dict
> dict

# Every document of an answer says its versions, by the same keys.
$ bash
< r=llama-3-8b-8-h100
< has() { orrery "$@" --json | python3 -c 'import json, sys; j = json.load(sys.stdin); print(sys.argv[1], j["schema_version"], j["tool_version"], "schema" in j or "version" in j)' "$1"; }
< for c in estimate memory comm simulate search; do has $c $r; done
< has explain $r mfu; has compare $r gpt3-175b-1024-a100; has capacity $r --tokens 1e12 --search; has validate --check
< has collective all-reduce --node dgx-h100 --gpus 8 --size 1MiB; has show model gpt2; has show run $r
> estimate 2 0.2.0 False
> memory 2 0.2.0 False
> comm 2 0.2.0 False
> simulate 2 0.2.0 False
> search 2 0.2.0 False
> explain 2 0.2.0 False
> compare 2 0.2.0 False
> capacity 2 0.2.0 False
> validate 2 0.2.0 False
> collective 2 0.2.0 False
> show 2 0.2.0 False
> show 2 0.2.0 False
