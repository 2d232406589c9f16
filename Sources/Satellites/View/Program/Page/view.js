// SPDX-License-Identifier: Apache-2.0

// The page's behavior: a subscriber in the foreground while visible, and no subscriber while hidden.

import { announce, compareAspects, count, describe, drawBattery, drawLanes, drawWakes, duration, find, html, isOwn, isStream, parse, percent, showStatus, svg, time, title, tracks } from "./draw.js";

const hour = 3600e3;
// A chart begins with this much time, and grows with its data.
const leastWindow = 600e3;
const pollPause = 3e3;
const redrawPause = 10e3;
// A lane of an aspect that changes constantly would otherwise be requested constantly.
const lanePause = 1e3;
const batteryPause = 60e3;
// Lanes of more names would be longer than a screen.
const nameLanes = 12;
// Aspects that change continuously, or without states for a lane.
const withoutLane = new Set(["motion", "power", "lifecycle"]);
const shownWakes = 200;
const shortAbsence = 5e3;

const states = new Map();   // aspect -> the last event
const lanes = new Map();    // aspect -> [{ at, event }], oldest first
const wakes = [];
let sources = new Map();
let stream = null;
let position = sessionStorage.getItem("position") ?? "";
let hiddenAt = Number(sessionStorage.getItem("hiddenAt")) || null;
let battery = null;
let hasLanes = false;
let cursor = null, cursorIndex = -1;
let probe = null;

// MARK: The stream

function open() {
  if (stream || document.hidden) return;
  clearTimeout(probe);
  stream = new EventSource("/events" + (position ? `?resume=${encodeURIComponent(position)}` : ""));
  stream.addEventListener("aspects", message => { sources = new Map(parse(message.data).aspects.map(source => [source.aspect, source])); });
  stream.addEventListener("start", message => start(parse(message.data), message.lastEventId));
  stream.addEventListener("events", message => take(parse(message.data).events, message.lastEventId));
  stream.addEventListener("lost", message => showStatus("lost", `The bus is away: ${JSON.parse(message.data).reason}`));
  stream.addEventListener("error", () => {
    if (!stream) return;
    if (stream.readyState === EventSource.CLOSED) return refused();
    showStatus("lost", "reveille-view does not answer. Trying again.");
  });
}

function close() {
  stream?.close();
  stream = null;
}

// A refused stream does not tell why. Another request does.
async function refused() {
  close();
  let reason = "reveille-view does not answer.";
  try {
    const response = await fetch("/battery?span=day");
    if (response.ok) {
      // The position was refused: everything is read anew.
      keep("");
      reason = "The stream was refused. Reading everything again.";
    } else {
      reason = await response.text();
    }
  } catch { /* The reason above is the right one. */ }
  showStatus("lost", reason);
  probe = setTimeout(open, pollPause);
}

function keep(id) {
  position = id;
  sessionStorage.setItem("position", id);
}

function start(reply, id) {
  const before = states.size;
  reply.events = reply.events.filter(event => !isOwn(event.aspect));
  const isOther = reply.resumed === false;
  if (isOther) { states.clear(); lanes.clear(); }
  for (const name of reply.withdrawn ?? []) remove(name);
  const changed = reply.events.filter(event => event.changes > 0);
  welcome(changed, isOther);
  note(changed);
  hiddenAt = null;
  sessionStorage.removeItem("hiddenAt");
  for (const event of reply.events) set(event, before > 0 && event.changes > 0);
  if (isOther) { announce("Another instance of the bus. All states are new."); }
  keep(id);
  find("loading").hidden = true;
  showStatus("live", "Live. Hide this tab, and it sleeps.");
  loadLanes([...states.keys()]);
  loadBattery();
  drawCards();
}

// What happened while the page was hidden, in one line.
function welcome(changed, isOther) {
  const line = find("return");
  if (!hiddenAt) { if (isOther && states.size === 0) show(line, "Another instance of the bus: it was restarted without its states, so all of them are new."); return; }
  const seconds = (Date.now() - hiddenAt) / 1e3;
  const away = seconds < 1 ? "for a moment" : duration(seconds);
  const total = changed.reduce((sum, event) => sum + event.changes, 0);
  let text;
  // A page that was only reloaded has nothing to report.
  if (!isOther && !changed.length && Date.now() - hiddenAt < shortAbsence) return;
  if (isOther) text = `Hidden ${away}. Meanwhile another instance of the bus began, so all states are new.`;
  else if (!changed.length) text = `Hidden ${away}: nothing changed.`;
  else if (changed.length <= 3) text = `Hidden ${away}: ` + changed.map(event => `${event.changes.toLocaleString()} ${event.aspect} ${event.changes === 1 ? "change" : "changes"}, one event`).join("; ") + ".";
  else text = `Hidden ${away}: ${count(total, "change")} of ${changed.length} aspects, one event each.`;
  show(line, text);
  announce(text);
}

