// SPDX-License-Identifier: Apache-2.0

/**
 * The types of reveille.mjs, a client of the notification bus Reveille.
 *
 * Times are in milliseconds since 1970 in UTC, and durations in milliseconds, except in the structures of the interface.
 */

// --- Types that generate-types writes

// The words of this version. A later bus has further ones, which are passed on as they are.
export type BackgroundPolicy = "coalesce" | "hold" | "drop" | "immediate" | "end";
export type BatteryState = "unknown" | "unplugged" | "charging" | "full";
export type BatterySupply = "mains" | "usb" | "wireless";
export type CapabilityWord = "yes" | "no" | "unknown";
export type ChargeStatus = "unknown" | "charging" | "discharging" | "notCharging" | "full";
export type HoldReason = "app" | "operator" | "frozen" | "unread";
export type LifecycleState = "active" | "inactive" | "background" | "suspended" | "terminating";
export type MissedFirings = "fire" | "skip";
export type NetworkKind = "ethernet" | "wifi" | "cellular" | "other";
export type Pose =
  "unknown" | "portrait" | "portraitUpsideDown" | "landscapeLeft" | "landscapeRight" | "faceUp" | "faceDown";
export type ProximityState = "near" | "far" | "unknown";
export type SleepState = "awake" | "preparing";
export type UprightPose = "portrait" | "portraitUpsideDown" | "landscapeLeft" | "landscapeRight";

export interface Locale {
  identifier: string;
  languages: string[];
  numeric: string;
  time: string;
  monetary: string;
  measurement: string;
}

export interface DefaultsDomain {
  domain: string;
  path: string;
  keys: string[];
  opaque: boolean;
}

export interface Defaults {
  domains: DefaultsDomain[];
}

export interface BatteryPack {
  name: string;
  level: number | null;
  chargeStatus: ChargeStatus;
}

export interface Battery {
  state: BatteryState;
  level: number | null;
  plugged: boolean | null;
  chargeStatus: ChargeStatus;
  packs: BatteryPack[];
  supply?: BatterySupply | null;
}

export interface Proximity {
  state: ProximityState;
}

export interface Orientation {
  pose: Pose;
  planar: UprightPose | null;
}

export interface Lifecycle {
  state: LifecycleState;
}

export interface Vector {
  x: number;
  y: number;
  z: number;
}

export interface Motion {
  acceleration: Vector | null;
  rotation: Vector | null;
  takenAt: number;
}

export interface Shake {
  peak: number;
}

export interface Light {
  lux: number | null;
}

export interface Screen {
  name: string;
  width: number;
  height: number;
  widthMM: number | null;
  heightMM: number | null;
  scale: number | null;
}

export interface Display {
  screens: Screen[];
  brightness: number | null;
}

export interface Network {
  reachable: boolean;
  interface: string | null;
  kind: NetworkKind | null;
  addresses: string[];
}

export interface Rename {
  from: string;
  to: string;
}

export interface PowerPack {
  name: string;
  vendor: string | null;
  model: string | null;
  technology: string | null;
  energy: number | null;
  energyFull: number | null;
  energyFullDesign: number | null;
  power: number | null;
  voltage: number | null;
  temperature: number | null;
  cycles: number | null;
}

export interface Power {
  power: number | null;
  energy: number | null;
  energyFull: number | null;
  health: number | null;
  timeToEmpty: number | null;
  timeToFull: number | null;
  packs: PowerPack[];
}

export interface Folder {
  name: string;
  path: string;
  added: string[];
  removed: string[];
  changed: string[];
  renamed: Rename[];
  rescan: boolean;
}

export interface Folders {
  folders: Folder[];
}

export interface Sleep {
  state: SleepState;
  sleptFor: number | null;
}

export interface Switches {
  lidClosed: boolean | null;
  tabletMode: boolean | null;
  docked: boolean | null;
}

export interface LogLine {
  event: Event | null;
  aspect: string | null;
  watched: boolean | null;
  since: number | null;
}

export interface Pending {
  aspect: string;
  changes: number;
}

export interface TaskInfo {
  name: string;
  remaining: number | null;
}

