// SPDX-License-Identifier: Apache-2.0
//
// Draws points in four views that pick together: a scatter of two numbers, the parts of the picked
// point, every column that differs as parallel axes, a table that sorts.
// drawPoints(P, root) finds its drawings below `root`. P: {x, y, kinds: [colour…], bars: [{name, unit, parts: [name…], limit}…], columns: [name…],
//     points: [{title, kind, at: [x, y], totals, parts, values}…]}.
'use strict';
globalThis.drawPoints = (P, root) => {
  let picked = 0, by = -1, falls = false;
  const points = P.points, numbers = points.map((p, i) => i);
  const result = p => p.totals[0];
  const shown = v => v === 0 ? '0'
    : Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3 ? v.toExponential(2) : String(+v.toPrecision(4));
  const order = (a, b) => isNaN(a) || isNaN(b) ? String(a).localeCompare(String(b)) : a - b;

  function add(parent, name, attributes, text) {
    const e = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    if (text !== undefined) e.textContent = text;
    return parent.appendChild(e);
  }

  function drawing(id, width, height) {
    const svg = root.querySelector('#' + id);
    svg.replaceChildren();
    svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
    return svg;
  }

  function pickable(mark, i) {
    mark.classList.add('mark');
    add(mark, 'title', {}, points[i].title);
    mark.addEventListener('click', () => { picked = i; draw(); });
  }

  function ticks(low, high) {
    if (!(high > low)) return [low];
    const rough = (high - low) / 6, ten = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map(k => k * ten).find(k => k >= rough), at = [];
    for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-9; v += step) at.push(+v.toPrecision(12));
    return at;
  }

  function scatter() {
    const W = 1000, H = 360, left = 62, bottom = H - 40, svg = drawing('scatter', W, H);
    const xs = points.map(p => p.at[0]), ys = points.map(p => p.at[1]);
    const x0 = Math.min(...xs), y0 = Math.min(...ys), y1 = Math.max(...ys, y0 + 1e-12);
    const near = xs.filter(x => x <= x0 + Math.abs(x0) * 4 || points.length < 9);  // the slowest would press the rest together
    const x1 = Math.max(...near, x0 + 1e-12);
    const X = v => left + (v - x0) / (x1 - x0) * (W - left - 16), Y = v => bottom - (v - y0) / (y1 - y0) * (bottom - 14);
    for (const t of ticks(x0, x1)) {
      add(svg, 'line', {x1: X(t), x2: X(t), y1: 10, y2: bottom, class: 'grid'});
      add(svg, 'text', {x: X(t), y: bottom + 15, 'text-anchor': 'middle', class: 'dim'}, shown(t));
    }
    for (const t of ticks(y0, y1)) {
      add(svg, 'line', {x1: left, x2: W - 12, y1: Y(t), y2: Y(t), class: 'grid'});
      add(svg, 'text', {x: left - 6, y: Y(t) + 4, 'text-anchor': 'end', class: 'dim'}, shown(t));
    }
    add(svg, 'text', {x: W - 12, y: H - 6, 'text-anchor': 'end'}, P.x);
    add(svg, 'text', {x: left, y: 10}, P.y);
    P.kinds.forEach((colour, kind) => points.forEach((p, i) => {
      if (p.kind !== kind || p.at[0] > x1) return;
      const mark = {cx: X(p.at[0]), cy: Y(p.at[1]), r: i === picked ? 7 : 4, class: 'fill' + colour + (i === picked ? ' axis' : '')};
      pickable(add(svg, 'circle', mark), i);
    }));
  }

  function bar(svg, top, width, about, total, parts) {
    const scale = (width - 20) / Math.max(total, about.limit);
    add(svg, 'text', {x: 10, y: top}, about.name + ' ' + shown(total) + ' ' + about.unit +
      (about.limit ? '; the line: ' + shown(about.limit) + ' ' + about.unit : ''));
    let from = 10, at = 10, line = top + 50;
    parts.forEach((value, i) => {
      if (value <= 0) return;
      const words = about.parts[i] + ' ' + shown(value) + ' ' + about.unit, room = words.length * 6.2 + 28;
      const part = add(svg, 'rect', {x: from, y: top + 6, width: Math.max(.5, value * scale), height: 26, class: 'fill' + i % 10});
      add(part, 'title', {}, words);
      from += value * scale;
      if (at + room > width) { at = 10; line += 18; }
      add(svg, 'rect', {x: at, y: line - 9, width: 10, height: 10, class: 'fill' + i % 10});
      add(svg, 'text', {x: at + 14, y: line}, words);
      at += room;
    });
    const limit = 10 + about.limit * scale;
    if (about.limit) add(svg, 'line', {x1: limit, x2: limit, y1: top + 1, y2: top + 37, class: 'limit'});
  }

  function bars() {
    const p = points[picked], W = 1000, svg = drawing('bars', W, 24 + 104 * P.bars.length);
    add(svg, 'text', {x: 10, y: 14}, p.title);
    P.bars.forEach((about, k) => bar(svg, 40 + 104 * k, W, about, p.totals[k], p.parts[k]));
  }

  // Rows for titles that stand over places, so that none overlaps another.
  function rowsOf(titles, place) {
    const ends = [];
    return titles.map((title, k) => {
      const half = title.length * 3.4 + 4;
      const found = ends.findIndex(end => end < place(k) - half), row = found < 0 ? ends.length : found;
      ends[row] = place(k) + half;
      return row;
    });
  }

  function parallel() {
    const W = 1000;
    const axes = P.columns.map((name, c) => ({name, of: p => p.values[c], all: [...new Set(points.map(p => p.values[c]))].sort(order)}))
      .filter(axis => axis.all.length > 1);
    const low = Math.min(...points.map(result)), high = Math.max(...points.map(result).filter(t => t < low * 3));
    const X = k => 50 + k * (W - 110) / Math.max(1, axes.length);
    const titles = axes.map(axis => axis.name).concat(P.bars[0].name), rows = rowsOf(titles, X);
    const top = 22 + 14 * Math.max(...rows), bottom = top + 264, svg = drawing('parallel', W, bottom + 14);
    const at = (axis, v) => bottom - axis.all.indexOf(v) / (axis.all.length - 1) * (bottom - top - 8);
    const end = t => bottom - (Math.min(t, high) - low) / ((high - low) || 1) * (bottom - top - 8);
    const last = [...numbers].sort((a, b) => (a === picked) - (b === picked) || points[a].kind - points[b].kind);
    for (const i of last) {
      const p = points[i], corners = axes.map((axis, k) => X(k) + ',' + at(axis, axis.of(p))).concat(X(axes.length) + ',' + end(result(p)));
      const line = {points: corners.join(' '), class: 'curve ' + (i === picked ? 'axis' : 'ink' + P.kinds[p.kind]), opacity: i === picked ? 1 : p.kind ? .6 : .25};
      pickable(add(svg, 'polyline', line), i);
    }
    titles.forEach((title, k) => {
      add(svg, 'line', {x1: X(k), x2: X(k), y1: 16 + 14 * rows[k], y2: bottom, class: 'axis'});
      add(svg, 'text', {x: X(k), y: 12 + 14 * rows[k], 'text-anchor': 'middle'}, title);
    });
    const letters = Math.floor((X(1) - X(0) - 8) / 6.2);
    axes.forEach((axis, k) => {
      const every = Math.ceil(axis.all.length / 12);
      axis.all.forEach((v, j) => { if (j % every === 0) add(svg, 'text', {x: X(k) + 4, y: at(axis, v) + 4, class: 'dim'}, String(v).slice(0, letters)); });
    });
    for (const t of [low, high]) add(svg, 'text', {x: X(axes.length) + 5, y: end(t) + 4}, shown(t));
  }

  function table() {
    const whole = root.querySelector('#points'), results = P.bars.length;
    const titles = P.bars.map(b => b.name + ', ' + b.unit).concat(P.columns);
    const cell = (i, c) => c < results ? points[i].totals[c] : points[i].values[c - results];
    const rows = by < 0 ? numbers : [...numbers].sort((a, b) => (falls ? -1 : 1) * order(cell(a, by), cell(b, by)));
    whole.replaceChildren();
    const head = whole.createTHead().insertRow(), body = whole.createTBody();
    titles.forEach((title, c) => {
      const e = head.appendChild(document.createElement('th'));
      e.className = 'number mark';
      e.textContent = title + (c === by ? (falls ? ' ▾' : ' ▴') : '');
      e.onclick = () => { falls = by === c && !falls; by = c; table(); };
    });
    for (const i of rows) {
      const row = body.insertRow();
      row.className = i === picked ? 'mark picked' : 'mark';
      row.onclick = () => { picked = i; draw(); };
      titles.forEach((title, c) => {
        const e = row.insertCell();
        e.className = 'number';
        e.textContent = c < results ? shown(cell(i, c)) : cell(i, c);
      });
    }
  }

  function draw() { [scatter, bars, parallel, table].forEach(view => view()); }
  draw();
};
