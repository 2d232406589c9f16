// SPDX-License-Identifier: Apache-2.0

/**
 * A client of the notification bus Reveille, for Node.js 18 and later, with its standard library only.
 *
 *     import { connect } from "./reveille.mjs";
 *
 *     const bus = await connect();
 *     const events = await bus.subscribe(["battery", "org.example.*"]);
 *     for await (const event of events) console.log(event.aspect, event.state, event.changes);
 *
 * A subscription in the background receives nothing. When it wakes, it receives one event for each aspect that changed.
 * If the bus restarts, a subscription reconnects and continues from its positions. Neither keeps the process running,
 * unless something waits for it. Times and durations are in milliseconds, as in Date.now() and setTimeout().
 *
 * If the bus restarts, values that are published while connected are published again, and tasks begin again.
 *
 * Types and descriptions of everything that is exported are in reveille.d.mts.
 */

import { existsSync } from "node:fs";
import { connect as connectSocket } from "node:net";
import { uptime } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { debuglog } from "node:util";

/** The longest reply in bytes, as in the Swift library. Replies grow with the user's settings. */
const REPLY_LIMIT = 64 << 20;
/** The longest call in bytes that the bus accepts by default. Longer ones end the connection without an answer. */
const CALL_LIMIT = 65_536;
/** The time to wait for room in the queue of the bus: a working bus accepts within milliseconds. */
const CONNECT_TIMEOUT = 5_000;
/** The time to wait for a reply: the bus itself waits up to a second for a sensor. */
const REPLY_TIMEOUT = 10_000;
/** The time to wait for a suspension: for the longest tasks, for the events to be read, and for the system. */
const SUSPENSION_TIMEOUT = 240_000;
/**
 * The pauses between attempts to reach a bus that is gone: a bus that is replaced is back within tens of milliseconds,
 * and a delay of two seconds goes unnoticed after a longer absence.
 */
const SHORTEST_PAUSE = 20;
const LONGEST_PAUSE = 2_000;
/** The deepest nesting of objects and arrays in a published value. In a list of replies, five more levels surround it. */
const VALUE_DEPTH_LIMIT = 27;
/** The longest name of a published state, and the longest pattern, in bytes. */
const NAME_LIMIT = 255;
/** The largest `wakeAfter`, and the largest `interval` of a policy: a year. */
const LONGEST_DURATION = 31_536_000_000;
/** The longest that one wait lasts before it is repeated; a timer takes milliseconds as a 32-bit integer. */
const LONGEST_WAIT = 3_600_000;
/** The difference between two clocks that means that the machine was suspended; more than their resolution. */
const SHORTEST_SUSPENSION = 100;
/** The size of one read. */
const CHUNK = 65_536;

/** Prints to stderr with NODE_DEBUG=reveille. */
const log = debuglog("reveille");

const INTERFACE = "org.reveille.Bus";
const DEVICE = "org.reveille.Device";
const SCHEDULE = "org.reveille.Schedule";
const SERVICE = "org.varlink.service";
const SYSTEM_BUS = "/run/reveille/org.reveille.Bus";

/** The failure of an operation. Its message contains the operation, its subject and the reason. */
export class ReveilleError extends Error {
  constructor(message, { code = "invalidArgument", error, parameters = {} } = {}) {
    super(message);
    this.code = code;
    this.error = error;
    this.parameters = parameters;
  }
}
ReveilleError.prototype.name = "ReveilleError";

/** Returns whether another connection may succeed. */
const isLoss = ({ code, error }) =>
  error === undefined && ["noBus", "timeout", "notPermitted", "system"].includes(code);

const now = () => performance.now();
const difference = () => uptime() * 1_000 - performance.now();
const initialDifference = difference();
/** A clock that continues while the machine is suspended. */
function bootTime() {
  const suspended = difference() - initialDifference;
  return now() + (suspended > SHORTEST_SUSPENSION ? suspended : 0);
}
/** Lets the loop look at every socket once; the first part of a turn may belong to an earlier look. */
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** Runs actions one after another. */
class Exclusive {
  #last = Promise.resolve();

  run(action) {
    const result = this.#last.then(action);
    this.#last = result.then(() => {}, () => {});
    return result;
  }
}

// --- The wire

/** Returns the path of the bus: as given, from $REVEILLE_ADDRESS, or the first usual path that a bus serves. */
async function resolve(address) {
  address ??= process.env.REVEILLE_ADDRESS;
  if (address !== undefined) return pathOf(address);
  const usual = [SYSTEM_BUS];
  const user = process.geteuid();
  if (user !== 0) {
    const directory = process.env.XDG_RUNTIME_DIR;
    // The XDG Base Directory Specification requires relative paths to be ignored.
    usual.unshift(`${directory?.startsWith("/") ? directory : `/run/user/${user}`}/reveille/org.reveille.Bus`);
  }
  const present = usual.filter((path) => existsSync(path));
  if (present.length === 0) throw noBus(usual);
  for (const path of present) if (await isServed(path)) return path;
  return present[0];
}

function pathOf(address) {
  const path = /^unix:(\/[^;\0]*)(;|$)/.exec(address)?.[1];
  if (!path) throw new ReveilleError(`'${address}' is not an address: it must be unix: and an absolute path`);
  return path;
}

/** Returns whether a process listens: a bus that was killed leaves its socket behind. */
async function isServed(path) {
  try {
    (await openSocket(path, {})).destroy();
  } catch (error) {
    return error.code !== "ECONNREFUSED" && error.code !== "ENOENT";
  }
  return true;
}

function openSocket(path, options) {
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ path, ...options });
    // Nothing is read before it is wanted.
    socket.pause();
    socket.once("connect", () => resolve(socket.off("error", reject)));
    socket.once("error", reject);
  });
}

function noBus(paths) {
  const places = paths.map((path) => `unix:${path}`).join(" or ");
  const [manager, option] = process.geteuid() === 0 ? ["system", ""] : ["user", "--user "];
  // The address of the units, by its name.
  const hasUnit =
    places.endsWith("/reveille/org.reveille.Bus") && existsSync(`/usr/lib/systemd/${manager}/reveille.socket`);
  const advice = hasUnit ? `start it with 'systemctl ${option}start reveille.socket'` : "is 'reveille serve' running?";
  return new ReveilleError(`there is no bus at ${places}; ${advice}`, { code: "noBus" });
}

function invalid(reason) {
  return new ReveilleError(`the bus sent an invalid reply: ${reason}`, { code: "invalidReply" });
}

function unanswered(method, limit = REPLY_TIMEOUT) {
  const text = `${method}: the bus did not answer within ${limit / 1_000} seconds`;
  return new ReveilleError(text, { code: "timeout" });
}

/** Returns the operation and its subject, for errors. */
function attempt(method, subject) {
  const name = method.startsWith("org.reveille.") ? method.split(".").pop() : method;
  return subject ? `${name} ${subject}` : name;
}

/** Refuses what JSON would write as null or not at all. */
function checked(name, value) {
  const wanted =
    typeof value === "number" && !Number.isFinite(value) ? "a finite number"
    : Number.isInteger(value) && Math.abs(value) >= 2 ** 63 ? "a number of 64 bits"
    : ["function", "symbol", "bigint"].includes(typeof value) ? "a value of JSON"
    : undefined;
  if (wanted) throw new TypeError(`'${name}' must be ${wanted}, not ${String(value)}`);
  return value;
}

function encode(method, parameters, subject, flag) {
  try {
    const name = method.includes(".") ? method : `${INTERFACE}.${method}`;
    return Buffer.from(`${JSON.stringify({ method: name, parameters, ...(flag && { [flag]: true }) }, checked)}\0`);
  } catch (error) {
    throw new ReveilleError(
      `${attempt(method, subject)}: the parameters cannot be written as JSON: ${error.message}`);
  }
}

