# Published runs beside predictions; what is wrong with a file or a bound is said in one line.
$ echo '{"scope": "tier A", "mean": 0.1, "refused": 0}' > bounds.json
$ orrery validate $ROOT/validation/runs/korthikanti.json --tolerance bounds.json
> row ...
> korthikanti-t5-175b-full ...
> ...
> step time ...
> ...
> in 80 %: rows measured within the interval that estimate prints.
$ echo '{"median": 0.0001}' > bounds.json
$ orrery validate $ROOT/validation/runs/korthikanti.json --tolerance bounds.json -o rows.txt
! exit 4
! stderr /^all: median .* %, at most 0.0 %$/
$ head -c 3 rows.txt
> row
$ echo '{"medium": 1}' > bounds.json
$ orrery validate $ROOT/validation/runs/korthikanti.json --tolerance bounds.json
! exit 2
! stderr did you mean "median"?
$ echo '[{"id": "x", "run": {}, "measured": {"step_time": 1}}]' > rows.json
$ orrery validate rows.json
! exit 2
! stderr did you mean "step_time_s"?
$ echo '[{"id": "x", "run": {}, "measured": {"step_time_s": 1}}]' > rows.json
$ orrery validate rows.json --csv
> id,tier,source,node,framework,judged_by,...
> x,A,rows.json,inline,generic,,,,,,,,,rows.json: x: model: found nothing; allowed: this key is required
$ orrery validate --markdown --json
! exit 2
! stderr --markdown
# A fit prints what it found and what it would change; it writes nothing by itself.
$ orrery validate --fit
> constant                    change of prior       ±  prior ±  bound                                                              moved by (rows)
> A100 products                       × 1.017   2.2 %    5.0 %              bigscience 64 % (130), llm-foundry 15 % (139), vtrain-multi 13 % (109)
> Blackwell grouped products          × 0.919  11.0 %   15.0 %                                                          megatron-bridge 100 % (36)
> A100 unfused attention              × 0.730  13.1 %   25.0 %         bigscience 67 % (129), vtrain-multi 27 % (109), megatron-lm-readme 5 % (20)
> Hopper cuDNN attention              × 0.869   5.9 %   10.0 %                 nemo 97 % (21), megatron-bridge 2 % (8), megatron-lm-readme 1 % (9)
> Jean Zay inside a node              × 0.533  25.5 %   50.0 %                                                              bigscience 100 % (130)
>
> not pinned by the data: stays at its prior       ±  prior ±  rows
> Blackwell products, 16 bits                  7.2 %    8.0 %    67
> A100 short inner dimension                  29.4 %   30.0 %   458
> Hopper short inner dimension                29.7 %   30.0 %   147
> A100 no multiple of 8                       30.0 %   30.0 %     0
> Hopper no multiple of 64                    39.9 %   40.0 %    22
> A100 elementwise                             5.5 %    6.0 %   458
> Hopper elementwise                           5.6 %    6.0 %   147
> Blackwell elementwise                        5.9 %    6.0 %    67
> Hopper grouped products                     14.3 %   15.0 %     5
> A100 FlashAttention-2                        4.0 %    4.0 %     0
> Hopper FlashAttention-2                      4.0 %    4.0 %     0
> Hopper beside collectives                    0.057    0.060   104
> FSDP level                                   4.3 %    5.0 %   216
> torchtitan level                             4.3 %    5.0 %    32
> DeepSpeed level                              4.3 %    5.0 %    54
> FSDP passes                                 13.0 %   15.0 %   216
> DeepSpeed passes                            14.9 %   15.0 %    54
> fabric of Megatron-DeepSpeed                12.3 %   15.0 %   227
> fabric of FSDP and torchtitan               12.5 %   15.0 %    92
> what hides the reduction                    19.0 %   20.0 %    29
> least exposed of the reduction              39.9 %   40.0 %    85
> tensor exchanges of Megatron-Core           22.1 %   25.0 %    44
> step overhead                               28.0 %   30.0 %   676
>
> stack factor of a source           measured over predicted
> bigscience, megatron-deepspeed                     × 1.038
> deepspeed-azure, deepspeed                         × 1.038
> korthikanti, megatron-lm                           × 1.000
> llm-foundry, fsdp                                  × 1.029
> megatron-bridge, megatron-core                     × 1.000
> megatron-lm-readme, megatron-core                  × 0.926
> megatron-lm-readme, megatron-lm                    × 0.981
> narayanan-table2, megatron-lm                      × 0.988
> narayanan-table2, deepspeed-2021                   × 1.000
> nemo, megatron-core                                × 0.989
> torchtitan, torchtitan                             × 1.010
> vtrain-multi, megatron-deepspeed                   × 1.007
>
> device, framework or node   constants fitted
> device a100-pcie-80gb                      2
> device a100-sxm4-40gb                      2
> device a100-sxm4-80gb                      2
> device a800-sxm-80gb                       2
> device b200-sxm-180gb                      1
> device b300-sxm                            1
> device gb200                               1
> device gb300                               1
> device gh200-144gb                         1
> device gh200-96gb                          1
> device h100-nvl-94gb                       1
> device h100-pcie-80gb                      1
> device h100-sxm5-80gb                      1
> device h100-sxm5-96gb-500w                 1
> device h200-sxm-141gb                      1
> device h800-sxm-80gb                       1
> node jean-zay-a100-80gb                    1
>
> changes of configs                                  path   from     to
> device a100-sxm4-40gb               efficiency.gemm.fp16  0.805  0.793
> device a100-sxm4-40gb               efficiency.gemm.bf16  0.805  0.793
> device a100-sxm4-80gb               efficiency.gemm.fp16  0.805  0.793
> device a100-sxm4-80gb               efficiency.gemm.bf16  0.805  0.793
> device a100-pcie-80gb               efficiency.gemm.fp16  0.754  0.743
> device a100-pcie-80gb               efficiency.gemm.bf16  0.754  0.743
> device a800-sxm-80gb                efficiency.gemm.fp16  0.805  0.793
> device a800-sxm-80gb                efficiency.gemm.bf16  0.805  0.793
> device b200-sxm-180gb            efficiency.grouped_gemm   0.65  0.597
> device b300-sxm                  efficiency.grouped_gemm   0.65  0.597
> device gb200                     efficiency.grouped_gemm   0.65  0.597
> device gb300                     efficiency.grouped_gemm   0.65  0.597
> device a100-sxm4-40gb  efficiency.attention.unfused.gemm  0.286  0.292
> device a100-sxm4-80gb  efficiency.attention.unfused.gemm  0.286  0.292
> device a100-pcie-80gb  efficiency.attention.unfused.gemm  0.286  0.292
> device a800-sxm-80gb   efficiency.attention.unfused.gemm  0.286  0.292
>
> 5 constants fitted on 676 rows of 10 sources; 16 values of configs would change. Nothing is written
> without --write-configs.
$ orrery validate $ROOT/validation/runs/korthikanti.json --fit
! exit 2
! stderr allowed: more rows than constants
$ orrery validate --fit --cross
! exit 2
! stderr --fit, --cross, --ablate, --check: give one of them
$ orrery validate --write-configs out
! exit 2
! stderr --write-configs: give it with --fit
$ echo '{"parameters": [{"name": "x", "of": "device", "in": ["a"], "paths": ["efficiency.memry"]}]}' > p.json
$ orrery validate --fit --parameters p.json
! exit 2
! stderr did you mean "efficiency.memory"?
# Each row against itself.
$ echo '[{"id": "x", "run": {"model": "gpt3-1.3b", "cluster": {"node": "dgx-a100-80gb", "gpus": 8}, "training": {"sequence_length": 2048, "global_batch": 64}}, "measured": {"step_time_s": 10, "tokens_per_s_per_gpu": 1638.4}}]' > rows.json
$ orrery validate rows.json --check
> 0 contradictions in 1 rows that publish two quantities or more, of 1; 0 rows repeat another of their
> source.
$ sed -i 's/1638.4/1700/' rows.json
$ orrery validate rows.json --check
> row that contradicts itself          one      step                 other     step  ratio  usual
> x                            step_time_s  10.000 s  tokens_per_s_per_gpu  9.638 s  0.964  1.000
>
> 1 contradictions in 1 rows that publish two quantities or more, of 1; 0 rows repeat another of their
> source.
! exit 4
$ orrery validate rows.json --html
> <!doctype html>
> ...
> </body></html>
$ echo '[{"id": "x", "run": {}, "measured": {}}]' > rows.json
$ orrery validate rows.json
! exit 2
! stderr at least one measured quantity
$ orrery validate --write-accuracy a.json
! exit 2
! stderr --write-accuracy: give it with --cross
