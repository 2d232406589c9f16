// SPDX-License-Identifier: Apache-2.0

// What the pages share: announcements, texts of states, and charts as SVG. The program writes the constant
// `aspects` before it: the aspects of the device in their order, each with the name of its main field, the kind of its
// values, its unit, and whether it is a stream of samples.

const svgNamespace = "http://www.w3.org/2000/svg";

export const find = id => document.getElementById(id);

export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// MARK: What a screen reader says: the newest news, at most every five seconds

// A second reading of a screen reader would otherwise interrupt the first.
const announcementPause = 5e3;
let pending = "", lastAnnouncement = 0, announcing = null;

export function announce(text) {
  pending = text;
  announcing ??= setTimeout(() => {
    announcing = null;
    lastAnnouncement = Date.now();
    find("live").textContent = pending;
  }, Math.max(0, lastAnnouncement + announcementPause - Date.now()));
}

export function showStatus(state, text) {
  const line = find("status");
  if (line.textContent === text) return;
  line.dataset.state = state;
  line.textContent = text;
  if (state === "lost") announce(text);
}

// MARK: Texts

const isKnown = value => value !== null && value !== undefined && value !== "unknown";
const round = (value, digits = 0) => Number(value.toFixed(digits)).toLocaleString();
const words = text => text.replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`);
const capital = text => text.charAt(0).toUpperCase() + text.slice(1);
// Integers that a number cannot hold are exact, in browsers of 2025 and later.
const stringify = value => JSON.stringify(value, (_, part) => typeof part === "bigint" ? JSON.rawJSON(part) : part);
export const parse = text => JSON.parse(text, (_, value, context) =>
  typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source) ? BigInt(context.source) : value);
const list = values => values.filter(value => value).join(" · ");

// No line ends between a number and its unit.
export const percent = level => `${Math.round(level * 100)}\u00a0%`;
export const count = (number, one, many = one + "s") => `${number.toLocaleString()} ${number === 1 ? one : many}`;

export function duration(seconds) {
  if (seconds < 1) return "a\u00a0moment";
  if (seconds < 90) return `${Math.round(seconds)}\u00a0s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)}\u00a0min`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)}\u00a0h`;
  return `${Math.round(seconds / 86400)}\u00a0days`;
}

export function time(milliseconds, withDay = false) {
  const date = new Date(milliseconds);
  const clock = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: withDay ? undefined : "2-digit" });
  return withDay ? `${date.toLocaleDateString([], { weekday: "short", day: "numeric", month: "short" })} ${clock}` : clock;
}

