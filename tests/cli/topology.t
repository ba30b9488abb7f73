# Graphs: what they fold into, and that no cut inside them is beaten.
$ echo '{"node": "dgx-h100", "gpus": 8, "graph": {  "vertices": [{"name": "gpu", "kind": "gpu", "count": 8}, {"name": "a", "kind": "switch"}, {"name": "b", "kind": "switch"}],  "links": [{"from": ["gpu0", "gpu1", "gpu2", "gpu3"], "to": "a", "bandwidth": "450 GB/s"},       {"from": ["gpu4", "gpu5", "gpu6", "gpu7"], "to": "b", "bandwidth": "450 GB/s"},       {"from": "a", "to": "b", "bandwidth": "10 GB/s"}]}}' > thin.json
# Over one link of 10 GB/s: 2S of an all-to-all, S of an all-reduce and of a message, S/2 of a gather.
$ for k in all-to-all:2 all-reduce:1 all-gather:0.5 broadcast:1 point-to-point:1; do orrery collective ${k%:*} --cluster thin.json --size 1GiB --csv | tail -1 | awk -F, -v b=${k#*:} '{bound = b * 1073741824 / 10e9; print ($2 >= bound && $2 < 2.3 * bound) ? "holds" : "fails: " $2 " " bound}'; done | uniq
> holds
$ orrery collective all-to-all --cluster thin.json --size 1GiB --csv | tail -1 | cut -d, -f6
> nvswitch

# A ring of eight has two links between its halves, 2S to cross them; a ring over it keeps them busy.
$ for s in '[8]:21.4' '[4,2]:10.7' '[2,2,2]:10.7'; do orrery collective all-to-all --node dgx-h100 --gpus 8 --size 1GiB --csv --set "cluster.graph={\"kind\":\"torus\",\"sides\":${s%:*},\"link\":\"50 GB/s\"}" | tail -1 | awk -F, -v b=${s#*:} '{print ($2 * 1000 >= b && $2 * 1000 < 1.3 * b) ? "holds" : "fails: " $2 " " b}'; done | uniq
> holds
$ orrery collective all-reduce --node dgx-h100 --gpus 8 --size 16GiB --csv --set 'cluster.graph={"kind":"torus","sides":[8],"link":"50 GB/s"}' | tail -1 | awk -F, '{print ($4 > 80 && $4 < 100) ? "busbw of two links of 50 GB/s" : $4, $5}'
> busbw of two links of 50 GB/s ring

# Ranks strided over the halves of the ring share its two cuts.
$ orrery show run llama-3-8b-8-h100 --set 'cluster.graph={"kind":"torus","sides":[8],"link":"50 GB/s"}' --json
! json tiers[*].tier = ["nvswitch-2", "nvswitch-4", "nvswitch", "infiniband"]

# The quads of a hybrid cube mesh: six links of 25 GB/s between them carry 2S of an all-to-all.
$ orrery collective all-to-all --node dgx-1-v100-32gb --gpus 8 --size 1GiB --csv | tail -1 | awk -F, '{print ($2 > 2 * 1073741824 / 150e9) ? "holds" : $2}'
> holds

# A cut between unequal blocks slows the tier, with a warning.
$ sed 's/"gpu3"\]/"gpu3", "gpu4"]/; s/"gpu4", "gpu5", "gpu6", "gpu7"/"gpu5", "gpu6", "gpu7"/' thin.json > uneven.json
$ orrery collective all-to-all --cluster uneven.json --size 1GiB --csv | tail -1 | awk -F, '{print ($2 >= 15 / 8 * 1073741824 / 10e9) ? "holds" : $2}'
! stderr a cut of 10 GB/s inside tier nvswitch
> holds

# A number folded from a graph says so.
$ orrery explain gpt3-175b-1024-a100 tp_exposed --set 'cluster.graph=dgx-a100' --depth 20 | grep -o 'cluster.tiers.bandwidth .0.  300 GB/s  ← .*' | sort -u
> cluster.tiers.bandwidth [0]  300 GB/s  ← dgx-a100-80gb: folded from `graph`

# A disconnected graph, a link without bandwidth, a group that does not fit: one line each.
$ orrery collective all-reduce --node dgx-h100 --gpus 8 --set 'cluster.graph={"vertices":[{"name":"g","kind":"gpu","count":8}],"links":[{"from":"g0","to":"g1","bandwidth":"1 GB/s"}]}'
! exit 2
! stderr no path from g0 to g2
