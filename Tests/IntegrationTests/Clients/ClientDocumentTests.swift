// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: Node.isThere || Node.isRequired, "no Node.js"))
struct ClientDocumentTests {
    /// The output of each example of a page, in their order.
    private static let python: KeyValuePairs = [
        "Docs/Reference/Clients.md": clients,
        "Docs/Guide/FirstProgram.md": ["battery {'state': 'unplugged'"],
        "Docs/Guide/SleepingAndWaking.md": ["while asleep: ", "uploading part 2\n", "changes since 20"],
        "Docs/Guide/PublishingAndDemand.md": ["{'level': 0.4}\n", "stop measuring\n"],
        "Docs/Guide/TimesAndLaunching.md": ["org.example.backup"],
    ]
    private static let node: KeyValuePairs = [
        "Docs/Reference/Clients.md": ["battery {", "while asleep: ", "uploading part 2\n", "{ level: 0.4 }\n"],
        "Docs/Guide/FirstProgram.md": ["battery {"],
    ]
    private static let clients = [
        "battery {'state': 'unplugged'", "battery {'state': 'unplugged'", "draw ['battery']\n",
        "while asleep: ", "battery\n", "uploading part 2\n", "changes since 20", "{'level': 0.4}\n", "needed: []\n",
        """
        Publish volume: InvalidParameter (parameter: aspect): a published name must have at least two words of letters, \
        digits, - and _, joined by dots, with at most 255 bytes; a pattern cannot be published
        invalid_argument
        org.varlink.service.InvalidParameter
        {'parameter': 'aspect', 'reason': "must be two or more words of letters, digits, '-' and '_', joined by dots, of at \
        most 255 bytes"}

        """,
    ]

    private let bus: BusProcess

    init() throws {
        bus = try BusProcess()
    }

    private func run(_ program: String, _ arguments: [String], until text: String) throws {
        let environment = ["REVEILLE_ADDRESS": bus.address, "PYTHONPATH": ClientLanguage.python.module.directory]
        let example = try RunningProgram(arguments, program: program, in: bus.directory, environment: environment)
        let poster = try bus.client()
        var step = 0
        try wait(for: "\(text) in \(example.output)\(example.errors)") {
            step += 1
            try poster.post(level: Double(step % 100) / 100)
            return example.output.contains(text)
        }
        example.stop()
        #expect(example.errors.isSilent, "\(example.errors)")
    }

    private static func examples(
        _ language: String, of pages: KeyValuePairs<String, [String]>
    ) throws -> [(String, String)] {
        try pages.flatMap { page, outputs in
            let examples = try DocumentTests.blocks(language, of: page)
            try #require(examples.count == outputs.count, "\(page)")
            return zip(examples, outputs)
        }
    }

    @Test func everyPythonExampleRuns() throws {
        for (example, output) in try Self.examples("python", of: Self.python) {
            // The example stores its positions in the current directory.
            let code = "import os; os.chdir('\(bus.directory.path)')\n" + example
            try run("python3", ["-X", "dev", "-c", code], until: output)
        }
    }

    @Test func everyNodeExampleRuns() throws {
        let module = ClientLanguage.node.module
        try ChildProcess(["cp", module.directory + "/" + module.name, bus.directory.path]).wait()
        for (example, output) in try Self.examples("js", of: Self.node) {
            try bus.directory.write(example, to: "example.mjs")
            try run("node", [bus.directory.path + "/example.mjs"], until: output)
        }
    }
}
