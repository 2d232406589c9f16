// SPDX-License-Identifier: Apache-2.0

// Uses the types of reveille.mjs. The compiler of TypeScript checks this program; it does not run.

import {
  connect, launchPositions, ReveilleError,
  type Battery, type BatteryState, type CapabilityWord, type Code, type Event, type EventOf, type HoldReason,
  type Positions, type Revision, type ScheduledEntry, type SubscriptionInfo, type SubscriptionOptions,
} from "../../../../Sources/Clients/Node/reveille.mjs";

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
/** Fails to compile unless a value has exactly a type. */
const expectType = <Wanted,>() => <Actual,>(value: Actual, isSame: Same<Wanted, Actual>) => [value, isSame];

function describe(event: Event): string {
  if (event.aspect === "battery") {
    expectType<Battery>()(event.state, true);
    expectType<BatteryState>()(event.state.state, true);
    // @ts-expect-error: the interface does not have this word.
    if (event.state.state === "empty") return "empty";
    return `${event.state.level ?? 0}`;
  }
  if (event.aspect === "orientation") return event.state.planar ?? event.state.pose;
  return `${event.aspect} ${event.changes}`;
}

export async function main(): Promise<void> {
  const { signal } = new AbortController();
  const bus = await connect(null, { wait: true, signal });
  const resume = launchPositions();
  const policies = { battery: { background: "hold", limit: 10 }, lifecycle: { background: "end" } } as const;
  const options: SubscriptionOptions = { initial: true, policies, resume, signal };
  const events = await bus.subscribe(["battery", "org.example.*"], options);
  // @ts-expect-error: a subscription names its aspects.
  await bus.subscribe();
  for await (const event of events) expectType<string>()(describe(event), true);
  for await (const batch of events.batches()) expectType<Event[]>()(batch, true);
  await events.next({ signal });
  expectType<Positions>()(events.positions, true);
  await events.enterBackground({ wakeAfter: 500 });
  await events.becomeInactive();

  expectType<EventOf<"battery">>()(await bus.get("battery"), true);
  expectType<Record<string, any> | null>()((await bus.get("org.example.volume")).state, true);
  expectType<Event[]>()(await bus.getAll(["battery", "org.example.*"]), true);
  expectType<Revision>()(await bus.publish("org.example.volume", { level: 0.4 }, { whileConnected: true }), true);
  // @ts-expect-error: a published name has two words.
  await bus.publish("volume", {});
  await bus.post("proximity", { state: "near" });
  await bus.history("battery", { limit: 10 });
  for (const subscription of await bus.subscriptions()) {
    expectType<SubscriptionInfo>()(subscription, true);
    expectType<HoldReason[]>()(subscription.held, true);
    await bus.hold(subscription.subscription, { wakeAfter: 1_000 });
  }
  for await (const { subscriptions, ended } of bus.subscriptionChanges()) {
    expectType<SubscriptionInfo[]>()(subscriptions, true);
    expectType<string[]>()(ended, true);
  }
  const [one, other] = ["org.example.volume", "org.example.track"];
  for await (const needed of bus.demand([one, other])) expectType<Set<string>>()(needed, true);
  for await (const isReachable of bus.connectionStates()) expectType<boolean>()(isReachable, true);
  expectType<CapabilityWord>()((await bus.check("publish")).answer, true);
  await bus.enterBackground({ wakeAfter: 500 });
  const weekly = { calendar: { weekdays: [1], hour: 7 }, wake: true };
  expectType<ScheduledEntry>()(await bus.schedule("tea", "org.example.tea", weekly), true);
  expectType<number | undefined>()((await bus.scheduled())[0].at, true);

  const task = await events.task("upload");
  task.signal.throwIfAborted();
  task[Symbol.dispose]();
  await bus[Symbol.asyncDispose]();
}

main().catch((error: unknown) => {
  if (error instanceof ReveilleError) expectType<Code>()(error.code, true);
});
