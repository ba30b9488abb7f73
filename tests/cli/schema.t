# The tables of keys as JSON Schema and as a list. That documents are valid by them is the test
# `schemas`.
$ orrery schema run | head -4
> {
>   "$schema": "http://json-schema.org/draft-07/schema#",
>   "title": "orrery run",
>   "description": "A training run: what, on what, and how.",
$ for name in run model node device framework sweep search plan graph fabric compression failures storage prices energy observed; do orrery schema $name | grep '"title"'; done
>   "title": "orrery run",
>   "title": "orrery model",
>   "title": "orrery node",
>   "title": "orrery device",
>   "title": "orrery framework",
>   "title": "orrery sweep",
>   "title": "orrery search",
>   "title": "orrery plan",
>   "title": "orrery graph",
>   "title": "orrery fabric",
>   "title": "orrery compression",
>   "title": "orrery failures",
>   "title": "orrery storage",
>   "title": "orrery prices",
>   "title": "orrery energy",
>   "title": "orrery observed",
>               "title": {
$ orrery schema modle
! exit 2
! stderr /found "modle"; allowed: run, model, node, .*; did you mean "model"/
$ orrery schema
! exit 2
! stderr /found no document; allowed: run, model, /

# A row's kind, range, names, unit, default and flag.
$ cat > of.py
< import json, sys
< schema = json.load(sys.stdin)
< for path in sys.argv[1:]:
<     at = schema
<     for key in path.split("."): at = at["properties"][key]
<     print(json.dumps(at))
$ orrery schema run | python3 of.py parallel.pp parallel.zero parallel.recompute cluster.gpus
> {"description": "pipeline parallelism: stages; pp\u00b7vpp up to 1024, in ranks", "default": 1, "type": ["integer", "null"], "minimum": 1, "maximum": 1048576}
> {"description": "ZeRO: 1 shards optimizer states over the replicas, 2 gradients too, 3 weights too. Default: the framework's", "type": ["integer", "null"], "minimum": 0, "maximum": 3}
> {"description": "activations that backward computes again. Default: as recompute_modules, recompute_method or recompute_layers imply; else the framework's where it fits as likely as not, else the least that does", "enum": ["none", "selective", "full", null]}
> {"description": "GPUs of the run; required, unless `groups` has them", "type": ["integer", "null"], "minimum": 1, "maximum": 100000000}
$ orrery schema sweep | python3 of.py answer
> {"description": "what is asked at every point", "default": "estimate", "enum": ["estimate", "memory", "search", "simulate", null]}
$ orrery schema device | python3 of.py power | grep -o '"pattern.*W)'
> "pattern": "^[+]?[0-9.]+([eE][-+]?[0-9]+)? ?(W|kW|MW|GW)
$ orrery list keys | grep 'parallel.zero '
> run          parallel.zero                                    0 to 3            the framework's   --zero               ZeRO: 1 shards
$ orrery list keys --csv | grep -E '^(run,training.tokens|search,axes.tp|framework,sharding.zero|node,tiers\[\].ramp),'
> run,training.tokens,whole number,1 to 2^53 tokens,,[],,--tokens,run,of the whole training: gives steps and days
> node,tiers[].ramp,quantity,"a quantity such as ""4 us""",0 s,[],,,never,grows a collective by the root of ramp times its time on the wire
> framework,sharding.zero,whole number,0 to 3,0,"[""0"",""1"",""2"",""3""]",,,never,ZeRO stage of a run that gives none
> search,axes.tp,whole number or list or choice or object,"1 to 2^20 ranks; or a list of 1 to 4096: 1 to 2^20 ranks; or free; or {min, max}","as the run file says, or free",[],,,never,tensor parallelism: ranks that split every matrix of a layer

# Programs read what may be chosen; a number of many values has no choices.
$ orrery list keys --json
! json .[*document="run", path ~ /^(cluster.node|parallel.(dp|zero|recompute|compression|overlap.tp)|stack.spread)$/].path = ["cluster.node", "parallel.dp", "parallel.zero", "parallel.recompute", "parallel.compression", "parallel.overlap.tp", "stack.spread"]
! json .[*document="run", path ~ /^(cluster.node|parallel.(dp|zero|recompute|compression|overlap.tp)|stack.spread)$/].choices = [[], [], ["0", "1", "2", "3"], ["none", "selective", "full"], [], ["true", "false"], []]
! json .[*document="run", path ~ /^(cluster.node|parallel.(dp|zero|recompute|compression|overlap.tp)|stack.spread)$/].list = ["nodes", "", "", "", "compressions", "", ""]

# For editors: accepted at the top of every document, refused below.
$ cat > run.json
< {"$schema": "run.schema.json", "model": "gpt2", "cluster": {"node": "dgx-a100-80gb", "gpus": 8},
<  "training": {"sequence_length": 1024, "global_batch": 64}}
$ orrery estimate run.json --json | grep -c 'schema"'
> 0
! exit 1
$ orrery estimate run.json --set 'training.$schema=x'
! exit 2
! stderr training.$schema: found an unknown key
$ printf '{"$schema": "s", "run": "run.json", "axes": {"parallel.tp": [1, 2]}}' | orrery sweep - --csv | head -1
> ...
