// SPDX-License-Identifier: Apache-2.0
//
// A run file as the page holds it: the document as written, changed key by key. Paths are those of
// the tables of keys: "parallel.tp".
import type { Doc, Json } from './engine';

export function at(doc: Json | undefined, path: string): Json | undefined {
  let value: Json | undefined = doc;
  for (const key of path.split('.')) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
    value = Object.prototype.hasOwnProperty.call(value, key) ? value[key] : undefined;
  }
  return value;
}

// A copy with the value at the path; without a value the key goes, and so does a part left empty.
export function changed(doc: Doc, path: string, value: Json | undefined): Doc {
  const [key, ...rest] = path.split('.');
  const copy: Doc = { ...doc };
  if (rest.length > 0) {
    const old = own(doc, key);
    const inner = changed(isDoc(old) ? old : {}, rest.join('.'), value);
    if (value === undefined && Object.keys(inner).length === 0) delete copy[key];
    else define(copy, key, inner);
  } else if (value === undefined) {
    delete copy[key];
  } else {
    define(copy, key, value);
  }
  return copy;
}

// A key named __proto__ is a key like any other: the engine refuses it by its name.
function define(doc: Doc, key: string, value: Json): void {
  Object.defineProperty(doc, key, { value, enumerable: true, configurable: true, writable: true });
}

function own(doc: Doc, key: string): Json | undefined {
  return Object.prototype.hasOwnProperty.call(doc, key) ? doc[key] : undefined;
}

export function isDoc(value: Json | undefined): value is Doc {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Words of the advice and of a form: "true", "2", "interleaved", "[1,2]".
export function fromWords(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

export function words(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

// Paths and values of all leaves; lists are leaves.
export function leaves(doc: Json, path = ''): [string, Json][] {
  if (!isDoc(doc)) return [[path, doc]];
  return Object.entries(doc).flatMap(([key, value]) => leaves(value, path ? `${path}.${key}` : key));
}

function quoted(text: string): string {
  return /^[\w.,:/=+-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}

// The command line of a run: the flags of the keys that have one, --set for the rest.
export function commandLine(run: Doc, flags: Map<string, string>, command = 'estimate'): string {
  const parts = leaves(run).filter(([path]) => !/^(name|assumed|stated|search|\$schema)(\.|$)/.test(path));
  const inlineModel = isDoc(run.model);
  const words_ = parts.filter(([path]) => !(inlineModel && path.startsWith('model.'))).map(([path, value]) => {
    const flag = flags.get(path);
    return flag ? `${flag} ${quoted(words(value))}` : `--set ${quoted(`${path}=${words(value)}`)}`;
  });
  if (inlineModel) words_.unshift('--model model.json');
  return `orrery ${command} ${words_.join(' ')}`;
}

// Run files may have comments; the strings in them are kept as they are.
export function withoutComments(text: string): string {
  return text.replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, string: string) => string ?? '');
}

// The origin of a key of an answer's inputs: of itself, or of the object or name that holds it.
export function originOf(inputs: Doc, path: string): { known: string; why: string; where: string } | undefined {
  const facts = (name: string) => (Array.isArray(inputs[name]) ? (inputs[name] as Json[]).filter(isDoc) : []);
  const holds = (f: Doc) => path === f.path || path.startsWith(`${words(f.path)}.`);
  const longest = (list: Doc[]) => list.filter(holds).sort((a, b) => words(b.path).length - words(a.path).length)[0];
  const assumed = longest(facts('assumed'));
  if (assumed) return { known: words(assumed.known), why: words(assumed.why), where: words(assumed.where) };
  const stated = longest(facts('stated'));
  return stated && { known: 'stated', why: '', where: words(stated.where) };
}

// "default: not given (orrery)"
export function originWords(inputs: Doc, path: string): string {
  const origin = originOf(inputs, path);
  if (!origin || origin.known === 'stated') return '';
  return `${origin.known}${origin.why && `: ${origin.why}`}${origin.where && ` (${origin.where})`}`;
}

// A resolved run without what Orrery took by itself, which is taken again. Defaults of another tool, as `import`
// recorded them, stay with their origin.
export function asGiven(run: Doc): Doc {
  const { assumed, stated: _, ...given } = run;
  const facts = Array.isArray(assumed) ? assumed.filter(isDoc) : [];
  const isTakenAgain = (f: Doc) => ['', 'orrery', run.framework].includes(f.where ?? '');
  const again = facts.filter(f => typeof f.path === 'string' && isTakenAgain(f));
  const left = again.reduce<Doc>((doc, f) => changed(doc, words(f.path), undefined), given);
  const recorded = facts.filter(f => !again.includes(f));
  return recorded.length > 0 ? { ...left, assumed: recorded } : left;
}