/** Returns a Publish for the next connection, which leaves a newer value that lasts as it is. */
function againOf(call) {
  const { parameters } = JSON.parse(call.subarray(0, -1).toString());
  return encode("Publish", { ...parameters, again: true }, parameters.aspect);
}

/** Returns why a bus may not answer a call; undefined if the call is not too long for a bus with the usual limit. */
function excessOf(call) {
  const length = call.length - 1;
  return length > CALL_LIMIT ? `the call has ${length} bytes, and a bus accepts at most ${CALL_LIMIT}` : undefined;
}

/** Refuses what the bus would not answer, or would understand as something else. */
function checkObject(method, subject, field, value) {
  const fault =
    !isObject(value) ? "must be an object"
    : isDeeper(value, VALUE_DEPTH_LIMIT) ? `is nested deeper than ${VALUE_DEPTH_LIMIT} levels`
    : undefined;
  if (fault) throw new ReveilleError(`${method} ${subject}: the ${field} ${fault}`);
}

/** Returns a list of strings that is given as one or as several; refuses anything else. */
function texts(subject, given) {
  const entries = Array.isArray(given) ? given : [given];
  const wrong = entries.filter((entry) => typeof entry !== "string");
  if (wrong.length === 0 && entries.length > 0) return [...entries];
  throw new ReveilleError(`${subject} must be one or more strings, not ${wrong.length > 0 ? plain(wrong[0]) : "[]"}`);
}

function isDeeper(value, limit) {
  if (typeof value !== "object" || value === null) return false;
  return limit === 0 || Object.values(value).some((member) => isDeeper(member, limit - 1));
}

function checkDuration(subject, duration) {
  if (typeof duration === "number" && duration >= 1 && duration <= LONGEST_DURATION) return;
  throw new ReveilleError(`${subject} must be from 1 to ${LONGEST_DURATION} milliseconds, a year, not ${duration}`);
}

const CONNECT_CODES = {
  EACCES: "notPermitted", EPERM: "notPermitted", EAGAIN: "timeout", EMFILE: "system", ENFILE: "system", ENOMEM: "system",
};

