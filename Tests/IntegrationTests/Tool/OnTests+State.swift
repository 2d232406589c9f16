// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// `reveille on --state`: runs that continue where the last one ended.
extension OnTests {
    private var options: [String] { ["--state", scene.path("state")] }

    private func stored() throws -> (isTrue: Bool?, generation: Int)? {
        guard access(scene.path("state"), F_OK) == 0 else { return nil }
        let state = try #require(try JSON.parse(Array(scene.bus.directory.read("state").utf8)).objectValue)
        return (state["isTrue"]?.boolValue, state.integer("generation"))
    }

    private func waitUntilStored(_ isTrue: Bool, _ generation: Int) throws {
        try wait(for: "\(isTrue) at \(generation)") {
            guard let stored = try stored() else { return false }
            return stored == (isTrue, generation)
        }
    }

    @Test("a next run repeats nothing and misses nothing") func nextRunRepeatsNothing() throws {
        let first = try scene.start(options)
        try waitUntilStored(false, 0)
        try scene.post(0.09)
        try scene.waitForRuns(of: first, at: [0.09])
        try waitUntilStored(true, 1)
        #expect(first.stop() == 0)
        // Still true.
        let second = try scene.start(options)
        #expect(try stored()?.generation == 1)
        try scene.post(0.08, 0.5)
        try waitUntilStored(false, 3)
        #expect(second.stop() == 0)
        #expect(second.output.isEmpty)
        // It becomes true between the runs, and false again, and true again.
        try scene.post(0.07, 0.06, 0.5, 0.05, 0.04)
        let third = try scene.start(options)
        try scene.waitForRuns(of: third, at: [0.07, 0.05])
        try waitUntilStored(true, 7)
        #expect(third.stop() == 0)
    }

    @Test("a run is repeated if the program was killed during it") func killedRunIsRepeated() throws {
        let first = try scene.start(options, ["sh", "-c", "echo $$; cat; exec sleep 1000"])
        try scene.post(0.09)
        try wait(for: "the run") { first.output.contains("changes") }
        first.process.signal(SIGKILL)
        first.process.wait()
        kill(try #require(pid_t(first.output.prefix { $0 != "\n" })), SIGKILL)
        let second = try scene.start(options)
        try scene.waitForRuns(of: second, at: [0.09])
        try waitUntilStored(true, 1)
        second.process.signal(SIGKILL)
        second.process.wait()
        let third = try scene.start(options)
        try scene.post(0.5, 0.08)
        try scene.waitForRuns(of: third, at: [0.08])
    }

    @Test(
        "a run is repeated if its command was killed together with the program",
        arguments: ["passed on", "both at once", "at last"])
    func commandKilledTogether(how: String) throws {
        let trap = how == "at last" ? "trap '' TERM; " : ""
        let first = try scene.start(options, ["sh", "-c", trap + "echo $$; cat; exec sleep 1000"])
        try scene.post(0.09)
        try wait(for: "the run") { first.output.contains("changes") }
        let command = try #require(pid_t(first.output.prefix { $0 != "\n" }))
        // Both signals are pending when the program continues.
        if how == "both at once" {
            first.process.signal(SIGSTOP)
            try wait(for: "the stop") { first.process.isStopped }
            kill(command, SIGTERM)
        }
        first.process.signal(SIGTERM)
        first.process.signal(SIGCONT)
        // As the service manager does with whatever is left.
        if how == "at last" { kill(command, SIGKILL) }
        #expect(first.process.wait() == 0)
        let second = try scene.start(options)
        try scene.waitForRuns(of: second, at: [0.09])
        try waitUntilStored(true, 1)
    }

    @Test("a restart of the bus between the runs repeats nothing", arguments: [true, false])
    func restartOfTheBusBetweenRuns(isSaved: Bool) throws {
        let first = try scene.start(options)
        try scene.post(0.09)
        try scene.waitForRuns(of: first, at: [0.09])
        try waitUntilStored(true, 1)
        #expect(first.stop() == 0)
        if isSaved { #expect(scene.bus.stop() == 0) } else { scene.bus.kill() }
        try scene.bus.restart()
        try scene.post(0.08)
        let second = try scene.start(options)
        try scene.post(0.5, 0.07)
        try scene.waitForRuns(of: second, at: [0.07])
    }

    @Test(
        "a file with other contents is not overwritten",
        arguments: ["precious", "{}", #"{"instance":"a","generations":{"battery":1}}"#])
    func otherFileIsNotOverwritten(contents: String) throws {
        try scene.bus.directory.write(contents, to: "state")
        let run = try scene.run(options + scene.low + ["--", "true"])
        #expect(run.code == 74)
        #expect(
            run.errors
                == "reveille: \(scene.path("state")): not a file written by 'reveille on --state'; left unchanged\n")
        #expect(scene.bus.directory.read("state") == contents)
    }
}
