# The curve nccl-tests prints. Numbers move with calibration; the shape of the page does not.
$ orrery collective all-reduce --node dgx-h100 --gpus 64 --size 1MiB..16GiB --step 128
> all-reduce over 64 ranks, 8 on each of 8 nodes dgx-h100
> size is the buffer every rank reduces; algbw = size / time; busbw and its factors as nccl-tests has
> them; GB/s of 10⁹ bytes
>
> ...size ... time  algbw, GB/s  busbw, GB/s  algorithm  tier
> ... 1 MiB ... us ... infiniband
> 128 MiB ... ms ... infiniband
>  16 GiB ... ms ... infiniband
>
> At 1 MiB ... would take ... times less; nccl does not choose it here.
$ orrery collective all-reduce --node dgx-h100 --gpus 64 --algorithm tree --csv | wc -l
> 16

# busbw is algbw times 2(n − 1)/n of an all-reduce, (n − 1)/n of gathers and all-to-all, once of the others.
$ for k in all-reduce all-gather reduce-scatter all-to-all broadcast reduce point-to-point; do orrery collective $k --node dgx-h100 --gpus 16 --size 64MiB --json; done
! json .[*].collective = ["all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast", "reduce", "point-to-point"]
! json 16 * .[*].points[*].busbw / .[*].points[*].algbw = [30, 15, 15, 15, 16, 16, 16] ± 5e-10
! json .[*].points[*].size_bytes / .[*].points[*].time_s / 1e9 / .[*].points[*].algbw = 1 ± 5e-10
! json keys(.[0]) = "collective points units inputs schema_version tool_version rests_on"
! json keys(.[0].points[0]) = "size_bytes time_s algbw busbw algorithm tier fastest_algorithm fastest_time_s"
! json keys(.[0].inputs) = "cluster ranks ranks_per_node nodes groups busiest_rank collective_library algorithm"
$ orrery collective all-gather --node dgx-h100 --gpus 64 --ranks-per-node 1 --groups 8 --size 64KiB,1GiB --csv | cut -d, -f1,5,6
> size_bytes,algorithm,tier
> 65536,pat,infiniband
> 1073741824,ring,infiniband

# A forced algorithm, a cluster from a file or standard input, and a change of a key.
$ orrery collective all-reduce --node dgx-h100 --gpus 64 --size 16GiB --algorithm tree --csv | cut -d, -f5
> algorithm
> tree
$ echo '{"node": "dgx-h100", "gpus": 64}' > cluster.json
$ orrery collective all-reduce --cluster cluster.json --csv > file.csv
$ orrery collective all-reduce --cluster - --csv < cluster.json | cmp - file.csv
$ orrery collective all-reduce --node dgx-h100 --gpus 64 --csv | cmp - file.csv
$ orrery collective all-reduce --node dgx-h100 --gpus 64 --set cluster.tiers.infiniband.bandwith=1GB/s
! exit 2
! stderr did you mean "bandwidth"

# A faster algorithm that the library lacks is named, and may be asked for.
$ orrery collective all-gather --node frontier-mi250x --gpus 2048 --size 64MiB | tail -1
> At 64 MiB recursive would take ... times less; rccl does not choose it here.
$ orrery collective all-gather --node frontier-mi250x --gpus 2048 --size 64MiB --set cluster.collective_library=any --csv | cut -d, -f5
> algorithm
> recursive

# One rank fills its own card; the busiest rank of an uneven all-to-all holds up the others.
$ orrery collective point-to-point --node dgx-h100 --gpus 16 --size 1GiB --csv | tail -1 | cut -d, -f3 | cut -c1-2
> 46
$ for f in 1 4; do orrery collective all-to-all --node dgx-h100 --gpus 8 --size 1GiB --busiest-rank $f --csv | tail -1 | cut -d, -f2 | cut -c1-5; done
> 0.002
> 0.010

# One rank sends nothing, and no bytes take no time.
$ orrery collective all-reduce --node dgx-h100 --gpus 1 --size 1MiB --csv | tail -1
> 1048576,0,0,0,none,nvswitch
$ orrery collective all-to-all --node dgx-h100 --gpus 64 --size 0 --csv | tail -1
> 0,0,0,0,none,nvswitch

