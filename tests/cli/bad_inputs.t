# Every wrong input is refused with exit code 2 and one line; none aborts or takes a silent default.
$ python3 $ROOT/tests/cli/bad_inputs
> a directory: says: error: .: found no such run; allowed: a file, - or a name of `orrery list runs`
> 239 of 240 wrong inputs refused as they should be
! exit 1