// For aspects with more to say than their main field: value (short), more (details), and for a line level (0 to 1) or
// number (between the lowest and the highest of its lane).
const forms = {
  battery: b => ({
    value: isKnown(b.level) ? percent(b.level) : "unknown", gauge: b.level, isCharging: b.state === "charging",
    more: list([isKnown(b.state) && (b.state === "unplugged" ? "on battery" : b.state), b.packs?.length > 1 && `${b.packs.length} packs`]),
    level: b.level, lane: isKnown(b.level) ? percent(b.level) : undefined,
  }),
  orientation: o => ({ value: words(o.pose), more: o.planar && o.planar !== o.pose ? `upright: ${words(o.planar)}` : "" }),
  light: l => ({
    value: isKnown(l.lux) ? `${round(l.lux, l.lux < 10 ? 1 : 0)}\u00a0lx` : "unknown",
    level: isKnown(l.lux) ? Math.min(1, Math.log10(1 + l.lux) / 5) : undefined,
  }),
  display: d => ({
    value: d.screens.length ? d.screens.map(s => `${s.width} × ${s.height}`).join(", ") : "no screen",
    more: list([d.screens.map(s => s.name).join(", "), isKnown(d.brightness) && `brightness\u00a0${percent(d.brightness)}`]),
  }),
  network: n => ({ value: n.reachable ? n.interface ?? "connected" : "no route", more: list([n.kind, n.addresses?.join(", ")]) }),
  locale: l => ({ value: l.identifier, more: l.languages?.join(", ") }),
  defaults: d => ({
    value: count(d.domains.length, "domain"), lane: "changed",
    more: d.domains.slice(0, 4).map(x => x.domain).join(", ") + (d.domains.length > 4 ? " and others" : ""),
  }),
  folders: f => ({ value: count(f.folders.length, "folder"), more: f.folders.map(x => x.name).join(", "), lane: "changed" }),
  motion: m => m.acceleration
    ? { value: `${round(Math.hypot(m.acceleration.x, m.acceleration.y, m.acceleration.z), 2)}\u00a0g`,
        more: ["x", "y", "z"].map(axis => `${axis}\u00a0${m.acceleration[axis].toFixed(2)}`).join("  ") }
    : { value: m.rotation ? "rotation only" : "unknown" },
  shake: s => ({ value: s.peak > 0 ? `${round(s.peak, 1)}\u00a0g` : "none", more: s.peak > 0 ? "peak of the last shake" : "" }),
  power: p => ({
    value: isKnown(p.power) ? `${round(p.power, 1)}\u00a0W` : isKnown(p.energy) ? `${round(p.energy, 1)}\u00a0Wh` : "unknown",
    more: list([
      isKnown(p.timeToEmpty) && `${duration(p.timeToEmpty)}\u00a0left`, isKnown(p.timeToFull) && `full\u00a0in\u00a0${duration(p.timeToFull)}`,
      isKnown(p.health) && `health\u00a0${percent(p.health)}`,
    ]),
  }),
};

function general(name, state) {
  const { field, kind, unit } = aspects.find(aspect => aspect.name === name) ?? {};
  const value = state[field];
  if (value === undefined) return undefined;
  const members = Object.entries(state);
  if (members.every(([, value]) => value === null || typeof value === "boolean")) return flags(members);
  if (!isKnown(value)) return { value: "unknown" };
  if (kind === "level") return { value: percent(value), level: value };
  if (kind === "number") return { value: `${round(value, Math.abs(value) < 10 ? 1 : 0)}${unit.replace(" ", "\u00a0")}`, number: value };
  return kind === "word" ? { value: words(value) } : undefined;
}

// Of several flags, the ones that are on say more than the main field.
function flags(members) {
  if (!members.some(([, value]) => isKnown(value))) return { value: "unknown" };
  return { value: list(members.map(([name, value]) => value && words(name))) || "all off" };
}

export function describe(event) {
  const isName = event.aspect.includes(".");
  const state = isName ? event.value : event[event.aspect];
  if (isName) return named(state);
  if (!state) return { value: "unknown" };
  try {
    return forms[event.aspect]?.(state) ?? general(event.aspect, state) ?? { value: stringify(state), isLong: true };
  } catch {
    // A newer bus may describe its aspects differently.
    return { value: stringify(state), isLong: true };
  }
}

function named(value) {
  if (value === null || value === undefined) return { value: "not published", isWithdrawn: true };
  const rows = members(value);
  if (rows.length === 1) return { value: rows[0].text, more: rows[0].name, rows };
  return { value: rows.map(row => `${row.name} ${row.text}`).join(" · ") || "{}", isLong: true, rows };
}

// The members of a published value; the names of members in members are joined by dots.
function members(value, prefix = "") {
  return Object.entries(value).flatMap(([key, member]) => {
    const name = prefix + key, isNested = member !== null && typeof member === "object";
    if (isNested && !Array.isArray(member) && Object.keys(member).length) return members(member, `${name}.`);
    const number = ["number", "bigint"].includes(typeof member) ? Number(member) : undefined;
    return [{ name, text: isNested ? stringify(member) : String(member), number }];
  });
}

