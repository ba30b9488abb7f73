// SPDX-License-Identifier: Apache-2.0
//
// A run with training.rl: the step by phase, memory by phase, what would be faster; and the
// placements that a search of it found.
import { App } from '../app';
import { Part, colourOf, stacked } from '../chart';
import { Child, Tree, h } from '../dom';
import type { Doc, Json } from '../engine';
import { change, digits, gib, money, percent, riskMark, seconds, si, verdict } from '../format';
import { at, isDoc, words } from '../run';
import { alive, fold, table } from './answer';

export const isRl = (run: Doc | undefined): boolean => isDoc(at(run, 'training.rl'));

const num = (doc: Doc, path: string): number => Number(at(doc, path) ?? NaN);

export function rlAnswer(app: App, a: Doc): Child[] {
  return [phaseBar(app, a), memoryRows(a), judgement(app, a), folds(app, a)];
}

export function rlHeadline(app: App, a: Doc): Tree {
  const fit = words(at(a, 'memory.fit')), step = num(a, 'step_time_s');
  const [low, high] = (at(a, 'interval_80.step_time_s') ?? []) as number[];
  return h('div', { class: 'headline' },
    h('p', { class: 'large' },
      h('span', { class: `risk ${riskMark(fit)}` }, verdict(fit, num(a, 'memory.fit_probability'))), ' · ',
      Number.isFinite(step) ? [alive(app, 'step_time_s', seconds(step)), ' a step',
        h('small', null, ` (${seconds(low)} to ${seconds(high)})`), ' · ',
        si(num(a, 'tokens_per_s'), ''), ' tokens/s · ', words(at(a, 'rl.placement'))] : 'no step'),
    h('p', null, training(app, a)),
    ((a.reasons ?? []) as Json[]).map(r => h('p', { class: 'error' }, words(r))),
    at(a, 'rl.remedy') ? h('p', null, 'Would fit: ', h('code', null, words(at(a, 'rl.remedy')))) : null,
    ((a.warnings ?? []) as Json[]).map(w => h('p', { class: 'warning' }, words(w))));
}

function training(app: App, a: Doc): Child {
  const whole = at(a, 'rl.training');
  if (!isDoc(whole)) return h('span', { class: 'dim' }, 'Set “steps” for days and cost.');
  const total = Number(at(app.state.cost, 'cost.total') ?? NaN), [from, to] = (at(app.state.cost, 'cost.range') ?? []) as number[];
  return [`${digits(num(whole, 'steps'), 9)} steps: ${seconds(num(whole, 'time_s'))}, ${digits(num(whole, 'gpu_hours'), 5)} GPU hours without interruptions`,
    Number.isFinite(total) && [`, ${money(total, 'USD')}`, h('small', null, ` (${money(from, 'USD')} to ${money(to, 'USD')})`), ' with failures and checkpoints that are given']];
}

// Phases of a queue overlap, so that they may add up to more than the step.
function phaseBar(app: App, a: Doc): Tree {
  const step = num(a, 'step_time_s');
  const parts = Object.entries((at(a, 'rl.phases') ?? {}) as Doc).map(([name, p]): Part => ({
    name: name.replace(/_/g, ' '), colour: colourOf(name), value: num(p as Doc, 'time_s'), metric: `rl.phases.${name}_s` }))
    .filter(p => p.value > 0);
  const all = parts.reduce((sum, p) => sum + p.value, 0), queue = at(a, 'rl.queue');
  return h('figure', null,
    h('figcaption', null, 'The step by phase', isDoc(queue)
      ? `: generator and learner work at the same time; the learner waits ${seconds(num(queue, 'learner_waits_s'))}, the generator ${seconds(num(queue, 'generator_waits_s'))}` : ''),
    stacked({ parts, most: Math.max(all, step || 0) * 1.03, limit: isDoc(queue) ? step : undefined, total: all, unit: 's' }),
    h('ul', { class: 'legend' }, parts.map(p => h('li', { key: p.name }, h('i', { class: `back${p.colour}` }), `${p.name} `,
      alive(app, p.metric as string, seconds(p.value)), h('small', null, ` ${percent(p.value / step)}`)))));
}

