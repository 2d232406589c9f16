// SPDX-License-Identifier: Apache-2.0

// The page of a fleet: one tile a device. The page has a stream only while it is visible.

import { announce, compareAspects, count, describe, duration, find, html, percent, showStatus } from "./draw.js";

const retryPause = 3e3;
// Tiles that move more often cannot be read.
const orderPause = 1e3;
const agePause = 10e3;
const shortAbsence = 5e3;
const lowLevel = .15;
// The wakes after which a sleeper is overdue, as in `reveille-fleet status`.
const overdueWakes = 2;
// After its alarm, a machine connects again within five minutes.
const grace = 300e3;

const words = { online: "online", noBus: "no bus", asleep: "asleep", overdue: "overdue", stopped: "stopped", lost: "lost", unknown: "unknown" };
const ranks = { lost: 0, overdue: 1, noBus: 2, unknown: 4, stopped: 5, asleep: 6, online: 7 };
const poses = { portrait: "portrait", portraitUpsideDown: "upside down", landscapeLeft: "landscape left", landscapeRight: "landscape right", faceUp: "face up", faceDown: "face down" };

const tiles = new Map();    // device -> { data, element, state, rank, parts }
const dirty = new Set();    // tiles to be drawn
const visible = new Set();  // tiles on the screen
const collator = new Intl.Collator(undefined, { numeric: true });
let order = [];
let stream = null, probe = null, timers = [];
let position = "";
// The time up to which statuses are known; infinite while the page is live. A sleeper may have woken up since.
let knownUntil = 0;
let hiddenAt = null;
let seen = null;            // what was seen when the page was hidden: device -> { total, unknown, state }

// MARK: The stream

function open() {
  if (stream || document.hidden) return;
  clearTimeout(probe);
  stream = new EventSource("/fleet/events" + (position ? `?resume=${encodeURIComponent(position)}` : ""));
  const on = (name, action) => stream.addEventListener(name, message => action(JSON.parse(message.data), message.lastEventId));
  on("start", reply => { if (!reply.resumed) clear(); });
  on("tiles", (reply, id) => {
    for (const device of reply.removed) remove(device);
    for (const data of reply.tiles) set(data);
    position = id;
  });
  on("reading", () => status("waiting", "Reading what the broker has…"));
  on("live", reply => { status("live", `Live: ${count(reply.devices, "device")}. Hide this tab, and it sleeps.`); welcome(); refresh(); });
  on("lost", reply => status("lost", `The broker is away: ${reply.reason}`));
  on("ended", reply => status("lost", `The fleet is not read: ${reply.reason}. Reload this page to ask the broker again.`));
  on("problem", reply => show(find("problem"), reply.reason));
  stream.addEventListener("error", () => {
    if (!stream) return;
    if (stream.readyState === EventSource.CLOSED) return refused();
    status("lost", "reveille-view does not answer. Trying again.");
  });
}

function close() {
  stream?.close();
  stream = null;
  setLive(false);
}

function setLive(isLive) {
  knownUntil = isLive ? Infinity : Math.min(knownUntil, Date.now());
}

// A refused stream does not tell why. Another request does.
async function refused() {
  close();
  let reason = "reveille-view does not answer.";
  try {
    const response = await fetch("/fleet");
    if (response.ok) position = "";
    else reason = await response.text();
  } catch { /* The reason above is the right one. */ }
  status("lost", reason);
  probe = setTimeout(open, retryPause);
}

function clear() {
  tiles.clear();
  dirty.clear();
  visible.clear();
  order = [];
  find("tiles").replaceChildren();
  seen = null;
  reorder();
}

function set(data) {
  let tile = tiles.get(data.device);
  if (!tile) {
    tile = { data: null, element: null, merged: null, rank: null };
    tiles.set(data.device, tile);
  }
  const before = seen?.get(data.device) ?? tile.data;
  // Both totals are sums of differences of generations, so the result is exact unless another bus began.
  tile.merged = !before ? null : data.unknown === before.unknown ? data.total - before.total : NaN;
  tile.data = data;
  dirty.add(tile);
  draw();
}

function remove(device) {
  const tile = tiles.get(device);
  if (!tile) return;
  tiles.delete(device);
  dirty.delete(tile);
  visible.delete(tile);
  tile.element?.remove();
  order = order.filter(other => other !== tile);
  draw();
}

