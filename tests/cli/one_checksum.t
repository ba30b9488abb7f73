# However a sweep or a search is run, killed or stopped: one checksum each.
$ python3 $ROOT/tests/cli/one_checksum
! exit 124
! stderr no end after 120 s