export interface SubscriptionInfo {
  subscription: string;
  name?: string | null;
  pid: number;
  uid: number;
  aspects: string[];
  held: HoldReason[];
  pending: Pending[];
  events: number;
  changes: number;
  lifecycle?: LifecycleState | null;
  tasks?: TaskInfo[] | null;
}

export interface AspectInfo {
  aspect: string;
  available: boolean;
  monitored: boolean;
  source: string | null;
  reason: string | null;
}

export interface DeviceInfo {
  name: string;
  model: string | null;
  vendor: string | null;
  chassis: string | null;
  system: string;
  systemVersion: string;
  kernel: string;
  identifier: string;
  processors: number;
  frequency: number | null;
  memory: number;
}

export interface CapabilityAnswer {
  capability: string;
  answer: CapabilityWord;
  reason: string | null;
}

/** The state of each aspect of the device. */
export interface States {
  locale: Locale;
  defaults: Defaults;
  battery: Battery;
  proximity: Proximity;
  orientation: Orientation;
  lifecycle: Lifecycle;
  motion: Motion;
  shake: Shake;
  light: Light;
  display: Display;
  network: Network;
  folders: Folders;
  power: Power;
  sleep: Sleep;
  switches: Switches;
}

// --- The end of these types

declare global {
  interface SymbolConstructor {
    readonly dispose: unique symbol;
    readonly asyncDispose: unique symbol;
  }
}

/** The kind of a failure. Later versions may add codes. */
export type Code =
  | "noBus" | "closed" | "timeout" | "notPermitted" | "quotaExceeded" | "invalidArgument" | "noSuchSubscription"
  | "noSuchEntry" | "cannotSuspend" | "notSupported" | "invalidReply" | "system";

/** The failure of an operation. Its message contains the operation, its subject and the reason. */
export class ReveilleError extends Error {
  constructor(message: string, details?: { code?: Code; error?: string; parameters?: Record<string, any> });
  readonly code: Code;
  /**
   * The name of the Varlink error, such as "org.reveille.Bus.QuotaExceeded"; undefined if the bus did not answer, for
   * example because it is not running or because the call is invalid.
   */
  readonly error: string | undefined;
  /** The parameters of that error, such as { quota: "names", limit: 1024 }; empty if there is no such error. */
  readonly parameters: Record<string, any>;
}

/** The name of a published state: "org.example.volume". */
export type Name = `${string}.${string}`;

/** The state of an aspect: of the device, or a published value, which is null once it was withdrawn. */
export type State<Aspect extends string> = Aspect extends keyof States ? States[Aspect] : Record<string, any> | null;

/** The changes of one aspect since the subscriber's last event of it. */
export interface EventOf<Aspect extends string> {
  /** "battery", or the name of a published state, such as "org.example.volume". */
  readonly aspect: Aspect;
  /** Grows by one with each change of the aspect. */
  readonly generation: number;
  /** Grows with each change on the bus. */
  readonly sequence: number;
  /** The number of changes that the event stands for; 0 for a current state that was requested. */
  readonly changes: number;
  /** Whether the state differs from the last one that this subscriber received. */
  readonly netChange: boolean;
  /** The time of the first of the changes. */
  readonly firstChangedAt: number;
  /** The time of the last change. */
  readonly changedAt: number;
  /** The number of further changes, for which the policy "hold" had no room. */
  readonly dropped: number;
  /** The state now: the structure with the name of the aspect, or the published value. null if it was withdrawn. */
  readonly state: State<Aspect>;
}

/** An event of any aspect. A comparison of its `aspect` determines the type of its `state`. */
export type Event = { [Aspect in keyof States]: EventOf<Aspect> }[keyof States] | EventOf<Name>;

/**
 * The last event of each aspect that a subscriber has seen: store them as JSON to resume later. The Swift library and
 * `reveille watch --state` use the same format.
 */
export interface Positions {
  instance: string;
  generations: Record<string, number>;
  /** The domains of the settings whose changes the generation of defaults counts, if not of all. */
  domains?: string[];
}

