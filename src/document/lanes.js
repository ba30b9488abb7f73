// SPDX-License-Identifier: Apache-2.0
//
// Draws lanes of spans over time, and below them the curve of the lane that is chosen.
// drawLanes(D, root) finds its canvas below `root`. D: {end, limit, chosen, lane, curve, unit, limitName, kinds: [[name, colour]…],
//     lanes: [[[begin, end, kind, label, beside]…]…], curves: [[[time, height]…]…]}, in seconds.
// The spans of a lane are sorted by their ends, but for those that are beside another.
'use strict';
globalThis.drawLanes = (D, root) => {
  const LEFT = 52, AXIS = 26, CURVE = 120;
  const ROW = Math.max(14, Math.min(34, Math.floor(620 / D.lanes.length)));
  const HEIGHT = D.lanes.length * ROW + AXIS + CURVE + 22;
  const canvas = root.querySelector('#lanes'), pen = canvas.getContext('2d');
  const tip = root.querySelector('#tip');
  let from = 0, to = D.end, width = 0, chosen = D.chosen, drag = null, moved = false;

  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const x = t => LEFT + (t - from) / (to - from) * (width - LEFT - 8);
  const timeAt = px => from + (px - LEFT) / (width - LEFT - 8) * (to - from);

  function shown(t) {
    const span = to - from;
    if (span > 2) return t.toFixed(2) + ' s';
    return span > 2e-3 ? (t * 1e3).toFixed(span > .02 ? 1 : 3) + ' ms' : (t * 1e6).toFixed(1) + ' us';
  }

  // The first span of a lane that ends at `t` or later, and the few before it that lie beside one.
  function first(spans, t) {
    let low = 0, high = spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (spans[middle][1] < t) low = middle + 1; else high = middle;
    }
    return Math.max(0, low - 4);
  }

  function resize() {
    const ratio = devicePixelRatio || 1;
    width = canvas.clientWidth;
    canvas.style.height = HEIGHT + 'px';
    canvas.width = width * ratio;
    canvas.height = HEIGHT * ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw();
  }

  function drawAxis() {
    const rough = (to - from) / 9, ten = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map(k => k * ten).find(k => k >= rough);
    pen.fillStyle = colour('--dim');
    pen.strokeStyle = colour('--grid');
    pen.textAlign = 'center';
    for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
      pen.beginPath();
      pen.moveTo(x(t), AXIS);
      pen.lineTo(x(t), HEIGHT);
      pen.stroke();
      if (x(t) > LEFT + 20 && x(t) < width - 20) pen.fillText(shown(t), x(t), AXIS / 2);
    }
  }

  function drawLane(spans, row) {
    const y = AXIS + row * ROW;
    let end = -1;
    for (let k = first(spans, from); k < spans.length && spans[k][0] <= to; k++) {
      const [begin, stop, kind, label, beside] = spans[k];
      const left = x(begin), wide = Math.max(.6, x(stop) - left);
      if (left + wide <= end + .4 && !beside) continue;
      end = left + wide;
      pen.fillStyle = colour('--c' + D.kinds[kind][1]);
      pen.fillRect(left, beside ? y + ROW - 6 : y + 1, Math.max(.6, wide - (wide > 3 ? .6 : 0)), beside ? 4 : ROW - 3);
      if (wide > 22 && ROW >= 14 && !beside) {
        pen.fillStyle = colour('--paper');
        pen.textAlign = 'center';
        pen.fillText(label, left + wide / 2, y + ROW / 2);
      }
    }
  }

  function drawCurve() {
    const top = AXIS + D.lanes.length * ROW + 16, points = D.curves[chosen];
    const most = Math.max(D.limit, ...points.map(p => p[1])) * 1.04;
    const y = v => top + CURVE - v / most * CURVE;
    let last = null;
    pen.beginPath();
    for (const [time, value] of points) {
      if (last === null) pen.moveTo(x(time), y(value));
      else { pen.lineTo(x(time), last); pen.lineTo(x(time), y(value)); }
      last = y(value);
    }
    pen.lineTo(x(D.end), last);
    pen.lineTo(x(D.end), y(0));
    pen.lineTo(x(0), y(0));
    pen.fillStyle = colour('--shade3');
    pen.fill();
    pen.strokeStyle = colour('--limit');
    pen.beginPath();
    pen.moveTo(LEFT, y(D.limit));
    pen.lineTo(width, y(D.limit));
    pen.stroke();
    return [top, y(D.limit)];
  }

  function draw() {
    pen.clearRect(0, 0, width, HEIGHT);
    pen.font = '11px system-ui';
    pen.textBaseline = 'middle';
    drawAxis();
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, AXIS, width - LEFT - 8, HEIGHT);
    pen.clip();
    D.lanes.forEach(drawLane);
    const [top, limit] = drawCurve();
    pen.restore();
    pen.textAlign = 'right';
    D.lanes.forEach((lane, i) => {
      if (ROW < 14 && i % 4) return;
      pen.fillStyle = colour(i === chosen ? '--ink' : '--dim');
      pen.fillText(i, LEFT - 8, AXIS + i * ROW + ROW / 2);
    });
    pen.fillStyle = colour('--dim');
    pen.fillText(D.limit.toFixed(0) + ' ' + D.unit, LEFT - 4, limit);
    pen.textAlign = 'left';
    pen.fillText(D.curve + ' of ' + D.lane + ' ' + chosen + ' (click a ' + D.lane + '); the line is ' + D.limitName,
      LEFT + 4, top - 7);
  }

  function zoom(factor, px) {
    const t = timeAt(px), share = (t - from) / (to - from);
    const span = Math.min(D.end, Math.max(D.end * 1e-6, (to - from) * factor));
    from = Math.max(0, t - share * span);
    to = Math.min(D.end, from + span);
    from = to - span;
    draw();
  }

  function move(start) {
    const span = to - from;
    from = Math.min(D.end - span, Math.max(0, start));
    to = from + span;
    draw();
  }

  function laneAt(event) {
    const i = Math.floor((event.clientY - canvas.getBoundingClientRect().top - AXIS) / ROW);
    return i >= 0 && i < D.lanes.length ? i : null;
  }

  function spanAt(lane, t) {
    let found = null;
    const spans = D.lanes[lane];
    for (let k = first(spans, t); k < spans.length && spans[k][0] <= t; k++) {
      if (spans[k][1] >= t && !spans[k][4]) found = spans[k];
    }
    return found;
  }

  function point(event) {
    const lane = laneAt(event), t = timeAt(event.clientX - canvas.getBoundingClientRect().left);
    const span = lane === null ? null : spanAt(lane, t);
    tip.style.display = span ? 'block' : 'none';
    if (!span) return;
    const ms = t => (t * 1e3).toFixed(3);
    tip.textContent = D.kinds[span[2]][0] + ' ' + span[3] + ', ' + D.lane + ' ' + lane + '\n' +
      ms(span[0]) + ' to ' + ms(span[1]) + ' ms (' + ms(span[1] - span[0]) + ' ms)';
    tip.style.left = Math.min(innerWidth - 260, event.clientX + 14) + 'px';
    tip.style.top = event.clientY + 14 + 'px';
  }

  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : .8, event.clientX - canvas.getBoundingClientRect().left);
  }, {passive: false});
  canvas.addEventListener('mousedown', event => { drag = [event.clientX, from]; moved = false; });
  addEventListener('mouseup', () => { drag = null; });
  canvas.addEventListener('click', event => {
    const lane = laneAt(event);
    if (!moved && lane !== null) { chosen = lane; draw(); }
  });
  canvas.addEventListener('dblclick', () => { from = 0; to = D.end; draw(); });
  canvas.addEventListener('mouseleave', () => { tip.style.display = 'none'; });
  canvas.addEventListener('mousemove', event => {
    if (!drag) return point(event);
    moved = moved || Math.abs(drag[0] - event.clientX) > 3;
    move(drag[1] + (drag[0] - event.clientX) / (width - LEFT - 8) * (to - from));
  });
  canvas.addEventListener('keydown', event => {
    const keys = {
      ArrowLeft: () => move(from - (to - from) / 8), ArrowRight: () => move(from + (to - from) / 8),
      ArrowUp: () => { chosen = Math.max(0, chosen - 1); draw(); },
      ArrowDown: () => { chosen = Math.min(D.lanes.length - 1, chosen + 1); draw(); },
      '+': () => zoom(.8, (LEFT + width) / 2), '-': () => zoom(1.25, (LEFT + width) / 2),
    };
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  addEventListener('resize', resize);
  resize();
};