// What the lanes of an aspect show of a state: its words in one lane, and each number of a published value in a lane of
// its own.
export function tracks(event) {
  const { value, lane, level, number, rows, isWithdrawn } = describe(event);
  if (isWithdrawn) return [];
  if (!rows) return [{ name: "", text: String(lane ?? value), level, number }];
  const words = rows.filter(row => row.number === undefined), numbers = rows.filter(row => row.number !== undefined);
  return [
    ...words.length || !rows.length ? [{ name: "", text: words.map(row => row.text).join(" · ") || value }] : [],
    ...numbers.map(row => rows.length > 1 ? row : { ...row, name: "" }),
  ];
}

// Aspects that people look for come first, published names last.
export function compareAspects(one, other) {
  const place = name => {
    const index = aspects.findIndex(aspect => aspect.name === name);
    return name.includes(".") ? aspects.length + 1 : index < 0 ? aspects.length : index;
  };
  return place(one) - place(other) || (one < other ? -1 : one > other ? 1 : 0);
}

export const isStream = aspect => aspects.some(({ name, isStream }) => isStream && name === aspect);

// Whether a rule or the schedule has chosen a name for itself, which says nothing to a person.
export const isOwn = aspect => /^org\.reveille\.(rules|schedule|wake|alarm)(\.|$)/.test(aspect);

export const title = aspect => aspect.includes(".") ? aspect : capital(aspect);

// MARK: Charts

const laneHeight = 24;

function timeTicks(from, to, width, withDay) {
  const steps = [60e3, 120e3, 300e3, 600e3, 900e3, 1200e3, 1800e3, 3600e3, 2 * 3600e3, 4 * 3600e3, 6 * 3600e3, 12 * 3600e3, 86400e3, 2 * 86400e3, 5 * 86400e3, 10 * 86400e3];
  const most = Math.max(2, Math.floor(width / (withDay ? 66 : 88)));
  // Days are marked as days, unless there are only two.
  const step = steps.find(step => (to - from) / step <= most && (!withDay || step >= 86400e3 || to - from <= 2 * 86400e3)) ?? steps.at(-1);
  const offset = new Date(to).getTimezoneOffset() * 60e3;
  const ticks = [];
  for (let at = Math.ceil((from - offset) / step) * step + offset; at <= to; at += step) ticks.push(at);
  const format = step >= 86400e3 ? { day: "numeric", month: "short" } : { hour: "2-digit", minute: "2-digit" };
  return ticks.map(at => [at, step >= 86400e3
    ? new Date(at).toLocaleDateString([], format) : new Date(at).toLocaleTimeString([], format)]);
}

function clear(chart, width, height) {
  for (const child of [...chart.children]) if (!["title", "desc"].includes(child.tagName)) child.remove();
  chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
  chart.setAttribute("height", height);
}

function axis(chart, ticks, x, top, bottom, width) {
  for (const [at, text] of ticks) {
    const place = x(at);
    chart.append(svg("line", { class: "grid", x1: place, x2: place, y1: top, y2: bottom }));
    const anchor = place < 24 ? "start" : place > width - 24 ? "end" : "middle";
    chart.append(svg("text", { x: place, y: bottom + 16, "text-anchor": anchor }, text));
  }
}

// Lanes: [{ label, spans: [{ from, to, text, level, number, kind }] }]; kinds are numbers of states within a lane.
export function drawLanes(chart, lanes, from, to, width) {
  const isNarrow = width < 520;
  const left = isNarrow ? 0 : Math.min(230, Math.max(...lanes.map(lane => lane.label.length * 7.2), 90) + 12);
  const pitch = laneHeight + (isNarrow ? 26 : 10);
  const bottom = lanes.length * pitch + 2;
  clear(chart, width, bottom + 22);
  chart.append(patterns());
  const x = at => left + (at - from) / (to - from) * (width - left);
  axis(chart, timeTicks(from, to, width - left, false), x, 0, bottom, width);
  lanes.forEach((lane, index) => {
    const top = index * pitch + (isNarrow ? 18 : 0);
    const name = shortened(lane.label, isNarrow ? width : left - 8);
    chart.append(svg("text", { class: "name", x: 0, y: isNarrow ? top - 5 : top + laneHeight / 2 + 4.5 }, name));
    chart.append(svg("rect", { class: "track", x: left, y: top, width: width - left, height: laneHeight, rx: 4 }));
    const levels = levelsOf(lane.spans);
    if (levels.some(Number.isFinite)) return line(chart, lane.spans, levels, x, top);
    for (const span of lane.spans) segment(chart, span, x(Math.max(from, span.from)), x(span.to), top);
  });
}

