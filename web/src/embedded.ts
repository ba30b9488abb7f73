// SPDX-License-Identifier: Apache-2.0
//
// A page that the engine wrote, shown inside this one. Its text becomes nodes by way of a document
// that runs nothing; elements and attributes come from a short list. Charts that a script draws (lanes,
// points) are drawn by this page's own copy of the script, from their data.
import '../../src/document/lanes.js';
import '../../src/document/points.js';

const ELEMENTS = new Set(`h1 h2 h3 p span b dl dt dd div section figure figcaption table thead tbody tr th td pre ul li i
  svg g rect line circle path polyline polygon text title canvas`.split(/\s+/));
const ATTRIBUTES = new Set(`class id role aria-label tabindex colspan viewbox x y x1 x2 y1 y2 cx cy r rx width height points
  d transform text-anchor opacity`.split(/\s+/));

declare global {
  var drawLanes: (data: unknown, root: Element) => void;
  var drawPoints: (data: unknown, root: Element) => void;
}

const made = new WeakMap<object, Element>();

// The same for the same answer, so that it keeps its state while the rest of the page moves. Sections
// whose heading is one of `without` stay out.
export function documentOf(owner: object, html: string, without: string[] = []): Element {
  let root = made.get(owner);
  if (!root) {
    // The policy would complain of styles even where nothing is drawn.
    const plain = html.replace(/<style>[\s\S]*?<\/style>/g, '').replace(/ style="/g, ' data-style="');
    const page = new DOMParser().parseFromString(plain, 'text/html');
    root = document.createElement('div');
    root.className = 'document';
    page.querySelectorAll('section').forEach(s => { if (without.includes(s.querySelector('h2')?.textContent ?? '')) s.remove(); });
    for (const child of Array.from(page.body.childNodes)) copy(child, root);
    made.set(owner, root);
    const data = new Map(Array.from(page.querySelectorAll('script[type="application/json"]'), s => [s.id, s.textContent ?? '']));
    const start = () => {
      if (!root?.isConnected) return void requestAnimationFrame(start);
      if (data.has('lanes-data')) drawLanes(JSON.parse(data.get('lanes-data') as string), root);
      if (data.has('points-data')) drawPoints(JSON.parse(data.get('points-data') as string), root);
    };
    start();
  }
  return root;
}

function copy(from: Node, into: Element): void {
  if (from.nodeType === Node.TEXT_NODE) {
    into.append(from.nodeValue ?? '');
    return;
  }
  if (!(from instanceof Element) || !ELEMENTS.has(from.localName)) return;
  // A heading without words is no heading.
  const name = from.localName === 'th' && !from.textContent?.trim() ? 'td' : from.localName;
  const element = document.createElementNS(from.namespaceURI, name);
  for (const { name, value } of Array.from(from.attributes)) {
    if (ATTRIBUTES.has(name.toLowerCase())) element.setAttribute(name, value);
  }
  const width = /^width:\s*([\d.]+%)/.exec(from.getAttribute('data-style') ?? '');
  if (width) (element as HTMLElement).style.width = width[1];
  if (/\b(scroll|tall)\b/.test(element.className as string)) (element as HTMLElement).tabIndex = 0;
  into.append(element);
  for (const child of Array.from(from.childNodes)) copy(child, element);
}
