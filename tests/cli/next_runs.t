# Each command that an answer says to type next is typed, and answered.
$ python3 $ROOT/tests/cli/next_runs
> every next runs
