# Without a command: what there is. The program never answers on stderr, nor complains on stdout.
$ orrery
> orrery predicts memory, step time and cost of training runs of large models.
> ...
>   estimate    predict memory, step time and utilisation of a run
> ...
$ orrery --help | head -1
> orrery predicts memory, step time and cost of training runs of large models.
$ orrery --version
> orrery 0.2.0 (...)
$ orrery estimate --help
> predict memory, step time and utilisation of a run
>
>   orrery estimate gpt3-175b-1024-a100
> ...
> Usage: orrery estimate [OPTIONS] [RUN]
> ...
>   --tp X                      tensor parallel (1)
> ...
$ orrery estimate gpt3-175b-1024-a100 > /dev/full
! exit 2
! stderr /^error: standard output: found No space left on device; allowed: room for [0-9]+ bytes$/
$ for c in --help --version "estimate --help" "list models" "schema run"; do orrery $c > /dev/full 2> /dev/null; echo $?; done | sort | uniq -c | sed 's/ *//'
> 5 2
$ FORCE_COLOR=1 orrery estimate gpt3-175b-1024-a100 | grep -c "$(printf '\033')" | sed 's/[1-9][0-9]*/some/'
> some
$ FORCE_COLOR=1 orrery estimate gpt3-175b-1024-a100 --no-color | grep -c "$(printf '\033')"
> 0
! exit 1

# A command refuses the flags of every command that it would ignore, and does not list them.
$ for c in "explain gpt3-175b-1024-a100 mfu --csv" "schema run --csv" "import run.json --csv" "export gpt3-175b-1024-a100 --csv" "page --json" "call --csv" "call -o x" "mcp --json" "mcp -o x" "completions bash --csv"; do orrery $c < /dev/null 2>&1; echo $?; done
> error: orrery explain: found the flag --csv; allowed: what `orrery explain --help` lists
> 2
> error: orrery schema: found the flag --csv; allowed: what `orrery schema --help` lists
> 2
> error: orrery import: found the flag --csv; allowed: what `orrery import --help` lists
> 2
> error: orrery export: found the flag --csv; allowed: what `orrery export --help` lists
> 2
> error: orrery page: found the flag --json; allowed: what `orrery page --help` lists
> 2
> error: orrery call: found the flag --csv; allowed: what `orrery call --help` lists
> 2
> error: orrery call: found the flag --output; allowed: what `orrery call --help` lists
> 2
> error: orrery mcp: found the flag --json; allowed: what `orrery mcp --help` lists
> 2
> error: orrery mcp: found the flag --output; allowed: what `orrery mcp --help` lists
> 2
> error: orrery completions: found the flag --csv; allowed: what `orrery completions --help` lists
> 2
$ orrery help mcp | grep -c -e --json -e --csv -e --output
! exit 1
> 0
$ orrery completions bash | grep 'mcp) flags' | grep -c -e --json -e --csv -e --output
! exit 1
> 0

# The engine refuses them too.
$ orrery call | cut -d , -f 2 | cut -d ';' -f 1
< {"command": "calibrate", "request": {"action": "measure"}}
< {"command": "explain", "request": {"run": "gpt3-175b-1024-a100", "metric": "mfu", "format": "csv"}}
> "error":"orrery calibrate: action: found \"measure\"
> "error":"request: format: found \"csv\"

# The text of a message goes whole into a tool's argument.
$ printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"diagnose","arguments":{"log":"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.33 GiB of which 1.20 GiB is free.","format":"json"}}}\n' | orrery mcp > told.json
! json told.json:result.isError = false
! json told.json:result.structuredContent.messages[0].kind = "device_out_of_memory"