/** A connection to the bus. It reads when a reply is wanted, and not before: the bus merges what was not read. */
class Connection {
  #socket;
  /** The beginning of a frame that is not complete. */
  #chunks = [];
  #length = 0;
  /** The complete frames; the bus sends a frame after the last one was read. */
  #frames = [];
  #failure;
  #end;
  ended = new Promise((resolve) => (this.#end = resolve));
  /** The number of bytes received so far. */
  received = 0;
  /** Called when something has happened. */
  onchange = () => {};

  static async open(path) {
    const until = now() + CONNECT_TIMEOUT;
    for (const backoff = new Backoff(); ; ) {
      const connection = new Connection();
      try {
        const buffer = Buffer.allocUnsafe(CHUNK);
        const callback = (count, bytes) => connection.#receive(Buffer.from(bytes.subarray(0, count)));
        connection.#attach(await openSocket(path, { onread: { buffer, callback } }));
        return connection;
      } catch (error) {
        if (error.code === "ENOENT" || error.code === "ECONNREFUSED") throw noBus([path]);
        // The queue of the listener is full.
        if (error.code !== "EAGAIN" || now() >= until) {
          const code = CONNECT_CODES[error.code] ?? "noBus";
          throw new ReveilleError(`cannot connect to unix:${path}: ${error.code ?? error.message}`, { code });
        }
        await sleep(backoff.next());
      }
    }
  }

  #attach(socket) {
    this.#socket = socket;
    // A reply that was sent before a write failed can still be read, for example that the quota is exceeded.
    socket.on("error", () => {});
    const end = () => {
      this.#failure ??= new ReveilleError("the bus closed the connection", { code: "noBus" });
      this.#end();
      this.onchange();
    };
    // The close comes after turn() has returned. Without an end, the connection failed or was closed here.
    socket.on("end", end);
    socket.on("close", end);
  }

  /** Takes a chunk, and stops reading. */
  #receive(chunk) {
    this.received += chunk.length;
    let start = 0;
    for (let end; (end = chunk.indexOf(0, start)) >= 0; start = end + 1) {
      this.#chunks.push(chunk.subarray(start, end));
      this.#frames.push(Buffer.concat(this.#chunks));
      [this.#chunks, this.#length] = [[], 0];
    }
    this.#chunks.push(chunk.subarray(start));
    this.#length += chunk.length - start;
    if (this.#length > REPLY_LIMIT) this.#failure ??= invalid(`longer than ${REPLY_LIMIT} bytes`);
    // Reading ends with the return, and may begin again after it.
    queueMicrotask(() => this.onchange());
    return false;
  }

  send(bytes) {
    this.#socket.write(bytes);
  }

  /** Reads once, when there is something. */
  read() {
    this.#socket.resume();
  }

  /** No longer reads. */
  stop() {
    this.#socket.pause();
  }

  /** Returns the next reply if it has been read. */
  take() {
    const frame = this.#frames.shift();
    if (frame) return parseReply(frame);
    if (this.#failure) throw this.#failure;
    return undefined;
  }

  /** Whether a part of a reply has been received. */
  get hasBegunReply() {
    return this.#length > 0 || this.#frames.length > 0;
  }

  get hasEnded() {
    return this.#failure !== undefined;
  }

  /** Sets whether the connection keeps the process running while it reads. */
  set keepsRunning(isNeeded) {
    if (isNeeded) this.#socket.ref();
    else this.#socket.unref();
  }

  close() {
    this.#socket.destroy();
  }
}

/** The pauses between attempts to connect. */
class Backoff {
  #base = SHORTEST_PAUSE;

  next() {
    const pause = this.#base * (0.5 + Math.random() / 2);
    this.#base = Math.min(LONGEST_PAUSE, 2 * this.#base);
    return pause;
  }
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function parseReply(frame) {
  let reply;
  try {
    reply = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(frame));
  } catch (error) {
    throw invalid(`not JSON: ${error.message}`);
  }
  if (!isObject(reply)) throw invalid("not an object");
  const parameters = reply.parameters ?? {};
  const error = reply.error ?? undefined;
  const continues = reply.continues ?? false;
  if (!isObject(parameters) || typeof (error ?? "") !== "string" || typeof continues !== "boolean") {
    throw invalid("a member has the wrong type");
  }
  return { parameters, error, continues };
}

/** The text of a value from the bus. An object is written as JSON: its members could replace its conversion to text. */
const plain = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** Returns the parameters of a reply that is not an error. */
function answerOf(reply, method, subject = "") {
  if (!reply.error) return reply.parameters;
  const word = reply.error.split(".").pop();
  // The reason follows in a sentence.
  const shown = Object.entries(reply.parameters).filter(([name]) => word !== "InvalidParameter" || name !== "reason");
  const details = shown.map(([name, value]) => `${name}: ${plain(value)}`).join(", ");
  const what = `${attempt(method, subject)}: ${word}`;
  const message = details ? `${what} (${details})` : what;
  const reason = reasonOf(word, reply.parameters, method, `${subject}`.split(" "));
  const { error, parameters } = reply;
  const code = codeOf(word, parameters);
  throw new ReveilleError(reason ? `${message}: ${reason}` : message, { code, error, parameters });
}

const CODES = {
  MethodNotFound: "notSupported", InterfaceNotFound: "notSupported", PermissionDenied: "notPermitted",
  QuotaExceeded: "quotaExceeded", NoSuchSubscription: "noSuchSubscription", NoSuchEntry: "noSuchEntry",
  CannotSuspend: "cannotSuspend",
};

/** Returns the code of an error: a bus that lacks a method, a parameter or a word is of an earlier version. */
function codeOf(word, { reason }) {
  if (word === "InvalidParameter" && reason === "unknown") return "notSupported";
  return Object.hasOwn(CODES, word) ? CODES[word] : "invalidArgument";
}

const WORDS = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(\.\*)?$/;
const NAME_RULE = `at least two words of letters, digits, - and _, joined by dots, with at most ${NAME_LIMIT} bytes`;

/** Returns whether an aspect, a published name or a pattern can have this form. */
const isAspect = (text) => text.length <= NAME_LIMIT && WORDS.test(text);

/** Returns the rule that an error of the bus refers to; undefined if the error needs no explanation. */
function reasonOf(word, { quota, limit, parameter, reason }, method, names) {
  switch (`${word} ${plain(quota ?? parameter ?? method)}`) {
    case "PermissionDenied Publish":
      return (
        "on a user's bus, only that user and root can publish; on the system bus, only root and the users to whom " +
        "publish.allow grants the name, and only while no other user publishes it"
      );
    case `PermissionDenied ${SCHEDULE}.Add`:
      return "an entry needs the permission to publish its name, and only the bus's own user can give a command";
    case "QuotaExceeded entries":
      return "a user cannot have more entries, unless one is cancelled; schedule.entries sets the limit";
    case "QuotaExceeded storage":
      return "the bus cannot save its schedule, and has logged the reason";
    case "PermissionDenied Post":
      return "only root and the user of the bus can post";
    case "QuotaExceeded value":
      return `a value can have at most ${plain(limit)} bytes as JSON without spaces; publish.valueSize sets the limit`;
    case "QuotaExceeded names":
      return "a user cannot publish more names, unless one is withdrawn; publish.names sets the limit";
    case "QuotaExceeded aspects":
      return "a pattern such as org.example.* stands for many names";
    case "InvalidParameter domains":
      return "a list of domains must have at least one, and needs the aspect defaults";
    case "InvalidParameter value":
      return `a value must be an object, nested at most ${VALUE_DEPTH_LIMIT} levels deep`;
    case "InvalidParameter aspect":
    case "InvalidParameter aspects": {
      if (method === "Publish") return `a published name must have ${NAME_RULE}; a pattern cannot be published`;
      const wrong = names.find((name) => !isAspect(name));
      return (
        (wrong === undefined ? "" : `'${wrong}': `) +
        `an aspect must be one of the device, a published name (${NAME_RULE}), or a pattern (the beginning of a ` +
        "name and .*)"
      );
    }
    case "InvalidParameter policies.aspect":
      return "a policy must be for an aspect of the device, or for a name or pattern of the subscription";
    default:
      if (word !== "InvalidParameter" || typeof reason !== "string") return undefined;
      return reason === "unknown"
        ? `the bus does not know the value of ${plain(parameter)}, or ${plain(parameter)} itself; is it an earlier version?`
        : `${plain(parameter)} ${reason}`;
  }
}

function field(entry, name, type) {
  const value = entry[name];
  if (type === "integer" ? !Number.isSafeInteger(value) : typeof value !== type) {
    throw invalid(`'${name}' is not of type ${type}`);
  }
  return value;
}

function objects(parameters, name) {
  const entries = parameters[name];
  if (!Array.isArray(entries) || !entries.every(isObject)) throw invalid(`'${name}' is not a list of objects`);
  return entries;
}

const isPublished = (aspect) => aspect.includes(".");

/** Returns an event; undefined if its state is of a kind that this version does not know. */
function parseEvent(entry) {
  const aspect = field(entry, "aspect", "string");
  const member = isPublished(aspect) ? "value" : aspect;
  const state = (Object.hasOwn(entry, member) ? entry[member] : undefined) ?? null;
  if (state === null && !isPublished(aspect)) return undefined;
  if (state !== null && !isObject(state)) throw invalid(`the state of ${aspect} is not an object`);
  return Object.freeze({
    aspect, generation: field(entry, "generation", "integer"), sequence: field(entry, "sequence", "integer"),
    changes: field(entry, "changes", "integer"), netChange: field(entry, "netChange", "boolean"),
    firstChangedAt: field(entry, "firstChangedAt", "number") / 1_000,
    changedAt: field(entry, "changedAt", "number") / 1_000, dropped: field(entry, "dropped", "integer"), state,
  });
}

function eventsOf(parameters, isWanted = () => true) {
  const wanted = objects(parameters, "events").filter((entry) => isWanted(field(entry, "aspect", "string")));
  return wanted.map(parseEvent).filter((event) => event !== undefined);
}

const covers = (pattern, aspect) =>
  pattern.endsWith(".*") ? aspect.startsWith(pattern.slice(0, -1)) : pattern === aspect;

/** Waits for the next reply to the only call of a connection, for any time unless there is a limit. */
function nextReply(connection, method, limit) {
  return new Promise((resolve, reject) => {
    const timer = limit && setTimeout(() => reject(unanswered(method, limit)), limit);
    connection.onchange = () => {
      try {
        const reply = connection.take();
        if (!reply) return connection.read();
        resolve(reply);
      } catch (error) {
        reject(error);
      }
      clearTimeout(timer);
    };
    connection.onchange();
  });
}

/** The microseconds since 1970 of a time in milliseconds; undefined without one. */
const microseconds = (time) => (time === undefined ? undefined : Math.round(Number(time) * 1_000));

/** A duration in whole milliseconds, not shorter than the given one; undefined without one. */
const wholeMilliseconds = (duration) => (duration === undefined ? undefined : Math.ceil(duration));

/** Returns a structure `Entry` of the interface, without the fields that are not given. */
function scheduleEntry(id, name, { value = {}, at, every, until, grace, ...others }) {
  checkObject(`${SCHEDULE}.Add`, id, "value", value);
  return {
    ...others, id, aspect: name, value, at: microseconds(at), every: wholeMilliseconds(every),
    until: microseconds(until), grace: wholeMilliseconds(grace),
  };
}

const ENTRY = {
  id: "string", value: "object", at: "number", every: "number", calendar: "object", zone: "string", until: "number",
  ifMissed: "string", grace: "number", wake: "boolean", launch: "object",
};

/** Returns the entry of a structure `Scheduled` of the interface. */
function scheduledEntry({ entry, next, fired }) {
  if (!isObject(entry)) throw invalid("'entry' is not an object");
  const given = Object.entries(ENTRY).filter(([member]) => (entry[member] ?? null) !== null);
  const fields = Object.fromEntries(given.map(([member, type]) => [member, field(entry, member, type)]));
  for (const name of ["at", "until"]) if (name in fields) fields[name] /= 1_000;
  if (fields.calendar) {
    // The interface has two members for the days.
    const { weekday, ...parts } = fields.calendar;
    const calendar = Object.entries((weekday ?? null) === null ? parts : { ...parts, weekdays: [weekday] });
    fields.calendar = Object.fromEntries(calendar.filter(([, value]) => value !== null));
  }
  return {
    id: field(entry, "id", "string"), name: field(entry, "aspect", "string"), value: {}, ...fields,
    next: (next ?? null) === null ? null : field({ next }, "next", "number") / 1_000,
    fired: field({ fired }, "fired", "integer"),
  };
}

/** The positions before the firings that started this program: the first subscription continues there. */
class Launch {
  positions;
  #rest;

  constructor(text) {
    try {
      const { instance, resume } = JSON.parse(text);
      const generations = Object.fromEntries(resume.map(({ aspect, generation }) => [aspect, generation]));
      checkPositions({ instance, generations });
      this.positions = { instance, generations };
    } catch {
      // Not started by a bus.
    }
    this.#rest = new Map(Object.entries(this.positions?.generations ?? {}));
  }

  /** Removes and returns the positions of the wanted aspects; undefined if there are none. */
  take(isWanted) {
    const taken = [...this.#rest].filter(([aspect]) => isWanted(aspect));
    for (const [aspect] of taken) this.#rest.delete(aspect);
    return taken.length > 0 ? { instance: this.positions.instance, generations: Object.fromEntries(taken) } : undefined;
  }
}

const launch = new Launch(process.env.REVEILLE_LAUNCH ?? "null");

/** Returns the positions before the firings that started this program; undefined if it was started otherwise. */
export function launchPositions() {
  return launch.positions;
}

// --- The bus

function stateRequest(subscription, state, wakeAfter) {
  if (wakeAfter !== undefined) checkDuration("wakeAfter", wakeAfter);
  return { subscription, state, wakeAfter: wholeMilliseconds(wakeAfter) };
}

/** The calls of a bus, over one connection. A call that finds the connection closed opens a new one. */
class Caller {
  path;
  /** For each task that has not ended, the function that begins it, and its subscription. */
  tasks = new Map();
  #calls = new Exclusive();
  #connection;
  #suspending = new Set();
  #openedAt = 0;
  /** The calls that publish a value while connected, by name. Each later connection begins with them. */
  #tied = new Map();
  /** Newer ones, for which there was no bus. */
  #missed = new Map();
  #backoff = new Backoff();
  #isRestoring = false;
  #isClosed = false;

  constructor(path) {
    this.path = path;
  }

  checkIsOpen(method) {
    if (this.#isClosed) throw new ReveilleError(`${method}: the bus object is closed`, { code: "closed" });
  }

  /** Returns the parameters of the reply. `note` gets the call unless it is refused, and whether there was a bus. */
  async call(method, parameters, subject, note) {
    const bytes = encode(method, parameters, subject);
    // No configuration allows a published value of this length, but longer calls of other methods.
    const excess = excessOf(bytes);
    if (excess && method === "Publish") {
      throw new ReveilleError(`Publish ${subject}: ${excess}`, { code: "quotaExceeded" });
    }
    const reply = await this.#calls.run(async () => {
      try {
        const answer = await this.#exchange(method, subject, bytes);
        if (!answer.error) note?.(bytes, true);
        return answer;
      } catch (error) {
        if (isLoss(error)) note?.(bytes, false);
        throw error;
      }
    });
    return answerOf(reply, method, subject);
  }

  async #exchange(method, subject, bytes) {
    if (this.#connection) await turn();
    this.checkIsOpen(method);
    let again = [];
    if (!this.#connection || this.#connection.hasEnded) {
      this.#connection = await Connection.open(this.path);
      this.#openedAt = now();
      again = [...new Map([...this.#tied, ...this.#missed])];
      for (const [, call] of again) this.#connection.send(call);
    }
    const connection = this.#connection;
    connection.keepsRunning = true;
    const timer = setTimeout(() => connection.onchange(unanswered(method)), REPLY_TIMEOUT);
    try {
      return await new Promise((resolve, reject) => {
        connection.onchange = (failure) => {
          try {
            if (failure) throw failure;
            for (let reply; (reply = connection.take()); ) {
              if (again.length === 0) return resolve(reply);
              const [name, call] = again.shift();
              this.#missed.delete(name);
              if (!reply.error) this.#tied.set(name, againOf(call));
              else process.emitWarning(`${name} is not published again: ${reply.error}`, "ReveilleWarning");
            }
            connection.read();
          } catch (error) {
            if (isLoss(error) && !failure) {
              const excess = excessOf(bytes);
              const hint = excess ? `; ${excess} (bus.maxFrame)` : "";
              error.message = `${attempt(method, subject)}: ${error.message}${hint}`;
            }
            reject(error);
          }
        };
        connection.send(bytes);
        connection.read();
      });
    } catch (error) {
      connection.close();
      this.checkIsOpen(method);
      this.#connection = undefined;
      // A bus could close each connection over a value that it has never accepted, such as one that is too long.
      if (error.code === "noBus") for (const [name] of again) this.#missed.delete(name);
      this.restore();
      throw error;
    } finally {
      clearTimeout(timer);
      connection.onchange = () => {
        if (connection.hasEnded) this.restore();
      };
      connection.keepsRunning = false;
      // An idle connection reads too: that is how its end is noticed.
      connection.read();
    }
  }

  /** Publishes the tied values and begins the lost tasks again, as soon as there is a bus. */
  async restore() {
    if (this.#isRestoring) return;
    this.#isRestoring = true;
    // A bus that soon ends every connection is not tried more often than a missing bus.
    if (now() >= this.#openedAt + LONGEST_PAUSE) this.#backoff = new Backoff();
    while (!this.#isClosed && this.#tied.size + this.#missed.size + this.tasks.size > 0) {
      await sleep(this.#backoff.next(), undefined, { ref: false });
      if (await this.#isRestored()) break;
    }
    this.#isRestoring = false;
  }

  async #isRestored() {
    try {
      await this.fence();
      // With its subscription, a task begins again.
      const restored = await Promise.all([...this.tasks.values()].map((subscription) => subscription.reach()));
      return restored.every(Boolean) && this.#connection?.hasEnded === false;
    } catch (error) {
      if (!(error instanceof ReveilleError)) throw error;
      return false;
    }
  }

  async publish(name, value, whileConnected) {
    // Even if the call fails: the bus withdraws the value with the connection.
    if (value === null) this.#forget(name);
    const parameters = { aspect: name, value, whileConnected: whileConnected || undefined };
    return revision(
      await this.call("Publish", parameters, name, (bytes, isAccepted) => {
        this.#forget(name);
        if (whileConnected) isAccepted ? this.#tied.set(name, againOf(bytes)) : this.#missed.set(name, bytes);
        if (this.#connection?.hasEnded ?? true) this.restore();
      }));
  }

  #forget(name) {
    this.#tied.delete(name);
    this.#missed.delete(name);
  }

  /** Sets the state of a subscription of any program. */
  async setState(subscription, state, { wakeAfter } = {}) {
    await this.call("SetState", stateRequest(subscription, state, wakeAfter), subscription);
  }

  /** Waits until a program is frozen, on a connection of its own: later calls of a connection wait for the reply. */
  async suspend(subscription, { wakeAfter } = {}) {
    this.checkIsOpen("SetState");
    const bytes = encode("SetState", stateRequest(subscription, "suspended", wakeAfter), subscription);
    const connection = await Connection.open(this.path);
    this.#suspending.add(connection);
    try {
      // It may have been closed meanwhile.
      this.checkIsOpen("SetState");
      connection.send(bytes);
      answerOf(await nextReply(connection, "SetState", SUSPENSION_TIMEOUT), "SetState", subscription);
    } catch (error) {
      this.checkIsOpen(attempt("SetState", subscription));
      if (error.code === "noBus") error.message = `${attempt("SetState", subscription)}: ${error.message}`;
      throw error;
    } finally {
      this.#suspending.delete(connection);
      connection.close();
    }
  }

  /** Returns once the bus has carried out every earlier call. */
  fence() {
    return this.call(`${SERVICE}.GetInfo`, {});
  }

  /** Returns once the connection has ended. */
  async end() {
    const keepsRunning = setInterval(() => {}, LONGEST_WAIT);
    await this.#connection?.ended;
    clearInterval(keepsRunning);
    this.checkIsOpen(`${SERVICE}.GetInfo`);
  }

  async states(given) {
    const aspects = texts("GetState: the aspects", given);
    return eventsOf(await this.call("GetState", { aspects, fields: knownFields(aspects) }, aspects.join(" ")));
  }

  close() {
    this.#isClosed = true;
    for (const connection of [this.#connection, ...this.#suspending]) connection?.close();
  }
}

/** Returns the fields of states to ask for, which earlier versions of the interface lacked. */
const knownFields = (aspects) => (aspects.includes("battery") ? ["battery.supply"] : undefined);

const revision = (reply) =>
  Object.freeze({ generation: field(reply, "generation", "integer"), sequence: field(reply, "sequence", "integer") });

/**
 * A bus: its states, and subscriptions to their changes. If the bus has restarted, the next call reconnects. All methods
 * reject with ReveilleError.
 */
export class Bus {
  #caller;
  #streams = new Set();

  /** @internal Use connect(). */
  constructor(caller) {
    this.#caller = caller;
  }

  get address() {
    return `unix:${this.#caller.path}`;
  }

  subscribe(aspects, options = {}) {
    return Subscription.open(this.#caller, aspects, options, this.#streams);
  }

  enterBackground(options) {
    return this.#changeAll((subscription) => subscription.enterBackground(options));
  }

  enterForeground() {
    return this.#changeAll((subscription) => subscription.enterForeground());
  }

  becomeInactive() {
    return this.#changeAll((subscription) => subscription.becomeInactive());
  }

  async #changeAll(change) {
    this.#caller.checkIsOpen("SetState");
    for (const stream of this.#streams) if (stream instanceof Subscription) await change(stream);
  }

  async *connectionStates() {
    this.#caller.checkIsOpen(`${SERVICE}.GetInfo`);
    const backoff = new Backoff();
    for (let last; ; await sleep(backoff.next())) {
      let isReachable = !last;
      try {
        await (isReachable ? this.#caller.fence() : this.#caller.end());
      } catch (error) {
        if (error.code === "closed") return;
        if (!isLoss(error)) throw error;
        isReachable = false;
      }
      while (isReachable !== last) yield (last = isReachable);
    }
  }

  async get(aspect) {
    if (`${aspect}`.endsWith(".*")) {
      const reason = "a pattern has no state of its own; getAll() returns the states of its names";
      throw new ReveilleError(`GetState ${aspect}: ${reason}`);
    }
    const event = (await this.#caller.states(aspect)).find((event) => event.aspect === aspect);
    if (!event) throw invalid(`it lacks the state of ${aspect}`);
    return event;
  }

  getAll(aspects) {
    return this.#caller.states(aspects);
  }

  async history(aspect, { limit } = {}) {
    return eventsOf(await this.#caller.call("GetHistory", { aspect, limit, fields: knownFields([aspect]) }, aspect));
  }

  async publish(name, value, { whileConnected = false } = {}) {
    checkObject("Publish", name, "value", value);
    return this.#caller.publish(name, value, whileConnected);
  }

  withdraw(name) {
    return this.#caller.publish(name, null, false);
  }

  async post(aspect, state) {
    checkObject("Post", aspect, "state", state);
    const { state: current } = await this.get(aspect);
    return revision(await this.#caller.call("Post", { [aspect]: { ...current, ...state } }, aspect));
  }

  async refresh() {
    await this.#caller.call("Refresh", {});
  }

  async subscriptions() {
    return objects(await this.#caller.call("ListSubscriptions", {}), "subscriptions");
  }

  async *subscriptionChanges() {
    let known = [];
    for await (const { parameters, isFirst } of this.#replies("ListSubscriptions", {})) {
      const subscriptions = objects(parameters, "subscriptions");
      const ids = new Set(subscriptions.map((entry) => field(entry, "subscription", "string")));
      // What ended while there was no connection.
      const ended = isFirst ? known.filter((id) => !ids.has(id)).sort() : (parameters.ended ?? []);
      if (!Array.isArray(ended)) throw invalid("'ended' is not a list");
      known = [...new Set([...known, ...ids])].filter((id) => !ended.includes(id));
      yield { subscriptions, ended };
    }
  }

  async *demand(names) {
    const aspects = texts("ObserveDemand: the names", names);
    let needed;
    for await (const { parameters } of this.#replies("ObserveDemand", { aspects }, aspects.join(" "))) {
      const before = needed;
      needed = new Set(before);
      for (const entry of objects(parameters, "demands")) {
        const name = field(entry, "aspect", "string");
        needed[field(entry, "needed", "boolean") ? "add" : "delete"](name);
      }
      if (`${[...needed].sort()}` !== `${before && [...before].sort()}`) yield new Set(needed);
    }
  }

  /** Iterates over the replies of a call that lasts, and makes it again when the bus comes back. */
  async *#replies(method, parameters, subject = "") {
    this.#caller.checkIsOpen(method);
    let hasReplied = false;
    for (let [backoff, isClosed] = [new Backoff(), false]; !isClosed; ) {
      let connection;
      const stream = { close: () => ((isClosed = true), connection?.close()) };
      this.#streams.add(stream);
      try {
        connection = await Connection.open(this.#caller.path);
        if (isClosed) return;
        connection.send(encode(method, parameters, subject, "more"));
        for (let isFirst = true; ; isFirst = false) {
          const reply = await nextReply(connection, method, isFirst ? REPLY_TIMEOUT : undefined);
          const answer = answerOf(reply, method, subject);
          if (!reply.continues) {
            throw new ReveilleError(`${method}: this bus does not report changes`, { code: "notSupported" });
          }
          hasReplied = true;
          if (!isFirst) backoff = new Backoff();
          yield { parameters: answer, isFirst };
        }
      } catch (error) {
        // Another program of the user may end and leave room.
        if (!isClosed && !(hasReplied && (isLoss(error) || error.code === "quotaExceeded"))) throw error;
      } finally {
        connection?.close();
        this.#streams.delete(stream);
      }
      if (!isClosed) await sleep(backoff.next());
    }
  }

  async wake(subscription) {
    await this.#caller.setState(subscription, "foreground");
  }

  async hold(subscription, options) {
    await this.#caller.setState(subscription, "background", options);
  }

  async suspend(subscription, options) {
    await this.#caller.suspend(subscription, options);
  }

  async aspects() {
    return objects(await this.#caller.call("DescribeAspects", {}), "aspects");
  }

  async info() {
    return await this.#caller.call(`${DEVICE}.GetInfo`, {});
  }

  async check(capability) {
    return (await this.checkAll([capability]))[0];
  }

  async checkAll(capabilities) {
    let reply;
    try {
      reply = await this.#caller.call(`${DEVICE}.Check`, { capabilities });
    } catch (error) {
      if (error.code !== "notSupported") throw error;
      // A bus of an earlier version does not know whether the device has the capabilities.
      reply = { answers: [] };
    }
    const answers = new Map(objects(reply, "answers").map((answer) => [field(answer, "capability", "string"), answer]));
    return capabilities.map((capability) => answers.get(capability) ?? { capability, answer: "unknown", reason: null });
  }

  async schedule(id, name, options = {}) {
    const entry = scheduleEntry(id, name, options);
    const { next } = await this.#caller.call(`${SCHEDULE}.Add`, { entry }, id);
    return scheduledEntry({ entry: JSON.parse(JSON.stringify(entry)), next, fired: 0 });
  }

  async cancelScheduled(id) {
    try {
      return field(await this.#caller.call(`${SCHEDULE}.Cancel`, { id }, id), "cancelled", "integer");
    } catch (error) {
      if (error.code !== "noSuchEntry") throw error;
      return 0;
    }
  }

  async scheduled() {
    return objects(await this.#caller.call(`${SCHEDULE}.List`, {}), "entries").map(scheduledEntry);
  }

  close() {
    for (const stream of this.#streams) stream.close();
    this.#caller.close();
  }
}

/** The events of some aspects: an asynchronous iterator. */
export class Subscription {
  #bus;
  #aspects;
  #policies;
  #domains;
  #wantsInitial;
  #request;
  #siblings;
  #instance;
  /** The generation of the last event taken, by aspect. */
  #generations = new Map();
  /** The aspects of an earlier instance without a taken event of this instance, and the positions then. */
  #untaken = new Set();
  #before;
  /** Requested states, which are delivered in the background too. */
  #answers = [];
  /** The events received and not taken: from one reply, or from several that came before a background. */
  #waiting = [];
  #background;
  #isInactive = false;
  /** When the bus ends the background, since boot. */
  #deadline = Infinity;
  #hasStarted = false;
  /** Whether a background has ended, and the subscription must be opened again. */
  #wasAsleep = false;
  #id;
  #connection;
  #connectedAt = 0;
  #backoff = new Backoff();
  #retryAt = 0;
  #isClosed = false;
  #ending = new AbortController();
  #reading = new Exclusive();
  /** The number of callers that wait for an event. */
  #readers = 0;
  #changing = new Exclusive();
  /** Ends the wait of a reader. */
  #ring = () => {};
  #forTasks = { id: () => this.#id, reach: () => this.#reach(), checkIsOpen: (method) => this.#checkIsOpen(method) };

  /** @internal Use Bus.subscribe(). */
  static async open(bus, aspects, { signal, ...options }, siblings) {
    signal?.throwIfAborted();
    const subscription = new Subscription(bus, texts("Subscribe: the aspects", aspects), options);
    subscription.#siblings = siblings.add(subscription);
    signal?.addEventListener("abort", () => subscription.close(), { signal: subscription.#ending.signal });
    try {
      bus.checkIsOpen("Subscribe");
      await subscription.#open();
      return subscription;
    } catch (error) {
      subscription.close();
      throw signal?.aborted ? signal.reason : error;
    }
  }

  constructor(bus, aspects, { name, initial = false, background = false, policies = {}, resume, domains }) {
    this.#bus = bus;
    this.#aspects = aspects;
    this.#policies = policies;
    this.#wantsInitial = initial;
    this.#background = background;
    if (domains !== undefined) this.#domains = [...new Set(texts("Subscribe: the domains", domains))].sort();
    const entries = Object.entries(policies).map(([aspect, policy]) => wirePolicy(aspect, policy));
    this.#request = {
      aspects, policies: entries.length > 0 ? entries : undefined, domains: this.#domains, fields: knownFields(aspects),
      // Set by "reveille run --name".
      name: name || process.env.REVEILLE_NAME || undefined,
      // The initial states are always requested: what comes later is compared with them.
      initial: true,
    };
    resume ??= launch.take((aspect) => this.#isWanted(aspect));
    if (resume === undefined || resume === null) return;
    checkPositions(resume);
    this.#instance = resume.instance;
    for (const [aspect, generation] of Object.entries(resume.generations)) {
      if (this.#isWanted(aspect)) this.#generations.set(aspect, generation);
    }
    // A generation of other domains says nothing about these.
    const isOfOthers = JSON.stringify(resume.domains) !== JSON.stringify(this.#domains);
    if (isOfOthers && this.#generations.has("defaults")) this.#generations.set("defaults", 0);
  }

  get positions() {
    // Another process can find the withdrawals among the events that wait.
    if (this.#untaken.size > 0) return { ...this.#before, generations: { ...this.#before.generations } };
    const positions = { instance: this.#instance, generations: Object.fromEntries(this.#generations) };
    return this.#domains ? { ...positions, domains: [...this.#domains] } : positions;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  async next({ signal } = {}) {
    const [value] = await this.#taken((due) => due.slice(0, 1), signal);
    return { value, done: !value };
  }

  async *batches() {
    for (let batch; (batch = await this.#taken((due) => due)).length > 0; ) yield batch;
  }

  /** Waits until events are taken; returns none at the end. An aborted wait takes none. */
  #taken(choose, signal) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = () => (reject(signal.reason), this.#ring());
      signal?.addEventListener("abort", stop, { once: true });
      this.#readers += 1;
      const taken = this.#reading.run(() => this.#next(choose, signal, resolve));
      taken.catch(reject).finally(() => {
        this.#readers -= 1;
        signal?.removeEventListener("abort", stop);
      });
    });
  }

  async enterBackground({ wakeAfter } = {}) {
    if (wakeAfter !== undefined) checkDuration("wakeAfter", wakeAfter);
    await this.#changing.run(async () => {
      this.#checkIsOpen("SetState");
      const before = [this.#background, this.#deadline, this.#isInactive];
      [this.#background, this.#isInactive] = [true, false];
      this.#deadline = wakeAfter === undefined ? Infinity : bootTime() + wakeAfter;
      try {
        await this.#setState("background", wakeAfter);
        await this.#receiveAvailable();
      } catch (error) {
        [this.#background, this.#deadline, this.#isInactive] = before;
        throw error;
      } finally {
        this.#ring();
      }
    });
  }

  async enterForeground() {
    await this.#changing.run(() => this.#wake("foreground"));
  }

  async becomeInactive() {
    await this.#changing.run(() => this.#wake("inactive"));
  }

  task(name) {
    return BackgroundTask.open(this.#bus, this.#forTasks, name, this.#siblings);
  }

  close() {
    this.#isClosed = true;
    this.#ending.abort();
    this.#connection?.close();
    this.#ring();
    this.#siblings.delete(this);
  }

  #checkIsOpen(method) {
    if (!this.#isClosed) return;
    throw new ReveilleError(`${method} ${this.#aspects.join(" ")}: the subscription is closed`, { code: "closed" });
  }

  // --- Policies

  #isWanted(aspect) {
    return this.#aspects.some((pattern) => covers(pattern, aspect));
  }

  /** Returns whether only a pattern of the subscription matches an aspect. */
  #isMatched(aspect) {
    return isPublished(aspect) && !this.#aspects.includes(aspect);
  }

  #policy(aspect) {
    const matching = Object.keys(this.#policies).filter((pattern) => covers(pattern, aspect));
    // A name goes before its patterns, a longer pattern before a shorter one.
    const rank = (pattern) => (pattern === aspect ? Infinity : pattern.length);
    const [best] = matching.sort((one, other) => rank(other) - rank(one));
    return this.#policies[best] ?? {};
  }

  // --- Opening

  async #open() {
    this.#waiting = [];
    const background = this.#background;
    const subject = this.#aspects.join(" ");
    const request = { ...this.#request, state: background ? "background" : "foreground" };
    const known = new Map(this.#generations);
    let unsent = new Set();
    if (this.#instance !== undefined) {
      Object.assign(request, { instance: this.#instance, resume: [] });
      const room = CALL_LIMIT - encode("Subscribe", request, subject, "more").length;
      [request.resume, unsent] = this.#fittingPositions(room);
    }
    const connection = await Connection.open(this.#bus.path);
    try {
      connection.send(encode("Subscribe", request, subject, "more"));
      const reply = await nextReply(connection, "Subscribe", REPLY_TIMEOUT);
      const first = answerOf(reply, "Subscribe", subject);
      const wasAsleep = this.#wasAsleep || (background && this.#hasStarted);
      this.#begin(first, known, unsent, first.resumed === true, wasAsleep);
    } catch (error) {
      connection.close();
      throw error;
    }
    if (this.#isClosed) return connection.close();
    [this.#connection, this.#connectedAt] = [connection, now()];
    connection.onchange = () => this.#ring();
    await this.#changing.run(async () => {
      // A background may have begun or ended in the meantime, and the bus does not know its deadline yet.
      if (this.#background === background && this.#deadline === Infinity && !this.#isInactive) return;
      const left = this.#deadline - bootTime();
      const state = this.#background ? "background" : this.#isInactive ? "inactive" : "foreground";
      await this.#setState(state, this.#deadline < Infinity ? left : undefined);
    });
    for (const [begin, subscription] of this.#bus.tasks) if (subscription === this.#forTasks) await begin();
    if (this.#retryAt > 0) log("%s: reconnected to the bus", subject);
  }

  /** Returns the positions that fit into a call, and the aspects of the others. */
  #fittingPositions(room) {
    // Aspects that the subscription names come first: only a name that a pattern matches can be compared.
    const aspects = [...this.#generations.keys()].sort();
    const named = aspects.filter((aspect) => !this.#isMatched(aspect));
    const matched = aspects.filter((aspect) => this.#isMatched(aspect));
    const [fitting, unsent] = [[], new Set()];
    for (const aspect of [...named, ...matched]) {
      const entry = { aspect, generation: this.#generations.get(aspect) };
      room -= JSON.stringify(entry).length + 1;
      if (room >= 0) fitting.push(entry);
      else unsent.add(aspect);
    }
    return [fitting, unsent];
  }

  /**
   * Returns the events of a first reply, corrected for the positions that were not sent, and a withdrawal of each name
   * that is no longer published.
   */
  #compared(events, known, unsent, hasResumed) {
    const corrected = events.map((event) => {
      if (!hasResumed || !unsent.has(event.aspect)) return event;
      // To the bus, this is a name that the subscription has never seen.
      const most = Math.max(0, event.generation - known.get(event.aspect));
      return Object.freeze({ ...event, changes: Math.min(event.changes, most) });
    });
    // The reply has the state of every name that is published.
    const present = new Set(events.map(({ aspect }) => aspect));
    const missing = [...new Set([...known.keys(), ...this.#untaken])]
      .filter((aspect) => this.#isMatched(aspect) && !present.has(aspect))
      .sort();
    const sequence = events.reduce((most, event) => Math.max(most, event.sequence), 0);
    const changedAt = Date.now();
    const withdrawals = missing.map((aspect) => {
      const generation = Math.max(sequence, (known.get(aspect) ?? 0) + 1);
      const changes = hasResumed && known.has(aspect) ? 1 : 0;
      const rest = { netChange: true, firstChangedAt: changedAt, changedAt, dropped: 0, state: null };
      return Object.freeze({ aspect, generation, sequence, changes, ...rest });
    });
    return [...corrected, ...withdrawals];
  }

  /** Takes the first reply. */
  #begin(reply, known, unsent, hasResumed, wasAsleep) {
    const isNew = !this.#hasStarted;
    this.#hasStarted = true;
    const isFresh = this.#instance === undefined;
    this.#id = field(reply, "subscription", "string");
    const instance = field(reply, "instance", "string");
    const received = eventsOf(reply, (aspect) => this.#isWanted(aspect));
    const events = this.#compared(received, known, unsent, hasResumed);
    if (!isFresh && !hasResumed) {
      this.#before = this.positions;
      this.#untaken = new Set([...this.#untaken, ...known.keys()]);
      known.clear();
      this.#generations.clear();
    }
    this.#instance = instance;
    for (const event of events) {
      if (isNew && this.#wantsInitial && event.changes === 0) {
        this.#answers.push(event);
      } else if (isFresh) {
        this.#note(event);
      } else if (hasResumed && known.has(event.aspect) && event.changes === 0) {
        continue;
      } else if (hasResumed && event.state === null && !known.has(event.aspect) && !this.#untaken.has(event.aspect)) {
        // A name that was withdrawn, and that is not known here or no longer.
        this.#note(event);
      } else if (wasAsleep && this.#policy(event.aspect).background === "drop") {
        this.#note(event);
      } else if (event.changes > 0 && !event.netChange && this.#policy(event.aspect).netChangeOnly) {
        this.#note(event);
      } else {
        this.#waiting.push(event);
      }
    }
    const delivered = new Set([...this.#answers, ...this.#waiting].map(({ aspect }) => aspect));
    this.#untaken = new Set([...this.#untaken].filter((aspect) => delivered.has(aspect)));
    this.#wasAsleep = false;
  }

  // --- Receiving

  /** Waits until events are due, and hands over those that are chosen; none at the end. */
  async #next(choose, signal, handOver) {
    while (!this.#isClosed) {
      if (signal?.aborted) return;
      try {
        if (bootTime() >= this.#deadline) await this.#endBackground();
        // At once: an abort comes before or after.
        if (this.#take(choose, signal, handOver)) return;
        await this.#receive();
        this.#connection?.stop();
      } catch (error) {
        this.#lose(error);
        // Another program of the user may end and leave room.
        if (this.#isClosed || isLoss(error) || error.code === "quotaExceeded") continue;
        this.close();
        throw error;
      }
    }
    handOver([]);
  }

  /** Opens the subscription again if it was lost while nobody waits for an event; returns whether it is open. */
  async #reach() {
    if (this.#readers === 0) await this.#reading.run(() => this.#reopen());
    return this.#isClosed || this.#connection?.hasEnded === false;
  }

  async #reopen() {
    try {
      if (this.#connection) await this.#receiveAvailable();
      if (this.#connection?.hasEnded) this.#lose(new Error("the bus closed the connection"));
      if (!this.#connection && !this.#isClosed && now() >= this.#retryAt) await this.#open();
    } catch (error) {
      // If the bus refuses it, whoever waits for an event receives the error.
      this.#lose(error);
    }
  }

  async #receive() {
    if (this.#connection) {
      const reply = this.#connection.take();
      if (reply) return this.#accept(reply);
      this.#connection.read();
      await this.#wait(Infinity);
    } else if (now() < this.#retryAt) {
      await this.#wait(this.#retryAt);
    } else {
      await this.#open();
    }
  }

  /** Waits until something happens, a time has come or the background ends. */
  async #wait(until) {
    const left = Math.min(until - now(), this.#deadline - bootTime());
    let timer;
    await new Promise((resolve) => {
      this.#ring = resolve;
      if (left < Infinity) timer = setTimeout(resolve, Math.min(Math.max(0, left), LONGEST_WAIT));
    });
    clearTimeout(timer);
    this.#ring = () => {};
  }

  #accept(reply) {
    const parameters = answerOf(reply, "Subscribe", this.#aspects.join(" "));
    const events = eventsOf(parameters, (aspect) => this.#isWanted(aspect));
    this.#waiting = this.#waiting.concat(events);
    if (events.length > 0) this.#backoff = new Backoff();
    if (!reply.continues) throw new ReveilleError("the bus ended the subscription", { code: "noBus" });
  }

  /** Prepares another attempt. */
  #lose({ message }) {
    if (this.#connection) {
      if (!this.#isClosed) log("%s: disconnected from the bus: %s", this.#aspects.join(" "), message);
      this.#connection.close();
      // A bus that soon ends every connection is not tried more often than a missing bus.
      if (now() >= this.#connectedAt + LONGEST_PAUSE) this.#backoff = new Backoff();
    }
    this.#connection = undefined;
    this.#retryAt = now() + this.#backoff.next();
  }

  /** Receives what the bus sent before a background. */
  async #receiveAvailable() {
    try {
      let before;
      do {
        before = this.#connection?.received;
        this.#connection?.read();
        await turn();
        for (let reply; (reply = this.#connection?.take()); ) this.#accept(reply);
      } while (this.#connection?.received !== before);
      this.#connection?.stop();
    } catch {
      // The reader notices the end, and opens the subscription again.
      this.#connection?.close();
    }
  }

  // --- Events that wait

  #take(choose, signal, handOver) {
    if (signal?.aborted) return true;
    const due = [...this.#answers, ...this.#waiting.filter((event) => this.#isDue(event))];
    const events = new Set(choose(due));
    this.#answers = this.#answers.filter((event) => !events.has(event));
    this.#waiting = this.#waiting.filter((event) => !events.has(event));
    for (const event of events) this.#note(event);
    if (events.size > 0) handOver([...events]);
    return events.size > 0;
  }

  #isDue({ aspect }) {
    return !this.#background || aspect === "lifecycle" || this.#policy(aspect).background === "immediate";
  }

  /** Moves the position to an event. */
  #note(event) {
    this.#untaken.delete(event.aspect);
    if (event.state === null) {
      // Without a position, the name counts as not published. The bus may forget the generation of the withdrawal.
      this.#generations.delete(event.aspect);
    } else {
      this.#generations.set(event.aspect, event.generation);
    }
  }

  // --- Background

  /** Ends a background at its deadline, as the bus does too. */
  #endBackground() {
    return this.#changing.run(async () => {
      if (bootTime() >= this.#deadline) await this.#wake("foreground");
    });
  }

  async #wake(state) {
    this.#checkIsOpen("SetState");
    if (this.#mustGiveBack) {
      // The bus merges what was received with what it has now.
      this.#connection?.close();
      [this.#connection, this.#id] = [undefined, undefined];
      this.#retryAt = 0;
      this.#waiting = [];
      this.#wasAsleep = true;
    } else {
      for (const event of await this.#droppedStates()) this.#note(event);
      this.#wasAsleep = this.#background && !this.#connection;
      await this.#setState(state);
    }
    [this.#background, this.#deadline, this.#isInactive] = [false, Infinity, state === "inactive"];
    this.#ring();
  }

  /**
   * Whether an event was received and not taken before a background that ends: there would be two events of its aspect.
   */
  get #mustGiveBack() {
    // The bus would merge the changes that 'hold' keeps.
    const keepsChanges = Object.values(this.#policies).some((policy) => policy.background === "hold");
    if (!this.#background || keepsChanges) return false;
    return this.#waiting.length > 0 || (this.#connection?.hasBegunReply ?? false);
  }

  /** Returns the states of the aspects whose changes are discarded: a later resumption begins there. */
  async #droppedStates() {
    const aspects = [...this.#generations.keys()].filter((aspect) => this.#policy(aspect).background === "drop");
    if (aspects.length === 0 || !this.#background || !this.#connection) return [];
    return this.#bus.states(aspects).catch(() => []);
  }

  /** Notifies the bus, or the next bus when the subscription is opened again. */
  async #setState(state, wakeAfter) {
    const connection = this.#connection;
    if (!connection) return;
    const parameters = { subscription: this.#id, state };
    if (wakeAfter !== undefined) parameters.wakeAfter = Math.max(1, Math.ceil(wakeAfter));
    try {
      await this.#bus.call("SetState", parameters);
    } catch (error) {
      if (!isLoss(error) && error.code !== "noSuchSubscription") throw error;
      connection.close();
    }
  }
}

/** Work that a program finishes before it is suspended: Subscription.task(). It does not keep the process running. */
export class BackgroundTask {
  name;
  #bus;
  #subscription;
  #siblings;
  #connection;
  #expiring = new AbortController();
  /** The identifier of the subscription when the task began. */
  #begunFor;
  #hasEnded = false;
  #isClosed = false;
  #failure;

  /** @internal Use Subscription.task(). */
  static async open(bus, subscription, name, siblings) {
    const task = new BackgroundTask(bus, subscription, name);
    task.#siblings = siblings.add(task);
    await task.#begin();
    if (!task.#isClosed && !task.#hasEnded) bus.tasks.set(task.#begin, subscription);
    return task;
  }

  constructor(bus, subscription, name) {
    this.#bus = bus;
    this.#subscription = subscription;
    this.name = name;
  }

  get signal() {
    return this.#expiring.signal;
  }

  get isExpiring() {
    return this.signal.aborted;
  }

  get failure() {
    return this.#failure;
  }

  async remaining() {
    if (this.#hasEnded || !this.#connection) return this.#hasEnded ? 0 : null;
    try {
      const entries = objects(await this.#bus.call("ListSubscriptions", {}), "subscriptions");
      const entry = entries.find(({ subscription }) => subscription === this.#subscription.id());
      // All tasks of a subscription have the same time left.
      const [task] = (entry?.tasks ?? null) === null ? [] : objects(entry, "tasks");
      return (task?.remaining ?? null) === null ? null : field(task, "remaining", "integer");
    } catch (error) {
      if (!(error instanceof ReveilleError)) throw error;
      return null;
    }
  }

  close() {
    this.#isClosed = true;
    this.#disconnect();
    this.#siblings.delete(this);
    this.#bus.tasks.delete(this.#begin);
  }

  #begin = async () => {
    try {
      this.#bus.checkIsOpen("BeginTask");
      this.#subscription.checkIsOpen("BeginTask");
      this.#disconnect();
      this.#begunFor = this.#subscription.id() ?? "";
      const parameters = { subscription: this.#begunFor, name: this.name };
      const call = encode("BeginTask", parameters, this.name, "more");
      this.#connection = await Connection.open(this.#bus.path);
      if (this.#isClosed) return this.#disconnect();
      this.#connection.send(call);
      this.#take(await nextReply(this.#connection, "BeginTask", REPLY_TIMEOUT));
      this.#failure = undefined;
      if (!this.#connection) return;
      this.#connection.keepsRunning = false;
      this.#connection.onchange = () => this.#receive();
      this.#receive();
    } catch (error) {
      this.#fail(error);
    }
  };

  /** Takes what has been received, and goes on reading. */
  #receive() {
    try {
      for (let reply; (reply = this.#connection?.take()); ) this.#take(reply);
      this.#connection?.read();
    } catch (error) {
      this.#fail(error);
    }
  }

  #take(reply) {
    const state = answerOf(reply, "BeginTask", this.name);
    if (state.ended === true) {
      if (this.#subscription.id() !== this.#begunFor) {
        throw new ReveilleError(`BeginTask ${this.name}: the subscription is opened again`, { code: "noBus" });
      }
      this.#hasEnded = true;
      this.#bus.tasks.delete(this.#begin);
      this.#disconnect();
    }
    if (this.#hasEnded || state.expiring === true) this.#expiring.abort();
  }

  #fail(error) {
    if (!(error instanceof ReveilleError)) throw error;
    if (!this.#isClosed) this.#failure = error;
    this.#disconnect();
    if (isLoss(error)) this.#bus.restore();
  }

  #disconnect() {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

// Node.js 18 may lack these symbols.
for (const symbol of [Symbol.dispose, Symbol.asyncDispose].filter(Boolean)) {
  for (const kind of [Bus, Subscription, BackgroundTask]) {
    const value = symbol === Symbol.dispose ? kind.prototype.close : async function () { this.close(); };
    Object.defineProperty(kind.prototype, symbol, { value });
  }
}

function wirePolicy(aspect, policy) {
  if (!isObject(policy)) throw new ReveilleError(`the policy of ${aspect} must be an object, not ${plain(policy)}`);
  const limit = policy.limit ?? undefined;
  const interval = policy.interval ?? undefined;
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1)) {
    throw new ReveilleError(`the policy of ${aspect}: the limit must be a whole number from 1, not ${limit}`);
  }
  if (interval === undefined) return { aspect, ...policy };
  checkDuration(`the policy of ${aspect}: the interval`, interval);
  return { aspect, ...policy, interval: Math.ceil(interval) };
}

function checkPositions(positions) {
  const { instance, generations } = Object(positions);
  if (typeof instance === "string" && isObject(generations) && Object.values(generations).every(Number.isSafeInteger)) {
    return;
  }
  throw new ReveilleError("resume must be the positions of a subscription");
}

/** Connects to a bus. */
export async function connect(address, { wait = false, signal } = {}) {
  const backoff = new Backoff();
  for (; ; await sleep(backoff.next(), undefined, { signal }).catch(() => {})) {
    signal?.throwIfAborted();
    let caller;
    const stop = () => caller?.close();
    signal?.addEventListener("abort", stop);
    try {
      caller = new Caller(await resolve(address));
      await caller.fence();
      signal?.throwIfAborted();
      return new Bus(caller);
    } catch (error) {
      caller?.close();
      signal?.throwIfAborted();
      if (!wait || error.code !== "noBus") throw error;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }
}
