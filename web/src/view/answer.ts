// SPDX-License-Identifier: Apache-2.0
//
// The answer: one large line, two bars, the limit, what would help, and folds with the rest. Every
// number is a button that opens its formula.
import { App, TOKENS } from '../app';
import { Part, colourOf, stacked } from '../chart';
import { Child, Tree, h } from '../dom';
import type { Doc, Json } from '../engine';
import { change, days, digits, gib, money, percent, riskMark, seconds, si, verdict } from '../format';
import { at, isDoc, words } from '../run';
import { topologyView, trafficView } from './look';
import { diagnosisView } from './diagnosis';
import { openControl } from './form';
import { progress } from './parts';
import { publishedView } from './published';
import { rlAnswer, rlHeadline } from './rl';

export function answerView(app: App): Tree {
  const { answer, wrong, run, of, asking, diagnosis } = app.state;
  const stale = wrong !== undefined || run !== of;
  return h('section', { class: 'answer', tabindex: -1, 'aria-label': 'The answer', 'aria-busy': run !== of && !wrong && asking.length === 0 ? 'true' : undefined },
    diagnosis ? diagnosisView(app, diagnosis) : null,
    h('div', { role: 'alert', key: 'alert' }, wrong && asking.length === 0 ? [h('p', { class: 'error' }, wrong.error), neighbours(app)] : null),
    app.state.notes.map(n => h('p', { class: 'note', key: n }, n)),
    asking.length > 0 ? askingView(app) : answer && h('div', { key: 'answer', class: stale ? 'stale' : '' },
      isDoc(answer.rl) ? rlHeadline(app, answer) : headline(app, answer)));
}

// The rest of the answer: bars, the limit, advice, folds.
export function wholeAnswer(app: App): Child {
  const { answer, wrong, run, of } = app.state;
  if (!answer) return null;
  return h('div', { class: wrong !== undefined || run !== of ? 'answer stale' : 'answer' },
    isDoc(answer.rl) ? rlAnswer(app, answer) : [memoryBar(app, answer), timeBar(app, answer), judgement(app, answer), folds(app, answer)]);
}

// The bars alone, to be taken away.
export function bars(app: App): Child {
  const { answer } = app.state;
  return !answer || isDoc(answer.rl) ? null : [memoryBar(app, answer), timeBar(app, answer)];
}

// Controls of the keys that a pasted text leaves open.
function askingView(app: App): Tree {
  const { asking, run } = app.state;
  const work = app.state.works.limits;
  return h('div', { class: 'asking', key: 'asking', role: 'group', 'aria-label': 'still open' },
    h('h2', null, asking.length === 1 ? 'One thing is still open' : `${asking.length} things are still open`),
    h('p', { class: 'dim' }, 'Nothing is taken from the example in their place.'),
    asking.map(path => openControl(app, path)),
    asking.join() !== 'cluster.gpus' ? null
      : work?.engine ? h('div', { class: 'go' }, h('button', { type: 'button', onclick: () => app.stop('limits') }, 'stop'), progress(work, 'runs'))
        : h('button', { type: 'button', onclick: () => void app.takeFewest() }, `the fewest GPUs of ${words(at(run, 'cluster.node'))} that fit`));
}

// Values near a refused one that are answered.
function neighbours(app: App): Child {
  const { last, legal } = app.state;
  if (!last || legal.length === 0) return null;
  return h('p', { class: 'go' }, `${app.tables.keys.get(last)?.flag || last}: `,
    legal.map(v => h('button', { type: 'button', class: 'use', 'aria-label': `use ${last} ${v}`, onclick: () => void app.setKey(last, v) }, String(v))));
}

// A number that opens its formula.
export function alive(app: App, metric: string, ...shown: Child[]): Tree {
  const meaning = app.tables.metrics.get(metric)?.meaning ?? metric;
  return h('button', { type: 'button', class: `number${app.state.metric === metric ? ' chosen' : ''}`,
    title: `${meaning}: how it comes about`, 'aria-haspopup': 'tree', onclick: () => void app.explain(metric) }, shown);
}

const num = (doc: Doc, path: string): number => Number(at(doc, path) ?? NaN);
const interval = (a: Doc, metric: string): number[] => (at(a, `interval_80.${metric}`) ?? [NaN, NaN]) as number[];

function range(low: number, high: number, of: (x: number) => string): string {
  return ` (${of(low)} to ${of(high)})`;
}

