// SPDX-License-Identifier: Apache-2.0
//
// The head with pins, the foot with versions, the list of keys.
import { App } from '../app';
import type { Tab } from '../app';
import { Tree, h } from '../dom';
import { digits, seconds } from '../format';
import { words } from '../run';
import { gallery } from './gallery';
import { copied } from './parts';

const KEYS: [string, string][] = [['/', 'paste box'], ['e', 'explain the number'], ['a', 'answer'], ['s', 'search'], ['l', 'limits'], ['t', 'timeline'],
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
        shareButton(app),
        h('button', { type: 'button', onclick: () => toTab(app, 'take') }, 'export'),
        h('button', { type: 'button', disabled: pins.length >= 4, onclick: () => app.pin() }, 'pin'),
        h('button', { type: 'button', 'aria-expanded': String(help), 'aria-label': 'keys', onclick: () => app.set({ help: !help }) }, '?'))),
    help ? h('dl', { key: 'help', class: 'help' }, KEYS.map(([key, what]) => [h('dt', null, h('kbd', null, key)), h('dd', null, what)])) : null,
    app.state.gallery ? gallery(app) : pins.length === 0 && !app.state.asked ? first(app) : null,
    inside,
    h('footer', null, `Orrery ${words(answer?.tool_version)}, schema ${words(answer?.schema_version)}`,
      document.body.dataset.commit ? `, ${document.body.dataset.commit}` : '', `. Everything is computed in this page; nothing leaves it. Answered in ${digits(took, 2)} ms.`));
}

function shareButton(app: App): Tree {
  return h('button', { type: 'button', title: 'copy a link to this run', onclick: async (e: Event) => {
    const button = e.currentTarget as HTMLElement;
    const done = await copied(location.href.split('#')[0] + await app.address());
    button.textContent = done ? 'copied' : 'copy the address';
    setTimeout(() => { button.textContent = 'share'; }, 1500);
  } }, 'share');
}

export function toTab(app: App, tab: Tab): void {
  app.set({ tab });
  requestAnimationFrame(() => document.getElementById(`tab-${tab}`)?.focus());
}

// The questions that most people come with; gone once the run is theirs.
function first(app: App): Tree {
  const ask = (text: string, act: () => void) => h('button', { type: 'button', class: 'number', onclick: act }, text);
  return h('p', { key: 'first', class: 'first' }, h('span', { class: 'dim' }, 'an example; yours begins with what you paste'), ' ',
    ask('Does my model fit?', () => app.toPaste()), ' ', ask('What is the best layout?', () => toTab(app, 'search')), ' ',
    ask('What should we buy?', () => toTab(app, 'capacity')), ' ', ask('Ten real questions', () => app.set({ gallery: true })));
}
