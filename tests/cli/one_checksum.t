# However a sweep or a search is run, killed or stopped: one checksum each.
$ python3 $ROOT/tests/cli/one_checksum
> 1 thread same
> 2 threads same
> 4 shards, merged same
> killed 5 times, resumed same
> disk full, resumed same
> database, killed 5 times same
> search, 1 thread same
> search, 2 threads same
> one checksum
