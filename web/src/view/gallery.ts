// SPDX-License-Identifier: Apache-2.0
//
// Ten questions that people asked in public, each as a run: its picture is the memory of the fullest
// GPU, answered when the page was built.
import { App } from '../app';
import { colourOf, stacked } from '../chart';
import { Tree, h } from '../dom';
import type { Doc } from '../engine';
import { gib, riskMark, seconds, verdict } from '../format';

export interface Question {
  question: string;
  source: string; // where it was asked
  run: Doc;
  tab?: 'search' | 'limits' | 'capacity';
  fit: string;
  probability: number;
  step: number; // seconds
  peak: number; // GiB
  capacity: number;
  lines: Record<string, number>; // GiB
}

export const QUESTIONS: Question[] = [];
export const readQuestions = (all: Question[]): void => { QUESTIONS.push(...all); };

export function gallery(app: App): Tree {
  return h('section', { key: 'gallery', class: 'gallery', 'aria-label': 'ten real questions' },
    h('div', { class: 'go' }, h('h2', null, 'Ten questions that people asked'),
      h('button', { type: 'button', class: 'clear', 'aria-label': 'close the questions', onclick: () => app.set({ gallery: false }) }, '×')),
    h('ol', null, QUESTIONS.map(q => h('li', { key: q.question },
      h('button', { type: 'button', class: 'number', onclick: () => {
        void app.use(q.run, [`${q.question} (${q.source})`], {});
        app.set({ tab: q.tab ?? 'answer' });
      } }, q.question),
      stacked({ parts: Object.entries(q.lines).filter(([, v]) => v > 0).map(([key, value]) => ({ name: key.replace(/_gib$/, '').replace(/_/g, ' '), colour: colourOf(key), value })),
        most: Math.max(q.capacity, q.peak) * 1.03, limit: q.capacity, total: q.peak, unit: 'GiB', low: true }),
      h('small', null, h('span', { class: `risk ${riskMark(q.fit)}` }, verdict(q.fit, q.probability)), `, ${gib(q.peak)} of ${gib(q.capacity)}, ${seconds(q.step)} a step`)))));
}
