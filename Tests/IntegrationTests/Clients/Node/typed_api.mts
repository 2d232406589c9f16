// SPDX-License-Identifier: Apache-2.0

// Uses the types of reveille.mjs. The compiler of TypeScript checks this program; it does not run.

import {
  connect, launchPositions, ReveilleError,
  type Battery, type BatteryState, type CapabilityWord, type Code, type Event, type EventOf, type HoldReason,
  type Positions, type SubscriptionInfo,
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
  const bus = await connect();
  const resume = launchPositions();
  const policies = { battery: { background: "hold", limit: 10 }, lifecycle: { background: "end" } } as const;
  const events = await bus.subscribe(["battery", "org.example.*"], { initial: true, policies, resume });
  for await (const event of events) expectType<string>()(describe(event), true);
  expectType<Positions>()(events.positions, true);
  await events.enterBackground({ wakeAfter: 500 });
  await events.becomeInactive();

  expectType<EventOf<"battery">>()(await bus.get("battery"), true);
  expectType<Record<string, any> | null>()((await bus.get("org.example.volume")).state, true);
  expectType<Battery | undefined>()((await bus.getAll()).battery?.state, true);
  expectType<number>()(await bus.publish("org.example.volume", { level: 0.4 }, { whileConnected: true }), true);
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
  for await (const needed of bus.demand("org.example.volume")) expectType<boolean>()(needed, true);
  expectType<CapabilityWord>()((await bus.check("publish")).publish.answer, true);
  const weekly = { calendar: { weekdays: [1], hour: 7 }, wake: true };
  expectType<number | null>()(await bus.schedule("tea", "org.example.tea", weekly), true);

  const task = await events.task("upload");
  task.signal.throwIfAborted();
  task[Symbol.dispose]();
  await bus[Symbol.asyncDispose]();
}

main().catch((error: unknown) => {
  if (error instanceof ReveilleError) expectType<Code>()(error.code, true);
});
