// SPDX-License-Identifier: Apache-2.0

// Prints what only one of reveille.mjs and reveille.d.mts has: exported names, and members of the exported classes.

import { readFileSync } from "node:fs";
import * as client from "../../../../Sources/Clients/Node/reveille.mjs";

const text = readFileSync(new URL("../../../../Sources/Clients/Node/reveille.d.mts", import.meta.url), "utf8");
const declared = new Set();
for (const [, name] of text.matchAll(/^export (?:function|const) (\w+)/gm)) declared.add(name);
for (const [, name, body] of text.matchAll(/^export class (\w+).*\{\n([^]*?)^\}/gm)) {
  declared.add(name);
  for (const [, member] of body.matchAll(/^ {2}(?:readonly |get )?(\[?\w[\w.]*\]?)(?:<.*?>)?[(:?]/gm)) {
    // Node.js 18 may lack a symbol.
    const isThere = !member.startsWith("[") || Symbol[member.slice("[Symbol.".length, -1)] !== undefined;
    if (member !== "constructor" && isThere) declared.add(`${name}.${member}`);
  }
}

const defined = new Set();
for (const [name, value] of Object.entries(client)) {
  defined.add(name);
  if (!/^class /.test(value)) continue;
  const assignments = [...`${value}`.matchAll(/^ {2}(\w+)(?: = .*)?;$|^ {4}this\.(\w+) = /gm)];
  const fields = assignments.map(([, declaration, assignment]) => declaration ?? assignment);
  for (const member of [...Reflect.ownKeys(value.prototype), ...fields]) {
    const symbol = Object.getOwnPropertyNames(Symbol).find((key) => Symbol[key] === member);
    const isInherited = member === "constructor" || (member === "name" && !fields.includes("name"));
    if (!isInherited) defined.add(`${name}.${symbol ? `[Symbol.${symbol}]` : member}`);
  }
}

const only = (one, other, place) =>
  [...one].filter((name) => !other.has(name)).map((name) => `${place} alone has ${name}`);
const differences = [...only(declared, defined, "reveille.d.mts"), ...only(defined, declared, "reveille.mjs")];
for (const difference of differences) console.log(difference);
process.exitCode = Math.min(1, differences.length);
