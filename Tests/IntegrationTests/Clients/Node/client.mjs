// SPDX-License-Identifier: Apache-2.0

// The adapter of reveille.mjs: it uses the client as lines on stdin ask.
//
// Tests/ClientConformance/run documents the lines. The actions that are not listed there have the names of the client's methods.

import { createInterface } from "node:readline";
import { connect, ReveilleError } from "../../../../Sources/Clients/Node/reveille.mjs";

const subscriptions = {};
const tasks = [];
let bus;

async function carryOut({ do: action, of, aspects, options, arguments: values = [], ...request }) {
  switch (action) {
    case "connect":
      bus = await connect(request.address, { wait: request.wait });
      return;
    case "subscribe":
      subscriptions[of] = await bus.subscribe(aspects, options);
      return;
    case "follow":
      subscriptions[of] = bus.subscriptionChanges();
      return;
    case "demand":
      subscriptions[of] = bus.demand(values);
      return;
    case "getAll":
    case "checkAll":
      return bus[action](values);
    case "states":
      subscriptions[of] = bus.connectionStates();
      return;
    case "batch":
      return (await subscriptions[of].batches().next()).value;
    case "next":
      return (await subscriptions[of].next()).value;
    case "enterBackground":
      return (subscriptions[of] ?? bus).enterBackground({ wakeAfter: request.wakeAfter });
    case "enterForeground":
    case "becomeInactive":
      return (subscriptions[of] ?? bus)[action]();
    case "task":
      tasks.push(await subscriptions[of].task("work"));
      return;
    case "endTask":
      return tasks.pop().close();
    case "hasFailed":
      return tasks[0].failure !== undefined;
    case "positions":
      return subscriptions[of].positions;
    case "close":
      return (of ? subscriptions[of] : bus).close();
    default:
      return bus[action](...values, ...(options ? [options] : []));
  }
}

async function answer(request) {
  const reply = { id: request.id };
  try {
    reply.result = (await carryOut(request)) ?? null;
  } catch (error) {
    if (!(error instanceof ReveilleError)) throw error;
    const { message, code, error: name, parameters } = error;
    reply.error = { message, code, name, parameters };
  }
  const plain = (_, value) => (value instanceof Set ? [...value].sort() : value);
  process.stdout.write(`${JSON.stringify(reply, plain)}
`);
}

for await (const line of createInterface({ input: process.stdin })) answer(JSON.parse(line));
process.exit(0);