function segment(chart, span, start, end, top) {
  const width = Math.max(1.5, end - start);
  const place = { x: start, y: top, width, height: laneHeight, rx: Math.min(4, width / 2) };
  const box = svg("rect", { class: `s${span.kind % 6}`, ...place }, svg("title", {}, `${span.text}, since ${time(span.from)}`));
  chart.append(box);
  if (span.kind % 4) chart.append(svg("rect", { fill: `url(#hatch${span.kind % 4})`, "pointer-events": "none", ...place }));
  chart.append(svg("line", { class: "mark", x1: start, x2: start, y1: top, y2: top + laneHeight }));
  if (span.text.length * 7 + 12 < width) {
    chart.append(svg("text", { class: "inside", x: start + 7, y: top + laneHeight / 2 + 4.5 }, span.text));
  }
}

// The height of a number that did not change leaves room for its text.
const flat = .6;

// The heights of a line.
function levelsOf(spans) {
  const numbers = numbersOf(spans), low = Math.min(...numbers), high = Math.max(...numbers);
  // Halves, because the difference of two numbers may be too large for a number.
  return spans.map(({ level, number }) => number === undefined ? level : high > low ? (number / 2 - low / 2) / (high / 2 - low / 2) : flat);
}

const numbersOf = spans => spans.map(span => span.number).filter(Number.isFinite);

function line(chart, spans, levels, x, top) {
  const y = level => top + laneHeight - 2 - level * (laneHeight - 4);
  const numbers = numbersOf(spans);
  const group = svg("g", {}, svg("title", {}, numbers.length ? `between ${Math.min(...numbers)} and ${Math.max(...numbers)}` : ""));
  // A part of the line ends where the number is unknown.
  for (let first = 0, next; first < spans.length; first = next) {
    next = first + 1;
    if (!Number.isFinite(levels[first])) continue;
    let path = `M${x(spans[first].from)} ${y(levels[first])}H${x(spans[first].to)}`;
    for (; Number.isFinite(levels[next]) && spans[next].from === spans[next - 1].to; next += 1) path += `V${y(levels[next])}H${x(spans[next].to)}`;
    group.append(svg("path", { class: "area", d: `${path}V${top + laneHeight}H${x(spans[first].from)}Z` }), svg("path", { class: "step", d: path }));
  }
  const last = spans.findLastIndex((_, index) => Number.isFinite(levels[index]));
  const above = levels[last] < .5;
  chart.append(group, svg("text", { class: "name halo", x: x(spans[last].to) - 6, y: above ? top + 9.5 : top + laneHeight - 2, "text-anchor": "end" }, spans[last].text));
}

const shortened = (text, width) => {
  const most = Math.floor(width / 7.2);
  return text.length <= most ? text : `…${text.slice(text.length - most + 1)}`;
};

function patterns() {
  const pattern = (name, size, ...marks) =>
    svg("pattern", { id: name, width: size, height: size, patternUnits: "userSpaceOnUse" }, ...marks);
  return svg("defs", {},
    pattern("hatch1", 8, svg("path", { class: "hatch", d: "M-2 10L10 -2M-2 2L2 -2M6 10L10 6" })),
    pattern("hatch2", 8, svg("circle", { class: "dot", cx: 4, cy: 4, r: 1.7 })),
    pattern("hatch3", 8, svg("path", { class: "hatch", d: "M4 0V8" })));
}

