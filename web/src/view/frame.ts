// SPDX-License-Identifier: Apache-2.0
//
// The head with pins, the foot with versions, the list of keys.
import { App } from '../app';
import { Tree, h } from '../dom';
import { digits, seconds } from '../format';
import { words } from '../run';

const KEYS: [string, string][] = [['/', 'paste box'], ['e', 'explain the number'], ['s', 'search'], ['t', 'timeline'],
  ['p', 'pin this run'], ['c', 'compare pinned runs'], ['Esc', 'close'], ['?', 'this list']];

export function frame(app: App, ...inside: Tree[]): Tree {
  const { pins, answer, took, help } = app.state;
  return h('div', { class: 'frame' },
    h('header', { class: 'top' },
      h('h1', null, 'Orrery'), h('p', { class: 'dim' }, 'what a training run will need, before it runs'),
      h('div', { class: 'pins', role: 'group', 'aria-label': 'pinned runs' },
        pins.map(p => h('span', { class: 'pin', key: p.name },
          h('button', { type: 'button', title: 'use this run', onclick: () => void app.use(p.run) }, `${p.name} ${seconds(Number(p.answer.step_time_s))}`),
          h('button', { type: 'button', class: 'clear', 'aria-label': `unpin ${p.name}`, onclick: () => app.set({ pins: pins.filter(q => q !== p) }) }, '×'))),
        h('button', { type: 'button', disabled: pins.length >= 4, onclick: () => app.pin() }, 'pin'),
        h('button', { type: 'button', 'aria-expanded': String(help), 'aria-label': 'keys', onclick: () => app.set({ help: !help }) }, '?'))),
    help ? h('dl', { key: 'help', class: 'help' }, KEYS.map(([key, what]) => [h('dt', null, h('kbd', null, key)), h('dd', null, what)])) : null,
    pins.length === 0 && !app.state.asked ? first(app) : null,
    inside,
    h('footer', null, `Orrery ${words(answer?.tool_version)}, schema ${words(answer?.schema_version)}`,
      document.body.dataset.commit ? `, ${document.body.dataset.commit}` : '', `. Everything is computed in this page; nothing leaves it. Answered in ${digits(took, 2)} ms.`));
}

// The questions that most people come with; gone once the run is theirs.
function first(app: App): Tree {
  const ask = (text: string, act: () => void) => h('button', { type: 'button', class: 'number', onclick: act }, text);
  const to = (tab: 'search' | 'capacity') => () => {
    app.set({ tab });
    requestAnimationFrame(() => document.getElementById(`tab-${tab}`)?.focus());
  };
  return h('p', { key: 'first', class: 'first' }, ask('Does my model fit?', () => app.toPaste()), ' ',
    ask('What is the best layout?', to('search')), ' ', ask('What should we buy?', to('capacity')));
}