// What happened while the page was hidden, in one line.
function welcome() {
  if (!hiddenAt) return;
  const away = Date.now() - hiddenAt;
  hiddenAt = null;
  const before = seen;
  seen = null;
  if (!before) return show(find("return"), "reveille-view was restarted meanwhile, so the numbers of changes are unknown.");
  let changes = 0, changed = 0, uncounted = 0, others = 0;
  for (const [device, { data }] of tiles) {
    const old = before.get(device);
    if (!old || old.unknown !== data.unknown) uncounted += 1;
    else if (old.total !== data.total) { changed += 1; changes += data.total - old.total; }
    else if (old.state !== data.state) others += 1;
  }
  const gone = [...before.keys()].filter(device => !tiles.has(device)).length;
  const parts = [];
  if (changed) parts.push(`${count(changes, "change")} on ${count(changed, "device")}`);
  if (uncounted) parts.push(`an unknown number of changes on ${count(uncounted, "device")}, new or started anew`);
  if (others) parts.push(`another status of ${count(others, "device")}`);
  if (gone) parts.push(`${count(gone, "device")} removed`);
  if (!parts.length && away < shortAbsence) return show(find("return"), "");
  show(find("return"), `Hidden ${away < 1e3 ? "for a moment" : duration(away / 1e3)}: ${parts.join("; ") || "nothing changed"}.`);
  announce(find("return").textContent);
}

function show(element, text) {
  element.textContent = text;
  element.hidden = !text;
}

function status(state, text) {
  setLive(state === "live");
  showStatus(state, text);
}

// MARK: Tiles

let frame = null, ordering = null, lastOrder = 0;

function draw() {
  // Once a frame, however many tiles arrive.
  frame ??= requestAnimationFrame(() => {
    frame = null;
    let isMoved = order.length !== tiles.size;
    for (const tile of dirty) isMoved = drawTile(tile) || isMoved;
    dirty.clear();
    if (isMoved) reorder();
  });
}

function stateOf({ state, wakeEvery, wakesAt, seenAt }) {
  const due = wakesAt ? wakesAt / 1e3 + grace : wakeEvery && seenAt ? seenAt / 1e3 + overdueWakes * wakeEvery * 1e3 : Infinity;
  return state === "asleep" && Math.min(Date.now(), knownUntil) > due ? "overdue" : state;
}

// Draws a tile, and returns whether its place may have changed.
function drawTile(tile) {
  const { data } = tile, isNew = !tile.element;
  if (isNew) create(tile);
  const state = stateOf(data), { element, parts } = tile;
  element.dataset.state = state;
  parts.word.textContent = words[state] ?? state;
  const isKnown = data.level !== undefined, isLow = isKnown && data.level <= lowLevel && !data.plugged;
  parts.level.hidden = !isKnown;
  if (isKnown) {
    parts.track.firstChild.style.setProperty("--level", `${Math.round(data.level * 100)}%`);
    parts.track.classList.toggle("low", isLow);
    parts.percent.textContent = percent(data.level);
  }
  show(parts.small, [data.plugged ? "plugged in" : null, poses[data.pose], data.near === undefined ? null : data.near ? "near" : "far"].filter(Boolean).join(" · "));
  show(parts.clock, data.clock ? "clock not set" : "");
  show(parts.trouble, data.problem ?? "");
  if (tile.isOpen) load(tile);
  const merged = tile.merged;
  show(parts.badge, Number.isNaN(merged) ? "restarted" : merged > 1 ? `${merged.toLocaleString()} changes` : "");
  parts.age.textContent = age(data);
  if (visible.has(tile) && !document.hidden) {
    element.classList.remove("fresh");
    requestAnimationFrame(() => element.classList.add("fresh"));
  }
  const rank = data.problem ? Math.min(3, ranks[state] ?? 4) : isLow ? Math.min(3.5, ranks[state]) : ranks[state] ?? 4;
  const isMoved = isNew || rank !== tile.rank;
  tile.rank = rank;
  tile.isMoved ||= isMoved;
  tile.text = `${data.device} ${words[state]}`.toLowerCase();
  return isMoved;
}

function create(tile) {
  const parts = tile.parts = {
    word: html("span", { class: "word" }), badge: html("span", { class: "badge" }),
    track: html("span", { class: "track", "aria-hidden": "true" }, html("span")), percent: html("span", { class: "percent" }),
    small: html("p", { class: "small" }), age: html("p", { class: "age" }), clock: html("p", { class: "clock", title: "The clock of the device is not synchronized, so the times of its changes are unknown." }), trouble: html("p", { class: "trouble" }),
  };
  parts.name = html("button", { class: "name", type: "button", "aria-expanded": "false" }, tile.data.device);
  parts.states = html("dl", { class: "states", hidden: "" });
  parts.level = html("p", { class: "level" }, html("span", { class: "quiet" }, "Battery "), parts.track, parts.percent);
  tile.element = html("li", { class: "tile" },
    parts.name, html("p", { class: "state" }, parts.word, parts.badge),
    parts.level, parts.small, parts.age, parts.clock, parts.trouble, parts.states);
  tile.element.addEventListener("click", () => getSelection().isCollapsed && toggle(tile));
  tile.element.addEventListener("contentvisibilityautostatechange", event => {
    if (event.skipped) return visible.delete(tile);
    visible.add(tile);
    parts.age.textContent = age(tile.data);
  });
}

// MARK: Open tiles