function show(element, text) {
  element.textContent = text;
  element.hidden = !text;
}

function take(all, id) {
  const events = all.filter(event => !isOwn(event.aspect));
  note(events);
  for (const event of events) {
    set(event, true);
    extend(event);
  }
  keep(id);
  redraw();
  announce(events.map(event => `${title(event.aspect)}: ${describe(event).value}`).join(". "));
}

function set(event, isFresh) {
  event.isFresh = isFresh;
  if (event.aspect.includes(".") && event.value == null) return remove(event.aspect);
  states.set(event.aspect, event);
}

function remove(name) {
  states.delete(name);
  lanes.delete(name);
  wanted.delete(name);
}

function note(events) {
  if (!events.length) return;
  wakes.push({ at: Date.now(), aspects: events.map(event => event.aspect), events: events.length, changes: events.reduce((sum, event) => sum + event.changes, 0) });
  if (wakes.length > shownWakes) wakes.shift();
  redraw();
}

// MARK: Now

function drawCards() {
  const cards = find("cards");
  const present = [...states.values()].filter(event => sources.get(event.aspect)?.available !== false || describe(event).value !== "unknown" && event.generation > 0)
    .sort((one, other) => compareAspects(one.aspect, other.aspect));
  const old = new Map([...cards.children].map(card => [card.dataset.aspect, card]));
  cards.replaceChildren(...present.map(event => {
    let card = old.get(event.aspect);
    if (card && card.event === event) return card;
    card = drawCard(event);
    return card;
  }));
  const absent = [...sources.values()].filter(source => source.available === false && source.aspect !== "lifecycle" && !source.aspect.includes(".") && !present.some(event => event.aspect === source.aspect));
  find("absent").hidden = !absent.length;
  find("absent").querySelector("summary").textContent = `${count(absent.length, "aspect has", "aspects have")} no source on this device`;
  find("absent").querySelector("dl").replaceChildren(...absent.flatMap(source => [html("dt", {}, title(source.aspect)), html("dd", {}, source.reason ?? "")]));
}

function drawCard(event) {
  const form = describe(event);
  // A stream changes all the time, so its changes are nothing new.
  const card = html("li", { class: event.isFresh && !isStream(event.aspect) ? "card fresh" : "card", "data-aspect": event.aspect },
    html("h3", {}, ...breakable(title(event.aspect))), drawValue(form));
  card.event = event;
  event.isFresh = false;
  if (form.gauge != null) {
    card.append(html("div", { class: "gauge" }, svg("svg", { viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: form.gauge <= .15 ? "low" : "", width: Math.round(form.gauge * 100), height: 1 }))));
  }
  if (form.more) card.append(html("p", { class: "more" }, form.more));
  card.append(html("p", { class: "age" }, age(event)));
  return card;
}

function drawValue(form) {
  if (form.rows?.length > 1) return html("dl", { class: "members" }, ...form.rows.flatMap(row => [html("dt", {}, ...breakable(row.name)), html("dd", {}, ...breakable(row.text))]));
  // A long word would be broken in large letters.
  const text = String(form.value), isLong = form.isLong || text.length > 18 || text.split(/[\s.]/).some(word => word.length > 10);
  return html("p", { class: isLong ? "value long" : "value" }, ...breakable(text),
    ...form.isCharging ? [svg("svg", { class: "bolt", viewBox: "0 0 10 16", "aria-hidden": "true" }, svg("path", { d: "M6 0L0 9h4L3 16l7-10H6z" }))] : []);
}

// A name may be broken after its dots.
const breakable = text => text.split(/(?<=\.)(?=\p{L})/u).flatMap(part => [part, html("wbr")]);

function age(event) {
  if (event.generation === 0) return "since the bus started";
  const since = `${duration((Date.now() - event.changedAt / 1e3) / 1e3)} ago`;
  return event.changes > 1 ? `${since} · ${event.changes.toLocaleString()} changes, one event` : since;
}

// MARK: The last hour

// The aspects whose changes must be requested, and the aspect being requested.
const wanted = new Set();
let requested = null, isLoading = false;