// Points: [seconds, level, state, isStart]. Returns the function that finds a point by its place.
export function drawBattery(chart, points, from, to, width) {
  const height = width < 520 ? 190 : 250;
  const [left, right, top, bottom] = [42, 6, 8, height - 26];
  clear(chart, width, height);
  chart.classList.toggle("dense", (to - from) / 86400 > 7 || width < 520 && (to - from) / 86400 > 1);
  const x = at => left + (at - from) / (to - from) * (width - left - right);
  const y = level => bottom - level * (bottom - top);
  for (const level of [0, .25, .5, .75, 1]) {
    chart.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(level), y2: y(level) }));
    chart.append(svg("text", { x: left - 7, y: y(level) + 4, "text-anchor": "end" }, percent(level)));
  }
  axis(chart, timeTicks(from * 1e3, to * 1e3, width - left, true), at => x(at / 1e3), top, bottom, width);
  for (const run of runs(points, to)) {
    let path = `M${x(run.points[0][0])} ${y(run.points[0][1])}`;
    for (const point of run.points.slice(1)) path += `H${x(point[0])}V${y(point[1])}`;
    path += `H${x(run.end)}`;
    chart.append(svg("path", { class: `under ${run.kind}`, d: `${path}V${bottom}H${x(run.points[0][0])}Z` }));
    chart.append(svg("path", { class: `line ${run.kind}`, d: path }));
  }
  const cursor = svg("g", { visibility: "hidden" }, svg("line", { class: "cursor", y1: top, y2: bottom }), svg("circle", { class: "point", r: 4.5 }));
  chart.append(cursor);
  return {
    indexAt(place) {
      const at = from + (place - left) / (width - left - right) * (to - from);
      return points.findLastIndex(point => point[0] <= at);
    },
    show(index) {
      const point = points[index];
      cursor.setAttribute("visibility", point && point[1] !== null ? "visible" : "hidden");
      if (!point || point[1] === null) return;
      cursor.children[0].setAttribute("x1", x(point[0]));
      cursor.children[0].setAttribute("x2", x(point[0]));
      cursor.children[1].setAttribute("cx", x(point[0]));
      cursor.children[1].setAttribute("cy", y(point[1]));
    },
  };
}

export const kindOf = state => state === "charging" || state === "full" ? "charging" : state === "unplugged" ? "unplugged" : "unknown";

// The parts of a line with one kind of state. A part ends where the next one begins, or where the recording stopped.
function runs(points, to) {
  const found = [];
  points.forEach((point, index) => {
    const next = points[index + 1];
    const end = next ? (next[3] ? point[0] : next[0]) : to;
    const last = found.at(-1);
    if (point[1] === null) return;
    const isContinued = last && last.kind === kindOf(point[2]) && !point[3] && last.end === point[0];
    if (isContinued) last.points.push(point); else found.push({ kind: kindOf(point[2]), points: [point] });
    found.at(-1).end = end;
  });
  return found;
}

// Deliveries: [{ events, changes }], the newest last.
export function drawWakes(chart, wakes, width) {
  const height = 96, bottom = height - 20, slot = 14;
  clear(chart, width, height);
  const shown = wakes.slice(-Math.floor(width / slot));
  const most = Math.max(4, ...shown.map(wake => wake.changes));
  chart.append(svg("line", { class: "grid", x1: 0, x2: width, y1: bottom, y2: bottom }));
  shown.forEach((wake, index) => {
    const x = width - (shown.length - index) * slot;
    const size = Math.max(3, Math.log2(1 + wake.changes) / Math.log2(1 + most) * (bottom - 18));
    const text = `${count(wake.changes, "change")}, ${count(wake.events, "event")}, ${time(wake.at)}`;
    chart.append(svg("rect", { class: wake.changes > wake.events ? "many" : "one", x: x + 2, y: bottom - size, width: slot - 4, height: size, rx: 2 }, svg("title", {}, text)));
    if (wake.changes > wake.events) chart.append(svg("text", { x: x + slot / 2, y: bottom - size - 4, "text-anchor": "middle" }, String(wake.changes)));
  });
  if (shown.length) chart.append(svg("text", { x: width, y: height - 4, "text-anchor": "end" }, "now"));
}
