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
> constant ...
> ...
> not pinned by the data: stays at its prior ...
> ...
> ... constants fitted on ... rows of ... sources; ... Nothing is written without --write-configs.
$ orrery validate $ROOT/validation/runs/korthikanti.json --fit
! exit 2
! stderr allowed: more rows than constants
$ orrery validate --fit --cross
! exit 2
! stderr --fit, --cross, --ablate: give one of them
$ orrery validate --write-configs out
! exit 2
! stderr --write-configs: give it with --fit
$ echo '{"parameters": [{"name": "x", "of": "device", "in": ["a"], "paths": ["efficiency.memry"]}]}' > p.json
$ orrery validate --fit --parameters p.json
! exit 2
! stderr did you mean "efficiency.memory"?