async function loadLanes(aspects) {
  for (const aspect of aspects) {
    const names = new Set([...lanes.keys(), ...wanted, requested ?? ""].filter(name => name.includes(".")));
    if (!withoutLane.has(aspect) && (!aspect.includes(".") || names.has(aspect) || names.size < nameLanes)) wanted.add(aspect);
  }
  if (isLoading) return;
  isLoading = true;
  while (wanted.size && !document.hidden) {
    await loadWanted();
    hasLanes = true;
    redraw();
    await new Promise(done => setTimeout(done, lanePause));
  }
  isLoading = false;
}

async function loadWanted() {
  // One after the other: a browser opens six connections at most, and the stream needs one.
  for (const aspect of [...wanted]) {
    if (document.hidden) break;
    // A change during the request makes the aspect wanted again.
    wanted.delete(aspect);
    requested = aspect;
    try {
      const response = await fetch(`/changes?aspect=${encodeURIComponent(aspect)}`);
      if (!response.ok) continue;
      const changes = parse(await response.text()).events;
      // A name may have been withdrawn meanwhile.
      if (states.has(aspect)) lanes.set(aspect, changes.map(event => ({ at: event.changedAt / 1e3, event })));
    } catch {
      wanted.clear();
    } finally {
      requested = null;
    }
  }
}

function extend(event) {
  if (withoutLane.has(event.aspect)) return;
  const lane = lanes.get(event.aspect);
  if (!lane || event.changes > 1) return void loadLanes([event.aspect]);
  lane.push({ at: event.changedAt / 1e3, event });
  if (lane.length > 2000) lane.shift();
}

function drawHour() {
  const chart = find("lanes"), to = Date.now();
  const changed = [...lanes].filter(([aspect, changes]) => states.has(aspect) && changes.some(change => change.at > to - hour))
    .sort(([one], [other]) => compareAspects(one, other));
  const from = Math.max(to - hour, Math.min(to - leastWindow, ...changed.map(([, changes]) => changes[0].at)));
  const drawn = changed.flatMap(([aspect, changes]) => lanesOf(aspect, changes, from, to));
  // The names are last.
  drawn.splice(drawn.filter(lane => !lane.isOfName).length + nameLanes);
  show(chart.nextElementSibling, drawn.length ? "" : hasLanes ? "Nothing has changed in the last hour." : "Loading…");
  chart.style.display = drawn.length ? "" : "none";
  const width = chart.clientWidth || chart.parentElement.clientWidth - 32;
  if (drawn.length) drawLanes(chart, drawn, from, to, width);
  find("lanes-text").textContent = drawn.map(lane => `${lane.name}: ${count(lane.spans.length, "state")}, now ${lane.spans.at(-1).text}`).join(". ");
  const rows = drawn.flatMap(lane => lane.spans.map(span => [span.at, lane.name, span.text])).sort((a, b) => b[0] - a[0]);
  fill("lanes-table", rows.map(([at, name, text]) => [time(at), name, text]));
}

function lanesOf(aspect, changes, from, to) {
  const isOfName = aspect.includes("."), found = new Map();
  const shown = changes.slice(Math.max(0, changes.findLastIndex(change => change.at <= from)));
  shown.forEach(({ at, event }, index) => {
    const end = shown[index + 1]?.at ?? to;
    for (const { name, text, level, number } of tracks(event).slice(0, nameLanes)) {
      if (!found.has(name)) found.set(name, { spans: [], kinds: new Map() });
      const { spans, kinds } = found.get(name), last = spans.at(-1);
      // Another member of the value has changed.
      if (isOfName && last?.text === text && last.to === at) { last.to = end; continue; }
      if (!kinds.has(text)) kinds.set(text, kinds.size);
      spans.push({ from: Math.max(from, at), to: end, at, text, level: level ?? undefined, number, kind: kinds.get(text) });
    }
  });
  return [...found].map(([name, { spans }], index) => {
    const full = name ? `${aspect} ${name}` : title(aspect);
    return { name: full, label: index ? `\u2003${name}` : full, isOfName, spans };
  });
}

function fill(id, rows) {
  const table = find(id);
  // A closed table costs nothing.
  if (!table.closest("details").open) return;
  table.tBodies[0].replaceChildren(...rows.map(row => html("tr", {}, ...row.map((cell, index) => html("td", typeof cell === "number" ? { class: "number" } : {}, String(cell))))));
}

// MARK: The battery