/** The treatment of an aspect's changes in the background. */
export interface Policy {
  /**
   * Whether the changes in the background become one event on wake (the default), are kept (the newest `limit` of them),
   * are discarded, or are delivered at once. For "lifecycle" alone, "end": going to the background ends the program.
   */
  background?: BackgroundPolicy;
  /** For "hold", the number of changes to keep. */
  limit?: number;
  /** Whether a state that changed and changed back is not delivered. */
  netChangeOnly?: boolean;
  /** The minimum time between two events: a millisecond to a year. Changes within it are merged. */
  interval?: number;
}

/** The position of a state: the generation counts the changes of its aspect, the sequence those of all aspects. */
export interface Revision {
  readonly generation: number;
  readonly sequence: number;
}

/** The subscriptions that began or changed, as they are now, and the identifiers of ended ones. */
export interface SubscriptionChanges {
  subscriptions: SubscriptionInfo[];
  ended: string[];
}

/** The options of a subscription. */
export interface SubscriptionOptions {
  /** A name for `reveille status`; by default REVEILLE_NAME, which `reveille run --name` sets. */
  name?: string;
  /** Whether to deliver the current state of each aspect first, as events whose `changes` are 0. */
  initial?: boolean;
  /** Whether to start in the background. */
  background?: boolean;
  /** The treatment of changes, by aspect or pattern. */
  policies?: Record<string, Policy>;
  /**
   * The positions of an earlier subscription: changes since then are delivered first. If they are unknown to the bus, the
   * current states are delivered instead.
   */
  resume?: Positions | null;
  /**
   * The domains of the settings to which `defaults` is limited: names ("app/settings"), patterns ("app/*"), and directories
   * of keys ("dconf:/org/gnome/desktop/interface/"). Others are neither delivered nor counted.
   */
  domains?: string[];
  /** Closes the subscription when it is aborted: its iteration ends. */
  signal?: AbortSignal;
}

/** The parts of the calendar that must match: { hour: 7, minute: 30 } is 07:30 of each day; weekday 1 is Monday. */
export interface CalendarRule {
  month?: number;
  day?: number;
  weekdays?: number[];
  hour?: number;
  minute?: number;
  second?: number;
}

/** When the bus publishes a scheduled value. */
export interface ScheduleOptions {
  /** A JSON object, by default without members. */
  value?: object;
  /** The only time; with `every` or `calendar`, the earliest one. */
  at?: number | Date;
  /** The interval, at least 1,000. */
  every?: number;
  /** The parts of the calendar that must match. Instead of `every`. */
  calendar?: CalendarRule;
  /** The time zone of the calendar, by default the device's. */
  zone?: string;
  /** The time after which the entry does not fire. */
  until?: number | Date;
  /** What becomes of firings that pass while the device is off or asleep: "fire" by default. */
  ifMissed?: MissedFirings;
  /** The delay beyond which such a firing is skipped. */
  grace?: number;
  /** Whether the device wakes from its sleep for the next firing, if it can; check("wake") tells. */
  wake?: boolean;
  /** The command that the bus starts if the name has no subscriber; see launchPositions(). */
  launch?: string[];
}

/** An entry on the schedule, with the options that it was given. */
export interface ScheduledEntry extends ScheduleOptions {
  id: string;
  name: string;
  value: Record<string, any>;
  at?: number;
  until?: number;
  /** The time of the next firing; null if there will be none. */
  next: number | null;
  /** The number of firings so far. */
  fired: number;
}

export interface WakeOptions {
  /** The time after which the subscription wakes automatically, from 1 to a year; undefined for no limit. */
  wakeAfter?: number;
}

/**
 * Connects to a bus.
 *
 * @param address "unix:" and an absolute path. The default is $REVEILLE_ADDRESS, otherwise the user's own bus or, if
 *   nothing serves that, the machine's bus.
 */
export function connect(address?: string | null, options?: ConnectOptions): Promise<Bus>;

export interface ConnectOptions {
  /** Whether to wait for a bus if there is none. */
  wait?: boolean;
  /** Ends the attempt when it is aborted. */
  signal?: AbortSignal;
}

/**
 * Returns the positions before the firings that started this program; undefined if it was started otherwise.
 *
 * The first subscription to each of these names continues from there, so that its first event has their number.
 */
