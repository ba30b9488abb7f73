// SPDX-License-Identifier: Apache-2.0
//
// A view is a function from the state to a tree of plain values; patch() makes a part of the document
// equal to it and leaves alone what is equal already, so that focus, selection and scrolling stay.
// Text becomes text nodes only: nothing given by a user is ever read as markup.

export interface Tree {
  tag: string;
  props: Props;
  children: (Tree | string)[];
  node?: Node; // a node made elsewhere, put in as it is
}
export type Props = Record<string, unknown>;
export type Child = Tree | string | number | null | undefined | false | Child[];

export function h(tag: string, props: Props | null = null, ...children: Child[]): Tree {
  return { tag, props: props ?? {}, children: flat(children, []) };
}

export function ready(node: Node): Tree {
  return { tag: '', props: {}, children: [], node };
}

function flat(from: Child[], into: (Tree | string)[]): (Tree | string)[] {
  for (const child of from) {
    if (Array.isArray(child)) flat(child, into);
    else if (typeof child === 'number') into.push(String(child));
    else if (child) into.push(child);
  }
  return into;
}

type Made = Element & { orreryProps?: Props; orreryChildren?: (Tree | string)[] };

const SVG = 'http://www.w3.org/2000/svg';

export function patch(host: Made, children: (Tree | string)[]): void {
  // A part that was made once and is given again has not changed.
  const last = host.orreryChildren;
  if (last && last.length === children.length && last.every((c, i) => c === children[i])) return;
  host.orreryChildren = children;
  const space = host.namespaceURI === SVG && host.tagName !== 'foreignObject' ? SVG : null;
  const byKey = new Map<unknown, Made>();
  for (const old of Array.from(host.children) as Made[]) {
    const key = old.orreryProps?.key;
    if (key !== undefined) byKey.set(key, old);
  }
  // Old nodes are removed first: a node that is moved past one would lose the focus.
  const wanted = new Set(children.map(c => (typeof c === 'string' ? undefined : c.props.key)));
  for (const [key, old] of byKey) {
    if (!wanted.has(key)) old.remove();
  }
  let at: ChildNode | null = host.firstChild;
  for (const child of children) {
    const node = fitting(at, child, byKey, space);
    if (node === at) at = at.nextSibling;
    else host.insertBefore(node, at);
    if (typeof child !== 'string' && !child.node) fill(node as Made, child);
  }
  while (at) {
    const next: ChildNode | null = at.nextSibling;
    at.remove();
    at = next;
  }
}

// The node at this place if it can become the child, else another.
function fitting(at: ChildNode | null, child: Tree | string, byKey: Map<unknown, Made>,
                 space: string | null): Node {
  if (typeof child === 'string') {
    if (at?.nodeType !== Node.TEXT_NODE) return document.createTextNode(child);
    if (at.nodeValue !== child) at.nodeValue = child;
    return at;
  }
  if (child.node) return child.node;
  const key = child.props.key;
  if (key !== undefined) {
    const old = byKey.get(key);
    if (old && old.localName === child.tag) return old;
  } else if (at instanceof Element) {
    const old = at as Made;
    if (old.orreryProps && old.localName === child.tag && old.orreryProps.key === undefined) return old;
  }
  const inSvg = child.tag === 'svg' || space;
  return inSvg ? document.createElementNS(SVG, child.tag) : document.createElement(child.tag);
}

function fill(element: Made, tree: Tree): void {
  const before = element.orreryProps ?? {};
  for (const name of Object.keys(before)) {
    if (!(name in tree.props)) set(element, name, undefined);
  }
  for (const [name, value] of Object.entries(tree.props)) {
    if (before[name] !== value || name === 'value' || name === 'checked') set(element, name, value);
  }
  element.orreryProps = tree.props;
  patch(element, tree.children);
  // A select takes its value only once its options are there.
  if (element.localName === 'select' && 'value' in tree.props) set(element, 'value', tree.props.value);
}

function set(element: Made, name: string, value: unknown): void {
  if (name === 'key') return;
  const as = element as unknown as Record<string, unknown>;
  if (name.startsWith('on')) {
    as[name] = value ?? null;
  } else if (name === 'style') {
    const style = (element as HTMLElement).style;
    for (const [key, part] of Object.entries((value ?? {}) as Record<string, string>)) {
      style.setProperty(key, part);
    }
  } else if ((name === 'value' && element.localName !== 'option') || name === 'checked' || name === 'open') {
    // A text that the user is typing is not replaced.
    if (name === 'value' && element === document.activeElement && element.localName === 'input' &&
        (element as HTMLInputElement).type !== 'range') return;
    if (as[name] !== value) as[name] = value ?? (name === 'value' ? '' : false);
  } else if (value === undefined || value === null || value === false) {
    element.removeAttribute(name);
  } else {
    element.setAttribute(name, value === true ? '' : String(value));
  }
}
