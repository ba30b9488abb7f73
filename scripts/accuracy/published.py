# SPDX-License-Identifier: Apache-2.0
"""web/published.json: how far the prediction of each published run is off, for the page (web/src/published.ts).

One row for the runs of a source that share model, node, framework and tier: [place of the source, model, node,
framework, stack as `validate` classes it, fewest GPUs, most GPUs, tier, errors of the step in percent]. Runs with
something assumed, and other rows' runs again, are left out.
"""

import json

import residuals


def name_of(model):
    return model if isinstance(model, str) else model.get("name") or model.get("model_type", "")


def published_block(rows, published):
    """`rows` of `orrery validate --json`; `published`: the rows of validation/runs by id."""
    sources, groups = {}, {}
    for r in rows:
        error = residuals.time_error(r)
        if error is None or not residuals.counts(r):
            continue
        source, run = published[r["id"]]["source"], published[r["id"]]["run"]
        sources.setdefault(r["source"], source.get("url") or source.get("where", ""))
        key = (r["source"], name_of(run["model"]), r["node"], r["framework"], json.dumps(r["kind"]), r["tier"])
        groups.setdefault(key, []).append((run["cluster"]["gpus"], round(100 * error)))
    names = list(sources)
    block = [[names.index(source), model, node, framework, json.loads(stack), min(gpus for gpus, _ in of),
              max(gpus for gpus, _ in of), tier, sorted(error for _, error in of)]  # sorted, they pack better
             for (source, model, node, framework, stack, tier), of in groups.items()]
    return {"sources": list(sources.items()), "rows": block}


def published_text(rows, published):
    block = published_block(rows, published)
    lines = [",\n".join(json.dumps(x, ensure_ascii=False) for x in block[part]) for part in ("sources", "rows")]
    return f'{{"sources": [\n{lines[0]}\n], "rows": [\n{lines[1]}\n]}}\n'