# A lone rank on the last node has one card: 8/9 of a GiB at 46.9 GB/s.
$ orrery collective all-to-all --node dgx-h100 --gpus 9 --size 1GiB | sed -n 1p
> all-to-all over 9 ranks, 8 on 1 node and 1 on one more dgx-h100
$ orrery collective all-to-all --node dgx-h100 --gpus 9 --size 1GiB --csv | tail -1 | cut -d, -f2 | cut -c1-5
> 0.021

# The slowest pair counts: over PCIe it is inside the node, on one node as on two.
$ for n in 8 16; do orrery collective point-to-point --node h100-pcie --gpus $n --size 4MiB --csv | tail -1; done | uniq | wc -l
> 1
$ orrery collective all-to-all --node dgx-h100 --gpus 64 --size 1KiB --algorithm hierarchical --csv | tail -1 | cut -d, -f5
> hierarchical

# Refused: a text that is no number, and two formats at once.
$ orrery collective all-to-all --node dgx-h100 --gpus 64 --busiest-rank nan --size 1GiB
! exit 2
! stderr error: command line: --busiest-rank: found "nan"; allowed: a number
$ orrery collective all-to-all --node dgx-h100 --gpus 64 --busiest-rank inf --size 1GiB
! exit 2
! stderr error: command line: --busiest-rank: found "inf"; allowed: a number
$ orrery collective all-to-all --node dgx-h100 --gpus 64 --busiest-rank 0.5 --size 1GiB
! exit 2
! stderr error: command line: --busiest-rank: found 0.5; allowed: a number from 1 to 1000000
$ orrery collective all-reduce --node dgx-h100 --gpus 64 --json --csv
! exit 2
! stderr found --json and --csv; allowed: one of them

# Beside measurements: one curve by point, several a line each, and all together.
$ orrery collective --against $ROOT/validation/measurements/all-reduce-h200x8.json | sed -n '1p;/^ *size/p;/^error/p;$p'
> all-reduce over 8 ranks, 8 on one node hgx-h200
> ...size  measured  predicted...error  busbw, GB/s  predicted  algorithm  tier
> error = predicted/measured - 1: median of its size ... %, largest ... %, bias ... % over 20 points
> answer            as this network should, at 17.2 GB: ...
$ orrery collective --against $ROOT/validation/measurements/all-reduce-h100-plateaus.json $ROOT/validation/measurements/all-reduce-a100x8-vtrain.json | sed -n '1p;/^all /p'
> file ... collective  ranks  node ... points  median ... p90  largest ... bias
> all ... 15 ...
$ orrery collective --against $ROOT/validation/measurements/all-reduce-h100-plateaus.json --json
! json curves[*].ranks = [32, 256, 1024, 4096]
! json curves[0].role = "only tests"
! json error.points = 4
# What the constants are held to: of all points a median of 10 % and a p90 of 35 %, and of the curves that set none too.
$ orrery collective --against $ROOT/validation/measurements/all-*.json --json
! json len(curves) >= 32
! json error.median <= 0.1
! json error.p90 <= 0.35
$ orrery collective --against $(grep -l "only tests" $ROOT/validation/measurements/all-*.json) --json
! json curves[*].role = "only tests"
! json error.median <= 0.1
# Ranks that fill their racks in part, and an algorithm that the library was told to use.
$ orrery collective --against $ROOT/validation/measurements/all-reduce-gb200-partitions.json --json
! json curves[*].ranks = [12, 24]
! json curves[*].cluster.gpus = [216, 216]
! json curves[*].points[0].algorithm = ["ring", "ring"]
$ orrery collective --against $ROOT/validation/measurements/all-reduce-gb200-partitions.json --algorithm tree
! exit 2
! stderr all-reduce-gb200-partitions.json: algorithm: found ring; allowed: tree, as asked
$ printf 'collective,ranks,bytes,us,algorithm\nall_reduce,16,1073741824,4000,pat\n' > pat.csv
$ orrery collective --against pat.csv --node dgx-h100
! exit 2
! stderr pat.csv: algorithm: found "pat" for all-reduce on these links; allowed:
$ printf 'collective,ranks,bytes,us,nodes\nall_reduce,32,1073741824,4000,2\n' > crowded.csv
$ orrery collective --against crowded.csv --node dgx-h100
! exit 2
! stderr crowded.csv: nodes: found 16; allowed: at most the 8 GPUs of a node
$ printf 'collective,ranks,bytes,us,nodes\nall_reduce,16,1073741824,4000,3\n' > uneven.csv
$ orrery collective --against uneven.csv --node dgx-h100
! exit 2
! stderr nodes: found 3; allowed: a divisor of the ranks
$ printf 'collective,ranks,bytes,us\nall_gather,16,1073741824,4000\n' > own.csv
$ orrery collective --against own.csv
! exit 2
! stderr own.csv: found no node it was measured on; allowed: --node NAME beside it
$ orrery collective all-gather --against own.csv --node dgx-h100 --csv | cut -d, -f1-5
> file,collective,ranks,size_bytes,measured_s
> own.csv,all-gather,16,1073741824,0.004
$ orrery collective all-reduce --against own.csv --node dgx-h100
! exit 2
! stderr own.csv: found all-gather; allowed: all-reduce, as asked
$ orrery collective --against own.csv --node dgx-h100 --gpus 8
! exit 2
! stderr --gpus: found it beside --against
# 16 GiB at a busbw of 375 GB/s over 16 ranks: 2·15/16 of it in 85.9 ms.
$ printf 'collective,ranks,bytes,busbw\nall_reduce,16,17179869184,375\n' > bus.csv
$ orrery collective --against bus.csv --node dgx-h100 --csv | tail -1 | cut -d, -f5 | cut -c1-8
> 0.085899

