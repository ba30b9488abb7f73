# Every wrong input is refused with exit code 2 and one line; none aborts or takes a silent default.
$ python3 $ROOT/tests/cli/bad_inputs
> ... wrong inputs refused as they should be
