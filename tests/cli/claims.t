# Claims run: claimed beside computed, a verdict each.
$ orrery validate $ROOT/validation/claims/zero-plus-plus-volume.json
> ZeRO++ sends a quarter of ZeRO-3 between nodes
> ...
>   2. ZeRO++ sends 0.75M between nodes
>      reproduced
> ...
$ orrery validate $ROOT/validation/claims --json > all.json
! json distinct(claims[*].checks[*].verdict) = ["contradicted", "holds if", "not checkable", "reproduced"]
$ echo '{"title": "t", "claim": "c", "source": "s", "checks": [{"text": "x", "holds": "a.step_time_s < 3"}]}' > claim.json
$ orrery validate claim.json
! exit 2
! stderr claim.json: checks[0].holds: found "a.step_time_s"; allowed: a path that leads to a number
$ echo '{"title": "t", "claim": "c", "source": "s", "checks": [{"text": "x", "holds": "1 <"}]}' > claim.json
$ orrery validate claim.json
! exit 2
! stderr claim.json: checks[0].holds: found the end in column 4
$ orrery validate claim.json $ROOT/validation/runs/korthikanti.json
! exit 2
! stderr claims and published runs together: give files of one kind
$ orrery validate $ROOT/validation/claims --csv
! exit 2
! stderr --csv: claims have text, --json and --markdown
$ mkdir empty && orrery validate empty
! exit 2
! stderr a directory without .json files


# No run of a shipped claim is refused.
$ grep -c refusal all.json || true
> 0

# A published run is predicted beside what was measured; a document gives its quantities in SI.
$ echo '{"title": "t", "claim": "c", "source": "s", "documents": {"h": {"device": "h100-sxm5-80gb"}}, "runs": {"a": {"published": "korthikanti-t5-22b-full"}}, "compute": {"s": "a.measured.step_time_s", "b": "h.memory_bandwidth / 1e9", "near": "abs(a.step_time_s / a.measured.step_time_s - 1)"}, "checks": [{"text": "x", "holds": "s == 1.42 and b == 3350 and near < 0.3"}]}' > claim.json
$ orrery validate claim.json
> ...
>      reproduced
> ...
$ echo '{"title": "t", "claim": "c", "source": "s", "documents": {"h": {"device": "h1000"}}, "checks": [{"text": "x", "holds": "1 < 2"}]}' > claim.json
$ orrery validate claim.json
! exit 2
! stderr claim.json: documents.h.device: found "h1000"; allowed: a name of `orrery list devices` or a path
$ echo '{"title": "t", "claim": "c", "source": "s", "documents": {"h": {"devise": "h100"}}, "checks": [{"text": "x", "holds": "1 < 2"}]}' > claim.json
$ orrery validate claim.json
! exit 2
! stderr claim.json: documents.h: found kind "devise"; allowed: model, node, device
# A capacity plan answers as a run does.
$ echo '{"title": "t", "claim": "c", "source": "s", "runs": {"a": {"run": {"run": "gpt3-175b-1024-a100", "goal": {"tokens": 300e9}, "failures": "rsc-1"}}, "b": {"like": "a", "set": {"goal.tokens": 600e9}}}, "checks": [{"text": "x", "holds": "abs(b.options[0].time.days[1] / a.options[0].time.days[1] - 2) < 0.001"}, {"text": "x", "holds": "abs(29538 / 1024 - a.options[0].goodput.mean_time_between_failures_h) < 0.1"}]}' > claim.json
$ orrery validate claim.json | grep -c reproduced
> 2
$ orrery sweep $ROOT/configs/sweeps/stash-or-checkpoint.json | wc -l
> 72

# The page shows what the claims come to now.
$ test $(ls $ROOT/validation/claims | wc -l) = $(grep -c '^## ' $ROOT/docs/claims.md) && echo a section each
> a section each
