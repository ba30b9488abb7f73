# The Kubernetes example of docs/sweep.md makes the rows of one process.
$ python3 $ROOT/tests/cli/indexed_job
> 64 pods, 96 rows: the same