async function loadBattery() {
  const span = document.querySelector("[name=span]:checked").value;
  try {
    const response = await fetch(`/battery?span=${span}`);
    if (!response.ok) return;
    battery = { ...await response.json(), span };
  } catch { return; }
  cursorIndex = -1;
  battery.recorded = battery.points;
  show(find("problem"), battery.problem ? `The history is not recorded: ${battery.problem}` : "");
  drawHistory();
}

// Of a minute, only the last level is recorded. The bus still knows each of the latest changes.
function addLatest() {
  const known = (lanes.get("battery") ?? []).map(({ at, event }) => [at / 1e3, event.battery?.level ?? null, event.battery?.state ?? "unknown", false]);
  const latest = known.slice(Math.max(0, known.findLastIndex(point => point[0] <= battery.from)));
  if (!latest.length) return;
  latest[0][0] = Math.max(battery.from, latest[0][0]);
  battery.points = [...battery.recorded.filter(point => point[0] < Math.floor(latest[0][0])), ...latest];
  battery.to = Math.max(battery.to, latest.at(-1)[0]);
}

function drawHistory() {
  if (!battery) return;
  addLatest();
  const chart = find("battery"), { points, from, to, span } = battery;
  const empty = chart.nextElementSibling;
  show(empty, points.length ? "" : battery.problem ? "" : states.has("battery") && sources.get("battery")?.available === false ? "There is no battery to record." : "There are no records yet.");
  chart.style.display = points.length ? "" : "none";
  find("legend").hidden = !points.length;
  find("recorded").textContent = battery.events ? `Recorded: ${count(battery.events, "event")} for ${count(battery.changes, "change")}.` : "";
  if (!points.length) return;
  cursor = drawBattery(chart, points, from, to, chart.clientWidth || chart.parentElement.clientWidth - 32);
  const levels = points.map(point => point[1]).filter(level => level !== null);
  find("chart-text").textContent = levels.length
    ? `The last ${span}: between ${percent(Math.min(...levels))} and ${percent(Math.max(...levels))}, now ${percent(levels.at(-1))}. Use the arrow keys to read the points.` : "";
  fill("battery-table", [...points].reverse().map(([at, level, state]) => [time(at * 1e3, true), level === null ? "unknown" : percent(level), state === "unplugged" ? "on battery" : state]));
}

function point(index) {
  if (!battery) return;
  cursorIndex = Math.max(0, Math.min(battery.points.length - 1, index));
  const [at, level, state] = battery.points[cursorIndex] ?? [];
  if (at === undefined) return;
  cursor?.show(cursorIndex);
  find("reading").textContent = `${time(at * 1e3, true)}: ${level === null ? "unknown" : percent(level)}, ${state === "unplugged" ? "on battery" : state}`;
}

find("battery").addEventListener("keydown", event => {
  const last = (battery?.points.length ?? 0) - 1, index = cursorIndex < 0 ? last : cursorIndex;
  const next = { ArrowLeft: index - 1, ArrowRight: index + 1, PageUp: index - 20, PageDown: index + 20, Home: 0, End: last }[event.key];
  if (next === undefined || last < 0) return;
  event.preventDefault();
  find("reading").setAttribute("aria-live", "polite");
  point(cursorIndex < 0 ? last : next);
});
find("battery").addEventListener("pointermove", event => {
  if (!cursor) return;
  find("reading").setAttribute("aria-live", "off");
  const box = find("battery").getBoundingClientRect();
  const index = cursor.indexAt(event.clientX - box.left);
  if (index >= 0) point(index);
});
find("battery").addEventListener("pointerleave", () => { cursor?.show(-1); cursorIndex = -1; find("reading").textContent = ""; });
find("spans").addEventListener("change", () => { find("reading").textContent = ""; loadBattery(); });

// MARK: The subscribers

const listed = aspect => isOwn(aspect) ? "schedule" : aspect;
const holdTexts = { app: "in the background", operator: "sent to the background", frozen: "frozen", unread: "does not read" };

async function poll() {
  if (document.hidden) return;
  try {
    const response = await fetch("/subscriptions");
    if (response.ok) drawSubscriptions((await response.json()).subscriptions);
    await follow();
  } catch { /* The stream reports what is wrong. */ }
}

// The stream has names with a usual first word, or with one that existed at its start. A name with a new first word
// restarts the stream.
async function follow() {
  const response = await fetch("/aspects");
  if (!response.ok || !stream) return;
  const words = names => [...names].filter(name => name.includes(".")).map(name => name.split(".")[0]);
  const known = new Set(words([...sources.keys(), ...states.keys()]));
  const found = words((await response.json()).aspects.map(source => source.aspect));
  if (found.every(word => known.has(word))) return;
  close();
  open();
}

