// SPDX-License-Identifier: Apache-2.0
//
// Published, measured runs and how far their prediction is off: web/published.json, made of
// `orrery validate` by scripts/accuracy-pages, a row for the runs of a source that are alike.
import type { Doc } from './engine';
import { at, words } from './run';

export interface Published {
  source: string;
  url: string;
  model: string;
  node: string;
  framework: string;
  stack: Doc; // framework, class, generation and mixture, by which the engine takes errors together
  gpus: [number, number];
  tier: string;
  errors: number[]; // predicted/measured - 1 of the step, in percent
}

type Row = [number, string, string, string, Doc, number, number, string, number[]];
export interface PublishedBlock { sources: [string, string][]; rows: Row[] }

export function readPublished(block: PublishedBlock): Published[] {
  return block.rows.map(([source, model, node, framework, stack, least, most, tier, errors]) => ({
    source: block.sources[source][0], url: block.sources[source][1], model, node, framework, stack, gpus: [least, most], tier, errors }));
}

export interface Alike { runs: Published[]; words: string }

// Runs of the same framework, or where there are none of the same class of software, on the same generation of devices,
// of dense models or mixtures of experts as this one; those of its own node first, then those of which there are most.
export function runsLike(all: Published[], answer: Doc): Alike {
  const stack = (at(answer, 'interval_80.kind') ?? {}) as Doc, node = at(answer.inputs, 'cluster.node');
  const same = (key: string) => (r: Published) => r.stack[key] === stack[key], own = (r: Published) => Number(r.node === node);
  const near = all.filter(same('generation')).filter(same('mixture'));
  const by = near.some(same('framework')) ? 'framework' : 'class';
  return {
    runs: near.filter(same(by)).sort((a, b) => own(b) - own(a) || b.errors.length - a.errors.length),
    words: `${words(stack[by])}${by === 'class' ? ' frameworks' : ''} on ${words(stack.generation)}, ${stack.mixture ? 'mixtures of experts' : 'dense models'}` };
}
