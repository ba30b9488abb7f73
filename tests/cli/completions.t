# What the shells complete comes from the commands themselves.
$ bash
< source <(orrery completions bash)
< compopt() { :; }
< ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _orrery; echo "${COMPREPLY[*]}"; }
< ask orrery est
< ask orrery estimate gpt3-175b-10
< ask orrery estimate --micro
< ask orrery estimate --model llama-3-8
< ask orrery estimate --recompute sel
< ask orrery estimate --set training.micro
< ask orrery capacity --corpus pi
< ask orrery simulate --storage jean
< mkdir -p mine/hardware/calibrated; echo '{}' > mine/hardware/calibrated/our-h100.json; source <(ORRERY_CONFIG_PATH=$PWD/mine orrery completions bash)
< for command in collective sweep validate estimate; do ask orrery $command --calibration our; done
< ask orrery list corp
< ask orrery show frame
> estimate
> gpt3-175b-1024-a100
> --micro-batch
> llama-3-8b
> selective
> training.micro_batch=
> pile
> jean-zay
> our-h100
> our-h100
> our-h100
> our-h100
> corpora
> framework
$ orrery completions fish | grep -c "__fish_seen_subcommand_from simulate' -l trace -r"
> 1
$ orrery completions zsh | head -1
> #compdef orrery
$ orrery completions man | head -1
> .TH ORRERY 1 "" "orrery 0.2.0"
$ for c in $(orrery | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do orrery completions man | grep -q "^.SS orrery $c$" || echo "$c"; done
$ orrery completions tcsh
! exit 2
! stderr /orrery completions: found "tcsh"; allowed: bash, zsh, fish or man/
