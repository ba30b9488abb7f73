$ orrery list models
> model                  parameters   active  layers   width  heads  experts
> ...
> gpt3-175b                 174.6 B  174.6 B      96  12,288     96        –
> ...
> mixtral-8x7b               46.7 B  12.88 B      32   4,096     32        8
> ...
$ orrery list models --csv | grep gpt3-175b
> gpt3-175b,...
$ orrery list nodes | grep -E '^node|^dgx-h100'
> node ... GPUs  device ... inside         a GPU  between         a node
> dgx-h100 ... 8  h100-sxm5-80gb       nvswitch    450 GB/s  infiniband    400 GB/s
$ orrery list nodes | grep -E '^(l40s-pcie|p5-48)'
> l40s-pcie ... 8  l40s                 pcie         31 GB/s  infiniband     50 GB/s
> p5-48xlarge ... 8  h100-sxm5-80gb       nvswitch    450 GB/s  efa           400 GB/s
$ orrery list metrics | head -2
> metric                              unit     meaning
> step_time_s                         s        one optimizer step
$ orrery list collectives
> collective      algorithms
> all-reduce      ring, in-switch, tree, hierarchical, recursive
> all-gather      ring, in-switch, pat, hierarchical, recursive
> reduce-scatter  ring, in-switch, pat, hierarchical, recursive
> all-to-all      direct, hierarchical
> point-to-point  direct
> broadcast       ring
> reduce          ring
$ orrery list recipes --csv | head -2
> name,weights_bytes,gradients_bytes,optimizer_bytes,bytes_per_parameter,source
> adam-mixed-16,2,2,12,16,"ZeRO, arXiv:1910.02054, section 3.1: K = 12"
$ for what in devices frameworks runs schedules; do orrery list $what | head -1; done
> device ...
> framework ...
> run ...
> schedule ...
$ orrery show model gpt2 | head -4
> model gpt2, $ROOT/configs/models/gpt2.json
> Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"; openai-community/gpt2
>   config.json, dimensions; the sum of the weights is the total known for the model; read as
>   karpathy/nanoGPT@0011cd44 model.py carries its dimensions

# Families by their own keys, hybrid stacks, numbers as Python writes them, what is not understood.
$ echo '{"model_type": "mistral", "hidden_size": 4096, "sliding_window": null}' > mistral.json
$ orrery show model mistral.json --json | grep -E '"(active_)?parameters"'
>   "parameters": 7241732096,
>   "active_parameters": 7241732096,
$ echo '{"model_type": "nemotron_h", "hidden_size": 256, "intermediate_size": 512, "vocab_size": 1000, "hybrid_override_pattern": "M-M*", "time_step_limit": [0.0, Infinity]}' > hybrid.json
$ orrery show model hybrid.json --json | grep -A5 layer_pattern
>     "layer_pattern": [
>       "recurrent",
>       "dense",
>       "recurrent",
>       "attention"
>     ]
$ orrery show model hybrid.json | grep layers:
> layers: 2 recurrent, 1 dense, 1 attention
$ echo '{"model_type": "newcomer", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100, "rms_norm_eps": 1e-6}' > new.json
$ orrery show model new.json | grep -c 'model_type "newcomer" is not known; read as a'
> 1
$ sed -i 's/"vocab/"memory_heads": 4, "vocab/' new.json; orrery show model new.json
! exit 2
! stderr /"memory_heads", which is not understood/
$ echo '{"model_type": "mixtral", "hidden_size": 4096}' > few.json; orrery show model few.json
! exit 2
! stderr /num_local_experts: found nothing/
$ echo '{"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 100}' > short.json
$ orrery show model short.json | grep 'for each position'
> and 64 for each position of a run's sequence: the position table is as long

$ orrery show device a100-sxm4-80gb | grep peak.bf16
> peak.bf16 ... 312 TFLOP/s ...
$ orrery show run gpt3-175b-1024-a100 --operators | grep -E '^block|mlp up'
> block      operator            rows×columns×inner   parameters      forward     saved  exchanges
> layer      mlp up              2,048×6,144×12,288   75,503,616  309.2 GFLOP  ...B  tp all-gather →←, tp reduce-scatter ←

