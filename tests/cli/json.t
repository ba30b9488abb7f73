# The keys of the contract, and that parts sum to their totals.
$ orrery estimate gpt3-175b-1024-a100 --json
! json keys(.) = "feasible reasons step_time_s samples_per_s tokens_per_s tokens_per_s_per_gpu model_tflops_per_gpu hardware_tflops_per_gpu mfu hfu breakdown_s memory flops_convention communication interval_80 training busy_stage end_stage limiter advice warnings open rests_on inputs schema_version tool_version"
! json keys(breakdown_s) = "compute recompute tp_exposed cp_exposed ep_exposed pp_exposed pp_bubble dp_exposed optimizer offload_exposed host_exposed other"
! json keys(memory) = "peak_gib needed_gib weights_gib gradients_gib optimizer_gib activations_gib buffers_gib overhead_gib fit_probability bytes_per_parameter allocated_peak reserved_peak lines capacity_gib peak_gib_80 filled_by_cached_blocks fit rests_on stage by_stage"
! json keys(communication[0]) = "dimension collective count bytes_per_gpu group tier algorithm time_s exposed_s"
! json sum(breakdown_s) = step_time_s ± 1e-10 %
! json memory.weights_gib + memory.gradients_gib + memory.optimizer_gib + memory.activations_gib + memory.buffers_gib + memory.overhead_gib = memory.peak_gib ± 1e-10 %
! json inputs.assumed[path="parallel.order"].known = "default"
! json inputs.parallel.dp = 16

# Every command answers in JSON.
$ for c in "memory gpt3-175b-1024-a100" "explain gpt3-175b-1024-a100 mfu" "list models" "list metrics" "show model gpt2" "show node dgx-h100" "show run gpt3-175b-1024-a100 --operators"; do orrery $c --json; done
! json type(.[*]) = ["object", "object", "list", "list", "object", "object", "object"]

# Every document of an answer says its versions, by the same keys.
$ bash
< r=llama-3-8b-8-h100
< has() { orrery "$@" --json; }
< for c in estimate memory comm simulate search; do has $c $r; done
< has explain $r mfu; has compare $r gpt3-175b-1024-a100; has capacity $r --tokens 1e12 --search; has validate --check
< has collective all-reduce --node dgx-h100 --gpus 8 --size 1MiB; has show model gpt2; has show run $r
! json len(.) = 12
! json .[*].schema_version = 2
! json .[*].tool_version = "0.2.0"
! json no .[*].schema
! json no .[*].version
