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