function toggle(tile) {
  tile.isOpen = !tile.isOpen;
  tile.element.classList.toggle("open", tile.isOpen);
  tile.parts.name.setAttribute("aria-expanded", String(tile.isOpen));
  tile.parts.states.hidden = !tile.isOpen;
  if (tile.isOpen) load(tile);
}

// Reads the states of an open tile; a change in the meantime is read afterward, once.
async function load(tile) {
  tile.isStale = true;
  if (tile.isLoading) return;
  tile.isLoading = true;
  while (tile.isOpen && tile.isStale) {
    tile.isStale = false;
    let states, reason = "reveille-view does not answer.";
    try {
      const response = await fetch(`/fleet/device?device=${encodeURIComponent(tile.data.device)}`);
      if (response.ok) ({ states } = await response.json()); else reason = await response.text();
    } catch { /* The reason above is the right one. */ }
    states?.sort((one, other) => compareAspects(one.aspect, other.aspect));
    tile.parts.states.replaceChildren(...states?.flatMap(state => [
      html("dt", {}, state.aspect),
      html("dd", {}, text(state), html("span", { class: "small" }, state.changedAt ? ` ${ago(state.changedAt)}` : "")),
    ]) ?? [html("dd", {}, reason)]);
  }
  tile.isLoading = false;
}

const ago = at => `${duration(Math.max(0, Date.now() - at / 1e3) / 1e3)} ago`;

// A state in words: "62 %, unplugged".
function text({ aspect, value }) {
  const { value: main, more } = describe({ aspect, value, [aspect]: value });
  return [main, more].filter(Boolean).join(", ");
}

function age(data) {
  const { aspect, changedAt, state, seenAt, wakesAt } = data;
  if (state === "asleep" && wakesAt / 1e3 > Date.now()) return `wakes in ${duration((wakesAt / 1e3 - Date.now()) / 1e3)}`;
  if (state !== "online" && state !== "noBus" && seenAt) return `last seen ${ago(seenAt)}`;
  if (!aspect) return "";
  const change = data.value === undefined ? aspect : `${aspect} ${text(data)}`;
  return changedAt ? `${change}, ${ago(changedAt)}` : change;
}

// MARK: Order and filter

function reorder() {
  ordering ??= setTimeout(() => {
    ordering = null;
    lastOrder = Date.now();
    place();
  }, order.length ? Math.max(0, lastOrder + orderPause - Date.now()) : 0);
}

function place() {
  const byName = document.querySelector("[name=order]:checked").value === "name";
  const list = find("tiles");
  order = [...tiles.values()].filter(tile => tile.element).sort((one, other) =>
    (byName ? 0 : one.rank - other.rank) || collator.compare(one.data.device, other.data.device));
  // Moving tiles leave first, so that the others can stay.
  for (const tile of order) if (tile.isMoved) tile.element.remove();
  let next = list.firstElementChild;
  for (const tile of order) {
    if (tile.element === next) next = next.nextElementSibling; else list.insertBefore(tile.element, next);
    tile.isMoved = false;
  }
  filter();
}

function filter() {
  const wanted = find("filter").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const counts = new Map();
  let shown = 0;
  for (const tile of order) {
    const isShown = wanted.every(word => tile.text.includes(word));
    if (tile.element.hidden === isShown) tile.element.hidden = !isShown;
    if (!isShown) continue;
    shown += 1;
    const state = tile.element.dataset.state;
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const parts = Object.keys(ranks).filter(state => counts.has(state)).map(state => `${counts.get(state).toLocaleString()} ${words[state]}`);
  find("counts").textContent = (wanted.length ? `${shown.toLocaleString()} of ${count(order.length, "device")}` : count(order.length, "device")) + (parts.length ? `: ${parts.join(", ")}` : "");
  show(find("empty"), shown ? "" : order.length ? "No device matches the filter." : "No devices yet.");
}

find("filter").addEventListener("input", filter);
find("spans").addEventListener("change", () => {
  // All tiles move.
  find("tiles").replaceChildren();
  place();
});

// MARK: Time passes

function refresh() {
  for (const tile of visible) tile.parts.age.textContent = age(tile.data);
  for (const tile of tiles.values()) if (tile.data.state === "asleep" && tile.element && stateOf(tile.data) !== tile.element.dataset.state) dirty.add(tile);
  if (dirty.size) draw();
}

function wake() {
  open();
  timers = [setInterval(refresh, agePause)];
}

function sleep() {
  close();
  clearTimeout(probe);
  timers.forEach(clearInterval);
  // A page that is hidden again before it is live has seen nothing since.
  if (hiddenAt) return;
  hiddenAt = Date.now();
  seen = new Map([...tiles].map(([device, { data }]) => [device, { total: data.total, unknown: data.unknown, state: data.state }]));
}

document.addEventListener("visibilitychange", () => document.hidden ? sleep() : wake());
addEventListener("pagehide", close);
addEventListener("pageshow", event => { if (event.persisted && !document.hidden) wake(); });
if (!document.hidden) wake();
