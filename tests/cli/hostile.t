# A node file of a user whose graph is a torus, without sources.
$ cp $ROOT/tests/documents/node-torus-of-four.json n.json; orrery show node n.json > shown; orrery estimate llama-3-8b-8-h100 --node ./n.json > estimated; orrery collective all-reduce --node ./n.json --gpus 8 --size 1MiB > priced; for f in shown estimated priced; do test -s $f && echo $f; done
> shown
> estimated
> priced

# A cluster by its name alone, wherever a document has one.
$ for f in plan-mistake-cluster plan-mistake-own-cluster; do orrery capacity $ROOT/tests/documents/$f.json; done; orrery estimate $ROOT/tests/documents/run-mistake-cluster.json
! exit 2
! stderr /cluster: found "dgx-h100"; allowed: an object\n.*cluster: found "dgx-h100"; allowed: an object\n.*cluster: found "dgx-h100"; allowed: an object\n$/

# The run's own value is read although the search has an axis over it.
$ orrery search llama-3-8b-8-h100 --set 'search.axes.gpus=[8,16]' --set 'cluster.gpus=*'
! exit 2
! stderr error: --set cluster.gpus=*: cluster.gpus: found "*"; allowed: a whole number from 1 to 100000000
$ orrery search llama-3-8b-8-h100 --set 'search.axes.precision=["bf16"]' --set 'training.precision=half'
! exit 2
! stderr /^error: --set training.precision=half: training.precision: found "half"; allowed: /

# Two outputs of which one is a link to the other, also where there is no file yet.
$ ln -s later.txt link; orrery simulate llama-3-8b-8-h100 --trace later.txt -o link
! exit 2
! stderr error: link: found a file that two flags name; allowed: a file of its own for each
$ orrery estimate llama-3-8b-8-h100 -o link && test -L link && grep -c '^step  ' later.txt
> 1

# More than any file of a person holds ends in one line: levels, keys, values, settings, bytes.
$ python3 -c "print('{\"a\": ' + '[' * 60000 + ']' * 60000 + '}')" > deep.json; orrery estimate deep.json
! exit 2
! stderr error: deep.json: found nesting deeper than 64 levels; allowed: a flat document
$ python3 -c "print(''.join('k%d: &a%d %d\n' % (i, i, i) for i in range(200000)), end='')" > anchors.yaml; orrery import anchors.yaml
! exit 2
! stderr error: anchors.yaml: line 4097: found a mapping of more than 4,096 keys; allowed: smaller mappings
$ python3 -c "print('[job]\n' + '.'.join('a' * 60000) + ' = 1')" > dots.toml; orrery import --from torchtitan-toml dots.toml
! exit 2
! stderr error: dots.toml: line 2: found more than 64 levels; allowed: fewer
$ python3 -c "print('a = ' + '[' * 200 + ']' * 200)" > lists.toml; orrery import --from torchtitan-toml lists.toml
! exit 2
! stderr error: lists.toml: line 1: found more than 64 levels; allowed: fewer
$ python3 -c "print('python pretrain_gpt.py ' + ' '.join('--flag-%d %d' % (i, i) for i in range(20000)))" > many.sh; orrery import --from megatron many.sh 2>&1 | tail -n 1 | cut -c 1-100
> error: many.sh: found more than 4096 settings; allowed: fewer
$ python3 -c "print('python3 -m verl.trainer.main_ppo actor_rollout_ref' + '.a' * 32000 + '=1')" > levels.sh; orrery import levels.sh --node dgx-h100 --gpus 8
! exit 2
! stderr /^error: levels.sh: actor_rollout_ref(.a)+.?: found more than 64 levels; allowed: fewer$/
$ for open in '! ' '\( '; do for test in '[' 'test'; do python3 -c "import sys; print(sys.argv[2] + ' ' + sys.argv[1] * 200000 + 'a ] && A=1\npython pretrain_gpt.py --num-layers 2')" "$open" "$test" > condition.sh; orrery import condition.sh > /dev/null 2>&1; echo $?; done; done
> 2
> 2
> 2
> 2
$ python3 -c "print('[[ ' + '( ' * 200000 + 'a ]] && A=1\npython pretrain_gpt.py --num-layers 2')" > condition.sh; orrery import condition.sh
! exit 2
! stderr error: condition.sh: line 1: found commands nested deeper than 64; allowed: a shell script

# Keys are refused one by one: each of these took seconds, and four times as long at twice the length.
$ python3 -c "print('python3 -m verl.trainer.main_ppo ' + ' '.join('x.k%d=1' % i for i in range(100000)))" > words.sh; timeout 20 orrery import words.sh --node dgx-h100 --gpus 8
! exit 2
! stderr error: words.sh: x.k4096: found more than 4,096 keys in one object; allowed: fewer
$ python3 -c "print('[training]\nsteps = 1\n' + ''.join('a.b.c%d.d = 1\n' % i for i in range(100000)))" > keys.toml; timeout 20 orrery import keys.toml --from torchtitan-toml
! exit 2
! stderr /^error: keys.toml: line \d+: found a table of more than 4,096 keys; allowed: smaller tables$/
$ python3 -c "print('from transformers import TrainingArguments\na = TrainingArguments(' + ','.join('k%d=%d' % (i, i) for i in range(60000)) + ')')" > call.py; timeout 20 orrery import call.py
! exit 2
! stderr /^error: call.py: line \d+: found a mapping of more than 4,096 keys; allowed: smaller mappings$/
$ python3 -c "print(''.join('A+=(--k%d %d)\n' % (i, i) for i in range(60000)) + 'python pretrain_gpt.py \"\${A[@]}\"')" > array.sh; timeout 20 orrery import array.sh
! exit 2
! stderr error: array.sh: found more than 4096 settings; allowed: fewer
$ for open in '${A:-' '$(echo ' '$(('; do python3 -c "import sys; o = sys.argv[1]; close = '}' if '{' in o else ')' * o.count('('); print('A=' + o * 60000 + close * 60000 + '\npython pretrain_gpt.py')" "$open" > groups.sh; orrery import --from megatron groups.sh 2>&1 | cut -d ';' -f 1; done
> error: groups.sh: line 1: found a quote or bracket that does not end within 64 levels
> error: groups.sh: line 1: found a quote or bracket that does not end within 64 levels
> error: groups.sh: line 1: found a quote or bracket that does not end within 64 levels
