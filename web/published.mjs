// SPDX-License-Identifier: Apache-2.0
//
// How far the prediction of each published run is off, asked of the engine of the page itself: rows
// for web/src/published.ts. A row is judged by its step, else by its tokens a second.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export function publishedRuns(engine, root) {
  const sources = new Map(), groups = new Map();
  const devices = new Map(JSON.parse(engine.call('list', JSON.stringify({ what: 'nodes' })).text).map(n => [n.name, n.device]));
  const folder = join(root, 'validation/runs');
  for (const file of readdirSync(folder).sort()) {
    for (const row of JSON.parse(readFileSync(join(folder, file), 'utf8'))) {
      const error = errorOf(engine, row);
      if (error === null) continue;
      const name = file.replace(/\.json$/, ''), { model, cluster, framework } = row.run;
      if (!sources.has(name)) sources.set(name, row.source.url ?? row.source.where ?? '');
      const node = typeof cluster.node === 'string' ? cluster.node : 'its own';
      const of = typeof model === 'string' ? model : model.name ?? model.model_type ?? '';
      const experts = typeof model === 'object' ? (model.num_local_experts ?? 0) > 1 : /moe|mixtral|deepseek-v/i.test(model);
      const key = [name, of, node, framework ?? 'generic', row.tier, experts].join('\n');
      const group = groups.get(key) ?? [[...sources.keys()].indexOf(name), of, node, devices.get(node) ?? '', framework ?? 'generic', Infinity, 0, experts ? 1 : 0, row.tier, []];
      group[5] = Math.min(group[5], cluster.gpus);
      group[6] = Math.max(group[6], cluster.gpus);
      group[9].push(error);
      groups.set(key, group);
    }
  }
  for (const group of groups.values()) group[9].sort((a, b) => a - b); // they pack better
  return { sources: [...sources], rows: [...groups.values()] };
}

// In percent; null where nothing of time was measured, or the run is refused.
function errorOf(engine, { run, measured }) {
  if (!measured.step_time_s && !measured.tokens_per_s_per_gpu) return null;
  const answer = engine.call('estimate', JSON.stringify({ run }));
  if (answer.code !== 0 && answer.code !== 3) return null;
  const predicted = JSON.parse(answer.text);
  const ratio = measured.step_time_s ? predicted.step_time_s / measured.step_time_s : measured.tokens_per_s_per_gpu / predicted.tokens_per_s_per_gpu;
  return Math.round((ratio - 1) * 100);
}
