# A run over several sites: its step, utilisation, and what a utilisation takes.
$ echo '{"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64, "sites": {"count": 4, "bandwidth": "10 Gb/s", "latency": "50 ms"}}, "training": {"sequence_length": 8192, "global_batch": 256, "outer": {"every": 100, "bits": 8}}, "framework": "megatron-core"}' > sites.json
$ orrery estimate sites.json --json
! json sites.count = 4
! json sites.sent_bytes_per_round = 12.05e9 ± 1 %
! json sites.utilisation > 0.9
! json sites.exposed_s_per_round = 9.69 ± 1 %
! json len(sites.needs) = 5
! json inputs.cluster.sites.count = 4
$ orrery estimate sites.json | grep -A 2 ^sites
> sites             4 sites that sum 12 GB each over 1.25 GB/s every 100 steps: ... % of the time
>                   trains, 9.686 s of a round waits; 90 % takes ... MB/s a site. Effects on
>                   convergence are not modelled
$ orrery comm sites.json --json
! json sites.sent_bytes_per_round = 12.05e9 ± 1 %

# 4,769 rounds of 12.05 GB from each of four sites at 0.02 USD a GB.
$ orrery capacity sites.json --tokens 1e12 --prices '{"rent": "2.5 USD/h", "egress": "0.02 USD/GB"}' | grep 'of it'
>   of it           rent ... USD, egress 4.59 k USD
$ orrery capacity sites.json --tokens 1e12 --rent 2.5 | grep '^cost'
> cost              ... by rent; not counted, no price: storage,
$ orrery simulate sites.json
! exit 2
! stderr /cluster.sites: found 4 sites; allowed: a run on one of them, whose events .* --gpus 16 --global-batch 64/
$ orrery estimate sites.json --set cluster.sites.count=3
! exit 2
! stderr /cluster.sites.count/
$ orrery estimate llama-3-8b-8-h100 --set training.outer.every=10
! exit 2
! stderr /training.outer: found outer steps on one site; allowed: cluster.sites beside it/
$ orrery estimate sites.json --set training.outer.overlap=200
! exit 2
! stderr /a round hides no more than its own steps/