# Ranks lie on the hosts that nccl-tests names, and have the node's GPU.
$ for i in 0 1; do echo "#  Rank  $i Group  0 Pid 7 on host$i device  0 [0000:07:00] NVIDIA H100 80GB HBM3"; done > hosts.txt
$ echo "# size count type redop root time algbw busbw #wrong" >> hosts.txt; echo "134217728 33554432 float sum -1 3000 44.74 44.74 0" >> hosts.txt
$ orrery collective all-reduce --against hosts.txt --node dgx-h100 --json
! json curves[0].ranks = 2
! json curves[0].cluster.gpus = 16
! json curves[0].points[0].tier = "infiniband"
$ orrery calibrate fit hosts.txt --collective all-reduce --node dgx-h100
! exit 2
! stderr hosts.txt: collectives: found all-reduce over 2; allowed: ranks that fill their nodes in order
$ orrery collective all-reduce --against hosts.txt --node gb200-nvl72
! exit 2
! stderr hosts.txt: GPU: found times of NVIDIA H100 80GB HBM3; allowed: those of gb200
$ sed 's/NVIDIA.*HBM3/GPU/; s/host1 device  0/host0 device  1/' hosts.txt > one.txt; orrery collective all-reduce --against one.txt --node dgx-h100 --json
! json curves[0].cluster.gpus = 2
! json curves[0].points[0].tier = "nvswitch"

# Output that is cut says no nodes: the asker may.
$ printf 'collective,ranks,bytes,us\nall_reduce,2,1073741824,24000\n' > apart.csv; orrery collective --against apart.csv --node dgx-h100 --ranks-per-node 1 > apart.txt; grep -c '1 on each of 2 nodes' apart.txt
> 1
$ printf 'collective,ranks,bytes,us,nodes\nall_reduce,16,1073741824,4000,2\n' > said.csv; orrery collective --against said.csv --node dgx-h100 --ranks-per-node 4
! exit 2
! stderr /found 8 ranks a node; allowed: --ranks-per-node of the file's own, or none/

# A network at half its rate is judged so.
$ printf 'collective,ranks,bytes,busbw\nall_reduce,16,17179869184,180\n' > half.csv
$ orrery collective --against half.csv --node dgx-h100 | grep -E '^(answer|check)'
> answer            slower than this network by 2... times at 17.2 GB: 180 GB/s of bus bandwidth, ...
> check ...
