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
> x,A,rows.json,inline,generic,,,,,,,,,"rows.json: x: model: found nothing; allowed: this key is required, a name of...
$ orrery validate --markdown --json
! exit 2
! stderr --markdown
# A fit prints what it found and what it would change; it writes nothing by itself.
$ orrery validate --fit
> constant ...
> ...
> not pinned by the data: stays at its prior ...
> ...
> ... constants fitted on ... rows of ... sources; ... Nothing is
> written without --write-configs.
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
! exit 4
> row that contradicts itself ...
> x ...
>
> 1 contradictions ...
> source.
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
