# Models that are no text decoder: samples in place of sequences, words of samples, refusals by name.

# The shipped runs
$ for run in flux.1-dev-64-b200 wan2.1-14b-256-h100 vit-22b-256-h100 clip-vit-l-14-128-a100 whisper-large-32-a100; do orrery estimate $run | grep -o "samples of [0-9,]* tokens.*"; done
> samples of 1,024 tokens and 512 of text
> samples of 32,760 tokens and 512 of text
> samples of 257 tokens
> samples of 257 tokens and 77 of text
> samples of 1,500 tokens and 448 of text

# The step and its words
$ orrery estimate --model flux.1-dev --node hgx-b200 --gpus 64 --global-batch 512 --height 512 --micro-batch 8 | grep -c "samples/s/GPU"
> 1

# A size that nobody said is asked for
$ orrery estimate --model flux.1-dev --node hgx-b200 --gpus 64 --global-batch 512
2> orrery: error: training.height: found nothing; allowed: the pixels of a sample's height (--height), with --width where it is not square
? 2

# A decoder has no pixels, an image no frames
$ orrery estimate --model llama-3-8b --node dgx-h100 --gpus 8 --global-batch 8 --sequence-length 4096 --height 512
? 2
$ orrery estimate --model flux.1-dev --node hgx-b200 --gpus 64 --global-batch 512 --height 512 --frames 9
? 2
