// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import ReveilleConsole

struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Demonstrate delivery to a sleeping subscriber on a synthetic phone.",
        discussion: """
            Plays a scenario of 'reveille simulate': a real bus watches real files, and synthetic devices (umockdev) \
            through the real libudev. The scenario publishes a state of its own too, the volume of a player. Of two \
            subscribers, one is awake and one is asleep. Everything changes, dozens of times; then the sleeper wakes. \
            Exits automatically: with 0, or with 1 if an event is missing or wrong. On a terminal, it takes ten \
            seconds, and any key ends the waiting.
            """)

    /// The timeout of each expectation; a working bus meets all at once.
    private static let patience: Duration = .seconds(10)

    func run() {
        var code = EXIT_SUCCESS
        Failure.guarding { code = try play() }
        if code != EXIT_SUCCESS { Signals.die(by: code - 128) }
    }

    /// Returns 0, or 128 plus the signal that ended the scenario.
    private func play() throws -> Int32 {
        let scenario = try Scenario(PackageResources.demo_scenario, file: "demo.scenario")
        let narration = Narration(of: scenario)
        let simulation = try Simulation(scenario, patience: Self.patience, narration: narration)
        let code = try simulation.run()
        if code == EXIT_SUCCESS { try narration.end() }
        return code
    }
}