function drawSubscriptions(subscriptions) {
  // The history of this page waits for its minute, as it is meant to.
  subscriptions = subscriptions.filter(subscription => subscription.name !== "reveille-view history");
  for (const subscription of subscriptions) {
    subscription.aspects = [...new Set(subscription.aspects.map(listed))];
    subscription.pending = subscription.pending.map(entry => ({ ...entry, aspect: listed(entry.aspect) }));
  }
  // Sleepers first, then subscriptions with the most events.
  const order = subscription => [subscription.held.length ? 0 : 1, -subscription.events];
  const sorted = [...subscriptions].sort((a, b) => order(a)[0] - order(b)[0] || order(a)[1] - order(b)[1]);
  find("subscriptions").tBodies[0].replaceChildren(...sorted.map(subscription => {
    const waiting = subscription.pending.reduce((sum, entry) => sum + entry.changes, 0);
    const held = subscription.held.map(reason => holdTexts[reason] ?? reason).join(", ");
    const cell = (...content) => html("td", { role: "cell" }, ...content);
    const number = (value, label) => html("td", { role: "cell", class: "number", "data-label": label }, value.toLocaleString());
    return html("tr", { role: "row" },
      cell(subscription.name ?? `Process ${subscription.pid}`, html("span", { class: "sub" }, `${subscription.name ? `process ${subscription.pid} · ` : ""}${subscription.aspects.length > 5 ? count(subscription.aspects.length, "aspect") : subscription.aspects.join(", ")}`)),
      cell(html("span", { class: held ? "tag held" : "tag awake" }, held || "awake")),
      cell(waiting ? `${count(subscription.pending.length, "event")} for ${count(waiting, "change")}` : "nothing", ...waiting ? [html("span", { class: "sub" }, subscription.pending.slice(0, 4).map(entry => `${entry.aspect} ${entry.changes.toLocaleString()}`).join(", ") + (subscription.pending.length > 4 ? " and others" : ""))] : []),
      number(subscription.events, subscription.events === 1 ? "event" : "events"), number(subscription.changes, subscription.changes === 1 ? "change" : "changes"));
  }));
}

// MARK: What was merged

function drawMerged() {
  const events = wakes.reduce((sum, wake) => sum + wake.events, 0), changes = wakes.reduce((sum, wake) => sum + wake.changes, 0);
  const chart = find("wakes");
  const text = wakes.length ? `${count(wakes.length, "delivery", "deliveries")} with ${count(events, "event")} for ${count(changes, "change")}.` : "";
  find("merged").textContent = `Each delivery has one event for each aspect, however often it changed. ${text}`;
  find("wakes-text").textContent = text;
  chart.style.display = wakes.length ? "" : "none";
  if (wakes.length) drawWakes(chart, wakes, chart.clientWidth || chart.parentElement.clientWidth - 32);
  fill("wakes-table", [...wakes].reverse().map(wake => [time(wake.at), wake.aspects.map(title).join(", "), wake.events, wake.changes]));
}

// MARK: Time passes

let frame = null;

function redraw() {
  frame ??= requestAnimationFrame(() => {
    frame = null;
    // Once a frame, however many events arrive.
    drawCards();
    drawMerged();
    drawHour();
    // A point that is read stays where it is.
    if (cursorIndex < 0) drawHistory();
    for (const card of find("cards").children) card.querySelector(".age").textContent = age(card.event);
  });
}

let timers = [];

function wake() {
  open();
  poll();
  timers = [setInterval(poll, pollPause), setInterval(redraw, redrawPause), setInterval(loadBattery, batteryPause)];
}

function sleep() {
  close();
  clearTimeout(probe);
  timers.forEach(clearInterval);
  hiddenAt = Date.now();
  // The browser may discard a hidden tab, which resumes all the same.
  sessionStorage.setItem("hiddenAt", hiddenAt);
}

document.addEventListener("visibilitychange", () => { if (document.hidden) sleep(); else wake(); });
for (const details of document.querySelectorAll("details")) details.addEventListener("toggle", () => { drawHour(); drawHistory(); drawMerged(); });
new ResizeObserver(() => { drawHour(); drawHistory(); drawMerged(); }).observe(document.querySelector("main"));
drawMerged();
if (!document.hidden) wake();