function headline(app: App, a: Doc): Tree {
  const [low, high] = interval(a, 'step_time_s');
  const step = num(a, 'step_time_s'), p = num(a, 'memory.fit_probability');
  const fit = words(at(a, 'memory.fit'));
  const ranged = (metric: string, of: (x: number) => string) => {
    const [low, high] = interval(a, metric);
    return [alive(app, metric, of(num(a, metric))), low ? h('small', null, range(low, high, of)) : null];
  };
  return h('div', { class: 'headline' },
    h('p', { class: 'large' },
      h('span', { class: `risk ${riskMark(fit)}` }, verdict(fit, p)), ' · ',
      alive(app, 'step_time_s', seconds(step)), ' a step', low ? h('small', null, range(low, high, seconds)) : null, ' · ',
      ranged('mfu', percent), ' MFU'),
    h('p', { class: 'second' }, ranged('tokens_per_s', x => si(x * DAY, '')), ' tokens a day · ', cost(app, a)),
    ((a.reasons ?? []) as Json[]).map(r => h('p', { class: 'error' }, words(r))),
    ((a.warnings ?? []) as Json[]).map(w => h('p', { class: 'warning' }, words(w))),
    h('p', { class: 'dim' }, words(at(a, 'interval_80.rests_on.words'))),
    ((a.open ?? []) as Doc[]).map(k => h('p', { class: 'dim' }, openWords(k))));
}

// "parallel.recompute is open: none taken, megatron-core's default; full (32 %): +21 % time, −38 % memory"
function openWords(key: Doc): string {
  const others = ((key.alternatives ?? []) as Doc[]).filter(o => num(o, 'weight') >= 0.01).map(o =>
    `; ${words(o.value)} (${percent(num(o, 'weight'))}): ${change(num(o, 'step_time_change'))} time, ${change(num(o, 'memory_change'))} memory`);
  return `${words(key.path)} is open: ${words(key.taken)} taken, ${words(key.why)}${others.join('')}`;
}

const DAY = 86400; // seconds

function cost(app: App, a: Doc): Child {
  const { cost } = app.state, training = a.training;
  const total = Number(at(cost, 'cost.total') ?? NaN), [from, to] = (at(cost, 'cost.range') ?? []) as number[];
  const price = Number.isFinite(total) && [', ', h('b', null, money(total, 'USD')),
    h('small', null, range(from, to, x => money(x, 'USD'))), ` to ${words(at(cost, 'cost.payment'))} it`];
  if (isDoc(training)) {
    const [low, high] = training.time_s_80 as number[];
    return [`${si(num(training, 'tokens'), '')} tokens: `, h('b', null, seconds(num(training, 'time_s'))), h('small', null, range(low, high, seconds)), ' without interruptions', price];
  }
  // No division of our own: the days are those of `capacity`.
  const [low, middle, high] = (at(cost, 'time.days') ?? []) as number[];
  if (!Number.isFinite(middle)) return h('span', { class: 'dim' }, `for ${si(TOKENS, '')} tokens …`);
  return [`${si(TOKENS, '')} tokens (no number is set): `, h('b', null, days(middle)), h('small', null, range(low, high, days)), price];
}

// The parts of a sum by its keys in the answer, named as the engine's metrics under `path`.
function partsOf(app: App, sum: Json | undefined, path: string): Part[] {
  return Object.entries(isDoc(sum) ? sum : {}).map(([key, value]): Part => {
    const metric = `${path}.${key}`;
    return { name: app.tables.label(metric), colour: colourOf(key), value: Number(value), metric };
  }).filter(p => p.value > 0);
}

function memoryBar(app: App, a: Doc): Tree {
  const [low, high] = (at(a, 'memory.peak_gib_80') ?? [NaN, NaN]) as number[];
  const parts = partsOf(app, at(a, 'memory.lines'), 'memory.lines');
  const peak = num(a, 'memory.peak_gib'), capacity = num(a, 'memory.capacity_gib');
  return h('figure', null,
    h('figcaption', null, 'Memory of the fullest GPU: ', alive(app, 'memory.peak_gib', gib(peak)),
      h('small', null, range(low, high, gib)), ` of ${gib(capacity)}, stage ${words(at(a, 'memory.stage'))}`,
      at(a, 'memory.filled_by_cached_blocks') === true
        ? `: cached blocks fill the device, which the allocator gives back; ${gib(num(a, 'memory.needed_gib'))} needed` : ''),
    stacked({ parts, most: Math.max(capacity, peak, high || 0) * 1.03, limit: capacity, whisker: [low, high], total: peak, unit: 'GiB' }),
    legend(app, parts, gib));
}

function timeBar(app: App, a: Doc): Tree {
  const [low, high] = interval(a, 'step_time_s');
  const step = num(a, 'step_time_s');
  const parts = partsOf(app, a.breakdown_s, 'breakdown_s');
  return h('figure', null,
    h('figcaption', null, `The step of the busiest stage, ${words(a.busy_stage)}: ${seconds(step)}`),
    stacked({ parts, most: Math.max(step, high || 0) * 1.03, whisker: [low, high], total: step, unit: 's' }),
    legend(app, parts, seconds));
}

function legend(app: App, parts: Part[], of: (x: number) => string): Tree {
  const total = parts.reduce((sum, p) => sum + p.value, 0);
  return h('ul', { class: 'legend' }, parts.filter(p => p.value > total / 1000).map(p => h('li', { key: p.name },
    h('i', { class: `back${p.colour}` }), `${p.name} `,
    p.metric && app.tables.metrics.has(p.metric) ? alive(app, p.metric, of(p.value)) : of(p.value),
    h('small', null, ` ${percent(p.value / total)}`))));
}

