// SPDX-License-Identifier: Apache-2.0
//
// How far the run can go: the longest sequence, the largest micro batch, the fewest GPUs, …, each
// alone, with its own layout and with any.
import { App } from '../app';
import { Child, h } from '../dom';
import type { Doc } from '../engine';
import { digits, gib, seconds, verdict } from '../format';
import { isDoc, words } from '../run';
import { table } from './answer';
import { box, field } from './parts';
import { isRl } from './rl';
import { answerOf, go } from './tabs';

function limitsRequest(app: App): Doc {
  const request: Doc = { run: app.state.run };
  const within = Number(field(app, 'within', '10')), versus = field(app, 'versus');
  if (within !== 10) request.within = within;
  if (versus) request.versus = versus;
  return request;
}

function valueOf(l: Doc): string {
  const unit = words(l.unit), value = Number(l.value ?? NaN);
  if (!Number.isFinite(value)) return '–';
  return `${digits(value, Number.isInteger(value) ? 15 : 3)} ${unit}`.trim();
}

export function limits(app: App): Child {
  if (isRl(app.state.run)) return h('p', { class: 'dim' }, 'Limits are of runs without reinforcement learning.');
  const a = answerOf(app, 'limits');
  const rows = ((a?.limits ?? []) as Doc[]).filter(isDoc);
  return [
    h('p', { class: 'dim' }, 'Each limit alone: everything else stays as it is; “any” is the best of all layouts.'),
    h('div', { class: 'boxes' }, box(app, { name: 'within', label: 'longer step allowed, %', start: '10' }), box(app, { name: 'versus', label: 'price against', about: 'hgx-b200' }),
      go(app, 'limits', 'find the limits', 'limits', () => limitsRequest(app))),
    rows.length > 0 && table(['question', 'value', 'layout', 'step', 'peak', 'fits', '', 'what stops the next'], rows.map(l => [
      words(l.question), h('b', null, valueOf(l)), words(l.layout), l.step_time_s === undefined ? '–' : seconds(Number(l.step_time_s)),
      l.peak_gib === undefined ? '–' : gib(Number(l.peak_gib)),
      l.fit === undefined ? '–' : verdict(words(l.fit), Number(l.fit_probability)),
      l.value === null || l.value === undefined || !isDoc(l.set) || Object.keys(l.set).length === 0 ? ''
        : h('button', { type: 'button', class: 'use', 'aria-label': `use ${words(l.question)}, ${words(l.layout)}`, onclick: () => void app.take(l.set as Doc) }, 'use'),
      [words(l.why), words(l.note)].filter(Boolean).join('; ')]), 3, 6)];
}
