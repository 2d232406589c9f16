// A program on the Node client: client.mjs LIBRARY POSITIONS. Prints its events, and publishes an answer to each.
import { existsSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";

const [library, path] = process.argv.slice(2);
const { connect } = await import(library);
const print = (line) => writeSync(1, JSON.stringify(line) + "\n");
process.on("SIGTERM", () => process.exit(0));
const resume = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
writeSync(2, "the program begins\n");
const bus = await connect();
const events = await bus.subscribe(["org.example.a"], { initial: true, resume });
for await (const { aspect, generation, changes, state } of events) {
  print({ aspect, generation, changes, value: state });
  writeFileSync(path + ".new", JSON.stringify(events.positions));
  renameSync(path + ".new", path);
  if (state?.sleep) {
    await events.enterBackground({ wakeAfter: 100 });
    print({ asleep: true });
  } else if (state) {
    await bus.publish("org.example.tied.echo", { n: state.n }, { whileConnected: true });
  }
}