function judgement(app: App, a: Doc): Tree {
  const advice = (a.advice ?? []) as Doc[];
  const step = num(a, 'step_time_s');
  return h('div', { class: 'judgement' },
    a.limiter ? h('p', null, h('b', null, 'Limit '), words(a.limiter)) : null,
    advice.length ? h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'advice' }, h('table', { class: 'advice' },
      h('caption', null, a.feasible !== false ? 'Faster by one change' : advice[0]!.feasible === true ? 'It would fit by one change' : 'Nearer'),
      h('tbody', null, advice.map(row => {
        const set = row.set as Doc;
        const name = Object.entries(set).map(([path, v]) => `${path.split('.').slice(1).join('.') || path} ${words(v)}`).join(', ');
        return h('tr', { key: name },
          h('td', null, name), h('td', { class: 'number' }, seconds(num(row, 'step_time_s'))),
          h('td', { class: 'number' }, change(num(row, 'step_time_s') / step - 1)),
          h('td', { class: 'number' }, gib(num(row, 'peak_gib'))),
          h('td', { class: 'number' }, `fits with ${percent(num(row, 'fit_probability'))}`),
          h('td', null, h('button', { type: 'button', class: 'use', 'aria-label': `use ${name}`, onclick: () => void app.take(set) }, 'use')));
      })))) : null);
}

function folds(app: App, a: Doc): Tree {
  const stages = (at(a, 'memory.by_stage') ?? []) as Doc[];
  const messages = (a.communication ?? []) as Doc[];
  const assumed = (at(a, 'inputs.assumed') ?? []) as Doc[];
  const node = at(a.inputs, 'cluster.node'), drawn = topologyView(app, a, isDoc(node) ? node : app.state.node?.name === node ? app.state.node?.document : undefined);
  return h('div', { class: 'folds' },
    fold(app, 'Published runs like this one', () => publishedView(app, a)),
    fold(app, `Stages: ${stages.length}`, () => stageRows(app, a, stages)),
    messages.length > 0 && fold(app, 'Communication of one GPU in a step', () => [trafficView(app, a), table(
      ['dimension', 'collective', 'ranks', 'count', 'sent', 'time', 'exposed', 'over', 'algorithm'],
      messages.map(m => [words(m.dimension), words(m.collective), words(m.group), digits(num(m, 'count'), 9), si(num(m, 'bytes_per_gpu'), 'B'),
        seconds(num(m, 'time_s')), seconds(num(m, 'exposed_s')), words(m.tier), words(m.algorithm)]), 2, 7)]),
    drawn && fold(app, 'Network', () => drawn),
    assumed.length > 0 && fold(app, `Not stated: ${assumed.length} keys`, () => table(['key', 'value', 'known', 'why', 'where'],
      assumed.map(d => [words(d.path), words(d.value), words(d.known), words(d.why), words(d.where)]))),
    fold(app, 'What the numbers rest on', () => table(['part', 'basis'],
      ((a.rests_on ?? []) as Doc[]).map(d => [words(d.part), words(d.basis)]))));
}

// Made only while it is open.
export function fold(app: App, title: string, inside: () => Child): Tree {
  const key = title.split(':')[0], open = app.state.folds.has(key);
  return h('details', { key, open, ontoggle: (e: Event) => app.fold(key, (e.target as HTMLDetailsElement).open) },
    h('summary', null, title), open && inside());
}

// Columns from `first` up to `end` hold numbers.
export function table(head: string[], rows: Child[][], first = 99, end = 0): Tree {
  const mark = (i: number) => ({ class: i >= first && i < end ? 'number' : undefined });
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': head.join(', ') }, h('table', null,
    h('thead', null, h('tr', null, head.map((t, i) => h(t ? 'th' : 'td', mark(i), t)))),
    h('tbody', null, rows.map(r => h('tr', null, r.map((c, i) => h('td', mark(i), c)))))));
}

function stageRows(app: App, a: Doc, stages: Doc[]): Tree {
  const lines = Object.keys((at(a, 'memory.lines') ?? {}) as Doc);
  const linesOf = (stage: Doc): Doc => Object.fromEntries(lines.map(key => [key, stage[key]]));
  const capacity = num(a, 'memory.capacity_gib');
  const most = Math.max(capacity, ...stages.map(s => num(s, 'peak_gib'))) * 1.03;
  return table(['stage', 'peak', 'in flight', 'memory, the line is the capacity'], stages.map(s => [
    words(s.stage), gib(num(s, 'peak_gib')), words(s.in_flight),
    stacked({ parts: partsOf(app, linesOf(s), 'memory.lines'), most, limit: capacity, total: num(s, 'peak_gib'), unit: 'GiB', low: true })]), 0, 3);
}
