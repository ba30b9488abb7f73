// SPDX-License-Identifier: Apache-2.0
//
// The two charts that the page draws itself, because they move with a slider: a stacked bar and lines.
import { Tree, h } from './dom';
import { digits } from './format';

// Colours by the key in the answer, each with one meaning in both bars (chart.css; from 10 on page.css): the model's
// weights and work, gradients and their reduction, the optimizer, recompute. Three greys differ; what has
// no colour has the middle one.
const COLOURS: Record<string, number> = {
  weights_gib: 0, secondary_weights_gib: 0, gradients_gib: 1, optimizer_gib: 2, optimizer_working_gib: 2, activations_gib: 10,
  recompute_working_gib: 4, logits_gib: 11, transient_gib: 12, gathered_weights_gib: 13, buckets_gib: 1,
  fragmentation_gib: 14, context_gib: 15,
  compute: 0, recompute: 4, tp_exposed: 3, cp_exposed: 5, ep_exposed: 7, pp_exposed: 6, dp_exposed: 1, optimizer: 2,
  offload_exposed: 9, host_exposed: 9,
  pp_bubble: 14, other: 15,
  generate: 0, reward: 5, old_log_probs: 4, reference: 7, values: 9, update: 1, handover: 3, sleep: 6, wake: 6,
  engine: 0, learner: 1, logits: 11 };

export const colourOf = (key: string): number => COLOURS[key] ?? 8;

export interface Part { name: string; colour: number; value: number; metric?: string }

interface Bar {
  parts: Part[];
  most: number;
  total: number;
  unit: string;
  limit?: number;
  whisker?: [number, number] | number[];
  low?: boolean; // in a row of a table
}

export function stacked({ parts, most, total, unit, limit, whisker, low }: Bar): Tree {
  const wide = 1000, high = low ? 18 : 44, x = (v: number) => (v / most) * wide;
  let from = 0;
  const at = low ? high / 2 : 39, half = low ? 3 : 4;
  const said = parts.map(p => `${p.name} ${digits(p.value)}`).join(', ');
  return h('svg', { viewBox: `0 0 ${wide} ${high}`, class: low ? 'stack low' : 'stack', preserveAspectRatio: 'none', role: 'img',
    'aria-label': `${digits(total)} ${unit}: ${said}` },
    parts.map(p => {
      const begin = from;
      from += p.value;
      return h('rect', { x: x(begin), y: low ? 2 : 6, width: Math.max(0, x(p.value)), height: low ? 14 : 28, class: `fill${p.colour}` },
        h('title', null, `${p.name} ${digits(p.value)} ${unit}`));
    }),
    whisker && Number.isFinite(whisker[0]) ? [
      h('line', { x1: x(whisker[0]), x2: x(whisker[1]), y1: at, y2: at, class: 'axis whisker' }),
      whisker.map(v => h('line', { x1: x(v), x2: x(v), y1: at - half, y2: at + half, class: 'axis whisker' }))] : null,
    limit ? h('line', { x1: x(limit), x2: x(limit), y1: 0, y2: low ? high : 36, class: 'limit' }, h('title', null, `limit ${digits(limit)} ${unit}`)) : null);
}

// A point with a mark is hollow: it does not fit.
export interface Line { name: string; points: [number, number, boolean?][] }

function ticks(low: number, high: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / 5, ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(k => k * ten).find(k => k >= rough) ?? ten;
  const out: number[] = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-9; v += step) out.push(Number(v.toPrecision(12)));
  return out;
}

// Positions of `names` stand evenly; a point without a number leaves a gap.
export function lines(names: string[], series: Line[], title: string, axes: [string, string], of: (y: number) => string): Tree {
  const wide = 760, high = 300, left = 74, right = wide - 12, top = 14, bottom = high - 40;
  const ys = series.flatMap(s => s.points.map(p => p[1])).filter(Number.isFinite);
  const most = Math.max(...ys, 0), y = (v: number) => bottom - (v / (most || 1)) * (bottom - top);
  const x = (i: number) => left + (names.length > 1 ? (i / (names.length - 1)) * (right - left - 20) + 10 : (right - left) / 2);
  const every = Math.ceil(names.length / 12);
  return h('figure', null, h('figcaption', null, title),
    h('svg', { viewBox: `0 0 ${wide} ${high}`, role: 'img', 'aria-label': title, class: 'plot' },
      ticks(0, most).map(t => [
        h('line', { x1: left, x2: right, y1: y(t), y2: y(t), class: 'grid' }),
        h('text', { x: left - 6, y: y(t) + 4, 'text-anchor': 'end', class: 'dim' }, of(t))]),
      names.map((n, i) => i % every === 0 && h('text', { x: x(i), y: bottom + 16, 'text-anchor': 'middle', class: 'dim' }, n)),
      h('text', { x: right, y: high - 6, 'text-anchor': 'end' }, axes[0]),
      series.map((s, k) => [
        h('polyline', { points: s.points.map(([i, v]) => `${x(i)},${y(v)}`).join(' '), class: `curve ink${k % 10}` }),
        s.points.map(([i, v, hollow]) => h('circle', { cx: x(i), cy: y(v), r: hollow ? 4 : 3.5, class: hollow ? `hollow ink${k % 10}` : `fill${k % 10}` },
          h('title', null, `${s.name} ${names[i]}: ${of(v)}`)))])),
    series.length > 1 ? h('ul', { class: 'legend' }, series.map((s, k) => h('li', null, h('i', { class: `back${k % 10}` }), s.name))) : null);
}