# A directory of one's own comes first.
$ mkdir -p mine/models && sed 's/"num_hidden_layers": 12/"num_hidden_layers": 6/' $ROOT/configs/models/gpt2.json > mine/models/gpt2.json
$ orrery show model gpt2 --config-dir mine | head -1
> model gpt2, mine/models/gpt2.json
$ ORRERY_CONFIG_PATH=mine orrery list models | grep gpt2
> gpt2                      81.91 M  81.91 M       6     768     12        –
> gpt2-xl ...

# Documents that capacity plans name.
$ orrery list failures
> failures    GPU-hours a failure  classes  detection  restart
> bloom-176b               64,512        1    5.0 min  7.5 min
> llama-3                  50,677       12    5.0 min  7.5 min
> opt-175b                  7,440        1    5.0 min  7.5 min
> rsc-1                    29,538        1    5.0 min  7.5 min
$ orrery list storage | grep nfs
> nfs ... 3 GB/s ...
> nfs-nconnect ... 10 GB/s ...
$ for what in prices energy corpora samples plans; do orrery list $what | head -1; done
> prices ...
> energy ...
> corpus ...
> samples ...
> plan ...
$ orrery show storage selene | head -1
> storage selene, ...selene.json
$ orrery show failures lama-3
! exit 2
! stderr error: orrery show: failures: found "lama-3"; allowed: a name of `orrery list failures` or a path; did you mean "llama-3"?
$ orrery show data corpus
! exit 2
! stderr error: orrery show: data: found "corpus"; allowed: corpora or samples, or a path

# Without a list: what there is. Without a kind: the name's own. Without a metric: the time of a step.
$ orrery list | grep -E '^(models|nodes|metrics) '
> models ...
> nodes ...
> metrics ...
$ for n in llama-3-8b dgx-h100 h100-sxm5-80gb megatron-core gpt3-175b-1024-a100; do orrery show $n | head -1; done
> model llama-3-8b, ...
> node dgx-h100, ...
> device h100-sxm5-80gb, ...
> framework megatron-core, ...
> GPT-3 175B: ...
$ orrery explain llama-3-8b-8-h100 > one; orrery explain llama-3-8b-8-h100 step_time_s | cmp - one && head -1 one
> step_time_s: ...
$ orrery show no-such-name
! exit 2
! stderr /^error: orrery show: found "no-such-name"; allowed: model, node, /

# A word that is short for a longer one; the help of a command, with what holds where a flag is absent.
$ orrery estimate --model llama-3-8b --node dgx-h10 --gpus 8 --sequence-length 8192 --global-batch 16
! exit 2
! stderr /; did you mean "dgx-h100"\?$/
$ orrery estimate llama-3-8b-8-h100 --sequence-lenth 4096
! exit 2
! stderr /; did you mean "--sequence-length"\?$/
$ orrery estimate --help > help; orrery help estimate | cmp - help && grep -E '^  --(tp|zero|recompute) ' help
>   --tp X                      tensor parallel (1)
>   --zero X                    ZeRO 0 to 3 (the framework's)
>   --recompute X               none, selective or full (as recompute_modules, recompute_method or
$ orrery help compare | grep '^Usage'; orrery help search | grep -E '^  --(heat|jobs) '
> Usage: orrery compare [OPTIONS] [RUN ...]
>   --heat X,Y                  the two axes of the map of --html (tp,pp)
>   --jobs N                    threads (all the machine has); the answer is the same
$ orrery export gpt3-175b-1024-a100 --as megatronlm
! exit 2
! stderr /^error: command line: --as: found "megatronlm"; allowed: run, .*; did you mean "megatron"\?$/
$ orrery estimate gpt3-175b-1024-a100 --tp
! exit 2
! stderr /^error: orrery estimate: found --tp without a value; /
$ orrery sweep
! exit 2
! stderr /^error: orrery sweep: found no sweep; /
