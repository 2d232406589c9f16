// SPDX-License-Identifier: Apache-2.0

// Uses every call of reveille.mjs with a hostile bus; the arguments are its address and the number of rounds.

import { connect, ReveilleError } from "../../../../Sources/Clients/Node/reveille.mjs";

const [address, rounds] = process.argv.slice(2);
// A wait for a reply that never comes must not end the program with success.
process.exitCode = 1;

async function tried(action) {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof ReveilleError)) throw error;
  }
}

const bus = await connect(address);
const calls = [
  () => bus.get("battery"), () => bus.get("org.example.a"), () => bus.getAll("battery"), () => bus.history("battery"),
  () => bus.subscriptions(), () => bus.aspects(), () => bus.info(), () => bus.refresh(), () => bus.scheduled(),
  () => bus.check("c"), () => bus.publish("org.example.a", {}), () => bus.post("battery", {}),
  () => bus.schedule("x", "org.example.a", { every: 1_000 }), () => bus.cancelScheduled("x"),
];
for (let round = 0; round < Number(rounds); round += 1) {
  for (const call of calls) await tried(call);
  const changes = bus.subscriptionChanges();
  if (await tried(() => changes.next())) await tried(() => changes.next());
  await changes.return();
  for (let subscription = 0; subscription < 2; subscription += 1) {
    const events = await tried(() => bus.subscribe(["battery", "org.example.*"]));
    if (!events) continue;
    await tried(() => events.next());
    void events.positions;
    const task = await events.task("t");
    await tried(() => task.remaining());
    task.close();
    events.close();
  }
}
bus.close();
process.exitCode = 0;
