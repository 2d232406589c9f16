// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleTesting
import Testing
import Varlink

/// The name of a subscription that its program does not name.
@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: Node.isThere || Node.isRequired, "no Node.js"))
struct ClientNameTests {
    @Test("the name that a program was run with is that of its subscriptions", arguments: ["player", nil])
    func nameOfTheProgramIsTheDefault(name: String?) throws {
        let bus = try BusProcess()
        let python = """
            import reveille
            with reveille.connect() as bus, bus.subscribe("battery") as one, bus.subscribe("battery", name="own") as two:
                two.next()
                one.next()
            """
        let module = ClientLanguage.node.module
        let node = """
            import { connect } from "\(module.directory)/\(module.name)";
            const bus = await connect();
            const one = await bus.subscribe("battery");
            const two = await bus.subscribe("battery", { name: "own" });
            for await (const event of one) console.log(event);
            """
        for command in [["python3", "-X", "dev", "-c", python], ["node", "--input-type=module", "-e", node]] {
            let program = try RunningProgram(
                Array(command.dropFirst()), program: command[0], in: bus.directory,
                environment: [
                    "REVEILLE_ADDRESS": bus.address, "PYTHONPATH": ClientLanguage.python.module.directory,
                    "REVEILLE_NAME": name ?? "",
                ])
            let client = try bus.client()
            try wait(for: "two subscriptions of \(command[0]): \(program.errors)") {
                let names = try client.subscriptions().map { $0["name"]?.stringValue }
                return names.count == 2 && Set(names) == [name, "own"]
            }
            program.stop()
            try wait(for: "the end of the subscriptions") { try client.subscriptions().isEmpty }
        }
    }
}
