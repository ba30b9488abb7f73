$ orrery explain gpt3-175b-1024-a100 mfu --depth 1
> mfu: model FLOPs over the dense peak of the precision
>
> mfu  0.49306
>   = model FLOPs of one GPU and step / step_time_s / device.peak.fp16
>   model FLOPs of one GPU and step  3.307 PFLOP  …
>   step_time_s  21.5 s  …
>   device.peak.fp16  312 TFLOP/s  ← a100-sxm4-80gb: stas00/ml-engineering@744d01e1
>       compute/accelerator/README.md
>
> … hides what lies deeper than --depth 1
$ orrery explain gpt3-175b-1024-a100 memory.weights_gib
> memory.weights_gib: the copy that computes, the second of hpZ, 8-bit copies
>
> memory.weights_gib  5.2577 GiB
>   = (weights + secondary_weights) / 2³⁰
>   weights  5.258 GiB
>     = parameters of this rank × training.states.weights / ranks it is sharded over
>     parameters of this rank  2,822,731,776
>       = dense layers of the chunk × parameters of a dense layer + embeddings of the chunk ×
>           parameters of the embedding
>       dense layers of the chunk  12  ← model and strategy
>       parameters of a dense layer  226,576,896  …
>       embeddings of the chunk  1  ← model and strategy
>       parameters of the embedding  103,809,024  …
>     training.states.weights  2  ← default: the framework's, by precision (megatron-lm)
>     ranks it is sharded over  1  ← model and strategy
>   secondary_weights  0 B  ← model and strategy
>
> … hides what lies deeper than --depth 3

# The last part of a key will do; flags may say the run.
$ orrery explain peak_gib --model llama-3-8b --node dgx-h100 --gpus 64 --sequence-length 8192 --global-batch 256 --depth 1 | head -1
> memory.peak_gib: what the device shows as used, on the fullest stage

# The cost of compression stands beside the time that it saves on the wire.
$ orrery explain llama-3-8b-8-h100 --set 'parallel.compression={"dp":{"ratio":4,"throughput":"50 GB/s"}}' dp_exposed --depth 12 > codec.txt
$ grep -o 'throughput of compression  50 GB/s  ← .*\|/ throughput of decompression$' codec.txt | sort -u
> / throughput of decompression
> throughput of compression  50 GB/s  ← model and strategy
$ orrery explain llama-3-8b-8-h100 dp_exposed --depth 12 | grep -c 'codec\|compression'
! exit 1
> 0
