# SPDX-License-Identifier: Apache-2.0
"""Where the error sits, by what the step is spent on: matrix products, attention, memory-bound kernels, links,
latencies, launches.

A row's share of each is the elasticity of its step, so that bubbles and what is hidden are in it. One robust
least-squares fit over all rows asks by what factor each kind of work would have to be priced differently, everywhere
alike, with one free level a source and a weak prior on each factor: what is near 1 is priced right against the rest.
Nothing is changed by it. Leaves out that a share moves where a factor is far from 1.
"""

import math

from residuals import counts, time_error
from tables import median, p90, quantile, share, signed_share

# Key of the elasticity, name, and the sign of the elasticity where more work makes the step longer. All rows are mostly
# the first, so that its price and the level of a source cannot be told apart: the others are held against it.
WORK = [("gemm_efficiency", "matrix products", -1), ("attention_efficiency", "attention", -1),
        ("memory_bandwidth", "memory-bound kernels", -1), ("node_bandwidth", "links inside a node", -1),
        ("fabric_bandwidth", "links between nodes", -1), ("network_latency", "latency of the network", 1),
        ("kernel_launch", "launches of kernels", 1)]

PRIOR_SPREAD = 0.5  # of a factor's logarithm
ROW_NOISE = 0.05    # of a row's logarithm: runs measured again differ so
TENTH = 0.1


class Rows:
    """Shares, error and source of every row; unknowns are the factors of WORK[1:], then a level a source."""

    def __init__(self, rows, tier):
        judged = [r for r in rows if time_error(r) is not None and counts(r) and r["tier"] == tier]
        sources = list(dict.fromkeys(r["source"] for r in judged))
        self.shares = [[sign * r["elasticity"].get(key, 0) for key, _, sign in WORK] for r in judged]
        self.errors = [math.log(1 + time_error(r)) for r in judged]
        self.levels = [sources.index(r["source"]) for r in judged]
        self.knobs = len(WORK) - 1
        self.unknowns = self.knobs + len(sources)
        # Rows of the matrix of slopes, sparse, in standard deviations of a row.
        self.slopes = [[(k, -s[k + 1] * PRIOR_SPREAD / ROW_NOISE) for k in range(self.knobs)] +
                       [(self.knobs + level, 1 / ROW_NOISE)] for s, level in zip(self.shares, self.levels)]

    def residuals(self, x):
        return [e / ROW_NOISE + sum(slope * x[k] for k, slope in row) for e, row in zip(self.errors, self.slopes)]

    def cost(self, x):
        """Soft L1 of the residuals, and a prior of one standard deviation on every unknown."""
        return sum(2 * (math.sqrt(1 + r * r) - 1) for r in self.residuals(x)) + sum(v * v for v in x)

    def normal(self, x):
        """The Gauss–Newton matrix and the gradient, halved."""
        n = self.unknowns
        h = [[float(i == j) for j in range(n)] for i in range(n)]
        g = list(x)
        for r, row in zip(self.residuals(x), self.slopes):
            weight = 1 / math.sqrt(1 + r * r)
            for i, a in row:
                g[i] += weight * a * r
                for j, b in row:
                    h[i][j] += weight * a * b
        return h, g

    def left_over(self, x):
        """Errors of form with the factors taken out: every source has its median."""
        left = [e - sum(s[k + 1] * PRIOR_SPREAD * x[k] for k in range(self.knobs))
                for e, s in zip(self.errors, self.shares)]
        middles = {level: quantile([e for e, l in zip(left, self.levels) if l == level], 0.5)
                   for level in set(self.levels)}
        return [math.expm1(e - middles[level]) for e, level in zip(left, self.levels)]


def solve(matrix, right):
    """Gaussian elimination of a positive definite matrix; `right` is a list of columns' rows."""
    a = [row[:] + r[:] for row, r in zip(matrix, right)]
    n = len(a)
    for i in range(n):
        for j in range(i + 1, n):
            factor = a[j][i] / a[i][i]
            if factor:
                a[j] = [y - factor * x for x, y in zip(a[i], a[j])]
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            a[i] = [y - a[i][j] * x if k >= n else y for k, (x, y) in enumerate(zip(a[j], a[i]))]
        a[i] = [y / a[i][i] if k >= n else y for k, y in enumerate(a[i])]
    return [row[n:] for row in a]


def fit(rows):
    """Gauss–Newton with damping; the unknowns and their standard deviations."""
    x, damping = [0.0] * rows.unknowns, 1e-3
    for _ in range(100):
        h, g = rows.normal(x)
        damped = [[v * (1 + damping) if i == j else v for j, v in enumerate(row)] for i, row in enumerate(h)]
        step = [v[0] for v in solve(damped, [[-v] for v in g])]
        further = [a + b for a, b in zip(x, step)]
        gain = rows.cost(x) - rows.cost(further)
        if gain <= 0:
            damping *= 8
            if damping > 1e9:
                break
            continue
        x, damping = further, max(damping / 8, 1e-9)
        if gain < 1e-9 * (1 + rows.cost(x)):
            break
    h, _ = rows.normal(x)
    unit = [[float(i == j) for j in range(rows.unknowns)] for i in range(rows.unknowns)]
    covariance = solve(h, unit)
    return x, [math.sqrt(covariance[k][k]) for k in range(rows.unknowns)]


def work_table(validated, tier):
    """The table, its first row the heading, and a sentence: what the error would be with all factors."""
    table = [["work", "share of the step", "rows with a tenth", "priced too long by", "±"]]
    rows = Rows(validated, tier)
    if not rows.errors:
        return table, ""
    x, spread = fit(rows)
    for k, (_, name, _) in enumerate(WORK):
        shares = [s[k] for s in rows.shares]
        factor = math.exp(PRIOR_SPREAD * x[k - 1])
        priced = ["the yardstick", ""]
        if k > 0:
            priced = [signed_share(factor - 1), share(factor * PRIOR_SPREAD * spread[k - 1])]
        table.append([name, share(quantile(shares, 0.5)), str(sum(s >= TENTH for s in shares)), *priced])
    before, after = rows.left_over([0.0] * rows.knobs), rows.left_over(x)
    return table, (f"With all of these factors the error of form would fall from {share(median(before))} (p90 "
                   f"{share(p90(before))}) to {share(median(after))} ({share(p90(after))}) on the very rows they are "
                   "fitted on: what is left beyond that is no kind of work's price.")
