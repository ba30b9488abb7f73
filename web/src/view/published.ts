// SPDX-License-Identifier: Apache-2.0
//
// Published runs like this one: the errors of their predictions as dots on a line, beside the
// interval of this prediction.
import { App } from '../app';
import { Tree, h } from '../dom';
import type { Doc } from '../engine';
import { Published, runsLike } from '../published';
import { at, words } from '../run';
import { digits } from '../format';
import { table } from './answer';

export function publishedView(app: App, answer: Doc): Tree {
  const { runs: all, words: alike } = runsLike(app.published, answer), rows = all.slice(0, SHOWN);
  if (rows.length === 0) return h('p', { class: 'dim' }, `No published run is like this one: ${alike}.`);
  const errors = all.flatMap(r => r.errors).sort((a, b) => Math.abs(a) - Math.abs(b));
  const median = Math.abs(errors[Math.floor(errors.length / 2)]);
  return h('div', null,
    dots(rows, answer, `${digits(errors.length, 9)} published runs like this one: half of the predictions are within ${digits(median, 2)} % of what was measured`),
    table(['model', 'node', 'GPUs', 'framework', 'runs', 'error', 'source'], rows.map(r => [
      r.model, r.node, r.gpus[0] === r.gpus[1] ? digits(r.gpus[0], 9) : `${r.gpus[0]} to ${r.gpus[1]}`, r.framework, r.errors.length, spread(r.errors),
      h('span', { title: r.url }, `${r.source}, tier ${r.tier}`)]), 4, 5),
    h('p', { class: 'dim' }, `Like this one: ${alike}.`, rows.length < all.length && ` Shown are ${rows.length} of ${all.length} groups: those of this node, then the largest.`),
    h('p', { class: 'dim' }, 'Predicted over measured, by the constants as shipped, which were fitted on some of these very runs. The interval above rests on sources left out: ',
      words(at(answer, 'interval_80.rests_on.words')), '.'));
}

const SHOWN = 12;

const signed = (x: number): string => `${x > 0 ? '+' : x < 0 ? '−' : ''}${digits(Math.abs(x), 2)}`;

function spread(errors: number[]): string {
  const sorted = [...errors].sort((a, b) => a - b), low = sorted[0], high = sorted[sorted.length - 1];
  return low === high ? `${signed(low)} %` : `${signed(low)} to ${signed(high)} %`;
}

const MOST = 60; // percent, on either side

function dots(rows: Published[], answer: Doc, title: string): Tree {
  const wide = 760, row = 18, left = 190, right = wide - 14, high = rows.length * row + 34;
  const x = (e: number) => left + ((Math.max(-MOST, Math.min(MOST, e)) + MOST) / (2 * MOST)) * (right - left);
  const [low, top] = (at(answer, 'interval_80.step_time_s') ?? [NaN, NaN]) as number[], step = Number(answer.step_time_s);
  // The interval is of the measured value: an error of +25 % is a measured one of 1/1.25.
  const band = [step / top - 1, step / low - 1].map(v => v * 100);
  return h('figure', null, h('figcaption', null, title),
    h('svg', { viewBox: `0 0 ${wide} ${high}`, role: 'img', class: 'plot', 'aria-label': `${title}. Errors: ${rows.map(r => `${r.model} ${spread(r.errors)}`).join('; ')}` },
      Number.isFinite(band[0]) ? h('rect', { x: x(band[0]), y: 2, width: Math.max(0, x(band[1]) - x(band[0])), height: rows.length * row + 4, class: 'shade4' },
        h('title', null, 'the 80 % interval of this prediction')) : null,
      [-50, -25, 0, 25, 50].map(t => [
        h('line', { x1: x(t), x2: x(t), y1: 2, y2: rows.length * row + 6, class: t === 0 ? 'axis' : 'grid' }),
        h('text', { x: x(t), y: high - 12, 'text-anchor': 'middle', class: 'dim' }, `${signed(t)} %`)]),
      rows.map((r, i) => [
        h('text', { x: left - 8, y: i * row + 15, 'text-anchor': 'end' }, r.model.length > 28 ? `${r.model.slice(0, 27)}…` : r.model),
        r.errors.map(e => h('circle', { cx: x(e), cy: i * row + 11, r: 3.4, class: 'chosen seen' }, h('title', null, `${r.model}, ${r.framework}: ${signed(e)} %`)))])));
}