export function launchPositions(): Positions | undefined;

/**
 * A bus: its states, and subscriptions to their changes. If the bus has restarted, the next call reconnects. All methods
 * reject with ReveilleError.
 */
export class Bus {
  private constructor();
  /** The address of the bus, such as "unix:/run/user/1000/reveille/org.reveille.Bus". */
  get address(): string;
  /**
   * Subscribes; every change after that is an event, or part of one.
   *
   * @param aspects Aspects of the device ("battery"), published names ("org.example.volume"), and patterns
   *   ("org.example.*"); at least one.
   */
  subscribe(aspects: string | string[], options?: SubscriptionOptions): Promise<Subscription>;
  /** Sends all subscriptions of this object to the background, as Subscription.enterBackground() does with one. */
  enterBackground(options?: WakeOptions): Promise<void>;
  /** Wakes all subscriptions of this object. */
  enterForeground(): Promise<void>;
  /** Makes all subscriptions of this object inactive. */
  becomeInactive(): Promise<void>;
  /** Iterates over whether the bus is reachable, now and after each change, until the bus object is closed. */
  connectionStates(): AsyncGenerator<boolean, void, undefined>;
  /** Returns the current state of an aspect, as an event whose `changes` are 0. */
  get<Aspect extends keyof States | Name>(aspect: Aspect): Promise<EventOf<Aspect>>;
  /** Returns the current states of several aspects, names and patterns: of a pattern, those of its names. */
  getAll(aspects: string | string[]): Promise<Event[]>;
  /** Returns the latest changes of an aspect that the bus keeps, oldest first: all of them, or at most `limit`. */
  history<Aspect extends keyof States | Name>(aspect: Aspect, options?: { limit?: number }): Promise<EventOf<Aspect>[]>;
  /**
   * Publishes a state. Every program can subscribe to it. An equal value is not a change.
   *
   * @param name Two words or more, joined by dots: "org.example.volume".
   * @param value A JSON object, by default of at most 4,096 bytes.
   * @param options whileConnected: whether the bus withdraws the value when this object is closed or the process ends. If
   *   the bus restarts, the last such value of each name is published again, even one for which there was no bus, until
   *   the name is withdrawn.
   */
  publish(name: Name, value: object, options?: { whileConnected?: boolean }): Promise<Revision>;
  /** Withdraws a published value: its state becomes null. */
  withdraw(name: Name): Promise<Revision>;
  /** Posts a synthetic state of the device, for tests of subscribers. Members not given keep their values. */
  post<Aspect extends keyof States>(aspect: Aspect, state: Partial<States[Aspect]>): Promise<Revision>;
  /** Reads every source again; returns once the changes have been posted. */
  refresh(): Promise<void>;
  /** Returns the subscriptions of all programs. */
  subscriptions(): Promise<SubscriptionInfo[]>;
  /**
   * Iterates over all subscriptions, then over their changes, until the bus object is closed.
   *
   * Changes that are not taken are merged. If the bus restarts, all of its subscriptions follow, and those that ended
   * meanwhile.
   */
  subscriptionChanges(): AsyncGenerator<SubscriptionChanges, void, undefined>;
  /**
   * Iterates over the set of those names that anybody needs now, until the bus object is closed.
   *
   * A publisher that measures can stop while nobody does. Changes that are not taken are merged, and each set differs from
   * the one before. The demand continues after a restart of the bus.
   *
   * @param names Published names, and patterns such as "org.example.*", which are needed if any of their names could be.
   */
  demand(names: string | string[]): AsyncGenerator<Set<string>, void, undefined>;
  /**
   * Wakes a subscription of any program, as a shell does, unless its own program holds it in the background.
   *
   * @param subscription Its identifier, as in subscriptions().
   */
  wake(subscription: string): Promise<void>;
  /** Sends a subscription of any program to the background, until wake() or the end of a time. */
  hold(subscription: string, options?: WakeOptions): Promise<void>;
  /**
   * Sends a subscription of any program to the background, and has the program frozen once its tasks have ended.
   *
   * Returns when it is frozen, which may take minutes. Fails with the code `cannotSuspend` if it cannot be frozen or is
   * woken before; it is in the background nevertheless. Closing the bus ends the wait and takes nothing back; wake() does.
   */
  suspend(subscription: string, options?: WakeOptions): Promise<void>;
  /** Returns the aspects and their sources. */
  aspects(): Promise<AspectInfo[]>;
  /** Returns the description of the device. */
  info(): Promise<DeviceInfo>;
  /** Returns whether the device and the bus have a capability. A bus of an earlier version always answers "unknown". */
  check(capability: string): Promise<CapabilityAnswer>;
  /** Returns the answers to several capabilities, in their order. */
  checkAll(capabilities: string[]): Promise<CapabilityAnswer[]>;
  /**
   * Schedules a value that the bus publishes at set times, even when this program does not run.
   *
   * @param id The identifier of the entry. Another entry with the same identifier replaces it.
   * @param name The name under which the value is published; each firing is a change.
   */
  schedule(id: string, name: Name, options: ScheduleOptions): Promise<ScheduledEntry>;
  /** Removes an entry of this user from the schedule, or all. Returns their number. */
  cancelScheduled(id?: string): Promise<number>;
  /** Returns this user's entries on the schedule. */
  scheduled(): Promise<ScheduledEntry[]>;
  /** Ends the connection, all subscriptions and all tasks. Later calls fail with the code `closed`. */
  close(): void;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The events of some aspects: an asynchronous iterator.
 *
 * Events that are not taken are merged by the bus: one waits for each aspect that changed. `break` leaves the loop and
 * not the subscription, which a later loop continues. The iteration ends after close(), and it rejects with ReveilleError
 * if the bus refuses the subscription. Other calls after close() fail with the code `closed`.
 */
export class Subscription implements AsyncIterableIterator<Event> {
  private constructor();
  /** The positions of the events taken so far, for `resume` of a later subscription of any process. */
  get positions(): Positions;
  [Symbol.asyncIterator](): this;
  /** Waits for the next event. A wait that is aborted takes none, and rejects with the signal's reason. */
  next(options?: { signal?: AbortSignal }): Promise<IteratorResult<Event, undefined>>;
  /** Iterates over the events that come together: all of a wake, as one list. None is in two lists. */
  batches(): AsyncGenerator<Event[], void, undefined>;
  /** Sends the subscription to the background: nothing is delivered until it wakes. An earlier limit is replaced. */
  enterBackground(options?: WakeOptions): Promise<void>;
  /** Wakes the subscription: one event is delivered for each aspect that changed. */
  enterForeground(): Promise<void>;
  /**
   * Brings the subscription to the foreground, with the lifecycle "inactive".
   *
   * Everything is delivered. Only subscriptions to "lifecycle" see the difference.
   */
  becomeInactive(): Promise<void>;
  /**
   * Begins a task: a shell waits for its end before suspending the program. End it with close(), best in a `finally`.
   *
   * In the background, the bus waits for 30 seconds by default, shared by all tasks of the process. Five seconds
   * before the end, the task is expiring. If the bus is gone, of an earlier version, or refuses the task, nothing waits
   * for it, and `failure` is the reason. If the bus restarts, the task begins again with all of its time.
   *
   * @param name A name for `reveille status`: 1 to 128 bytes.
   */
  task(name: string): Promise<BackgroundTask>;
  /** Ends the subscription; events that were not taken are discarded. */
  close(): void;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Work that a program finishes before it is suspended: Subscription.task(). It does not keep the process running. */
export class BackgroundTask {
  private constructor();
  /** The name of the task. */
  readonly name: string;
  /**
   * Aborted when the time is about to end, or has ended; then the work should finish. For fetch() and other operations
   * that accept a signal.
   */
  get signal(): AbortSignal;
  /** Whether the time is about to end, or has ended. It stays true. */
  get isExpiring(): boolean;
  /** The reason why nothing waits for the task; undefined if the bus counts it, or its time has ended. */
  get failure(): ReveilleError | undefined;
  /** Returns the milliseconds that are left; null in the foreground, and if the bus does not count the task. */
  remaining(): Promise<number | null>;
  /** Ends the task. */
  close(): void;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}
