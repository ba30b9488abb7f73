// SPDX-License-Identifier: Apache-2.0
//
// A pasted log or error message as `diagnose` answers it: stated numbers, causes with their checks and
// mends.
import type { App } from '../app';
import { Tree, h, ready } from '../dom';
import { documentOf } from '../embedded';
import type { Answer } from '../engine';

export function diagnosisView(app: App, diagnosis: Answer): Tree {
  return h('section', { class: 'diagnosis', key: 'diagnosis', tabindex: -1, 'aria-label': 'Diagnosis' },
    h('button', { type: 'button', class: 'clear', 'aria-label': 'close the diagnosis', onclick: () => app.set({ diagnosis: undefined }) }, '×'),
    ready(documentOf(diagnosis, diagnosis.text)));
}
