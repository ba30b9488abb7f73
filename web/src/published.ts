// SPDX-License-Identifier: Apache-2.0
//
// Published, measured runs and how far their prediction is off: scripts/page puts them into the page
// as a data block, one row for the runs of a source that share model, node and framework.
import type { Doc } from './engine';
import { at, isDoc, words } from './run';

export interface Published {
  source: string;
  url: string;
  model: string;
  node: string;
  device: string;
  framework: string;
  gpus: [number, number];
  experts: boolean;
  tier: string;
  errors: number[]; // predicted/measured - 1 of the step, in percent
}

type Row = [number, string, string, string, string, number, number, number, string, number[]];
export interface PublishedBlock { sources: [string, string][]; rows: Row[] }

export function readPublished(block: PublishedBlock): Published[] {
  return block.rows.map(([source, model, node, device, framework, least, most, experts, tier, errors]) => ({
    source: block.sources[source][0], url: block.sources[source][1], model, node, device, framework, gpus: [least, most], experts: experts === 1, tier, errors }));
}

// The nearest first: the same device and framework say most of how far a prediction is off.
export function runsLike(all: Published[], answer: Doc, most = 10): Published[] {
  const inputs = answer.inputs;
  const node = words(at(inputs, 'cluster.node')), framework = words(at(inputs, 'framework')), gpus = Number(at(inputs, 'cluster.gpus') ?? 1);
  const device = all.find(r => r.node === node)?.device ?? '';
  const model = at(inputs, 'model');
  const experts = isDoc(model) && Number(model.num_local_experts ?? 0) > 1;
  const score = (r: Published) => (r.node === node ? 3 : r.device === device && device ? 2 : 0) + (r.framework === framework ? 3 : 0) +
    (r.experts === experts ? 2 : 0) + (gpus >= r.gpus[0] / 4 && gpus <= r.gpus[1] * 4 ? 1 : 0) + (r.tier === 'A' ? 0.5 : 0);
  return all.map(r => ({ r, s: score(r) })).filter(x => x.s >= 4.5).sort((a, b) => b.s - a.s || b.r.errors.length - a.r.errors.length)
    .slice(0, most).map(x => x.r);
}