function memoryRows(a: Doc): Tree {
  const moments = Object.entries((at(a, 'rl.memory') ?? {}) as Doc) as [string, Doc][];
  const most = Math.max(...moments.map(([, m]) => Math.max(num(m, 'all_gib'), num(m, 'capacity_gib')))) * 1.03;
  const parts = (m: Doc): Part[] => ['engine', 'learner', 'reference', 'logits'].map(name => (
    { name, colour: colourOf(name), value: num(m, `${name}_gib`) })).filter(p => p.value > 0);
  return h('figure', null, h('figcaption', null, 'Memory of the fullest GPU by phase: engine, learner, reference, logits'),
    table(['phase', 'all', 'of', 'the line is the capacity'], moments.map(([name, m]) => [
      name.replace(/_/g, ' '), gib(num(m, 'all_gib')), gib(num(m, 'capacity_gib')),
      stacked({ parts: parts(m), most, limit: num(m, 'capacity_gib'), total: num(m, 'all_gib'), unit: 'GiB', low: true })]), 1, 3));
}

function judgement(app: App, a: Doc): Tree {
  const faster = (at(a, 'rl.faster') ?? []) as Doc[], step = num(a, 'step_time_s');
  return h('div', { class: 'judgement' },
    ((at(a, 'rl.advice') ?? []) as Json[]).map(line => h('p', { key: words(line) }, words(line))),
    faster.length ? h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'advice' }, h('table', { class: 'advice' },
      h('caption', null, a.feasible !== false ? 'Faster by one change' : 'It would fit by one change'),
      h('tbody', null, faster.map(row => h('tr', { key: words(row.change) },
        h('td', null, words(row.change)), h('td', { class: 'number' }, seconds(num(row, 'step_time_s'))),
        h('td', { class: 'number' }, a.feasible !== false ? change(num(row, 'step_time_s') / step - 1) : ''),
        h('td', null, h('button', { type: 'button', class: 'use', 'aria-label': `use ${words(row.change)}`,
          onclick: () => void app.take(row.set as Doc) }, 'use'))))))) : null);
}

function folds(app: App, a: Doc): Tree {
  const generation = at(a, 'rl.generation'), assumed = (at(a, 'inputs.assumed') ?? []) as Doc[];
  return h('div', { class: 'folds' },
    isDoc(generation) && fold(app, 'Generation', () => table(['number', 'value'], Object.entries(generation).map(([name, v]) => [
      name.replace(/_s$/, ', s').replace(/_gib$/, ', GiB').replace(/_/g, ' '), typeof v === 'number' ? digits(v, 5) : words(v)]), 1, 2)),
    assumed.length > 0 && fold(app, `Not stated: ${assumed.length} keys`, () => table(['key', 'value', 'known', 'why', 'where'],
      assumed.map(d => [words(d.path), words(d.value), words(d.known), words(d.why), words(d.where)]))));
}

// Placements that a search found, each with a button that takes it whole.
export function rlFound(app: App, a: Doc): Tree {
  const row = (name: Child, f: Doc): Child[] => [name, seconds(num(f, 'step_time_s')), percent(num(f, 'fullest_share')),
    words(f.placement), digits(num(f, 'rollout_gpus'), 6), seconds(num(f, 'phases_s.generate')), seconds(num(f, 'phases_s.update')),
    h('button', { type: 'button', class: 'use', 'aria-label': `use placement ${words(f.placement)}`, onclick: () => void app.use(f.run as Doc) }, 'use')];
  return table(['', 'step', 'memory', 'placement', 'generate on', 'generate', 'update', ''],
    [...((a.best ?? []) as Doc[]).map((f, i) => row(i + 1, f)), ...((a.of_placement ?? []) as Doc[]).map(f => row('·', f)),
      ...(isDoc(a.own) ? [row('yours', a.own)] : [])], 0, 3);
}
