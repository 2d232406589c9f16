// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import ReveilleConsole

/// `reveille demo`: demonstrates the bus on a synthetic phone.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Demonstrate delivery to a sleeping subscriber on a synthetic phone.",
        discussion: """
            Starts a real bus, which watches real files, and synthetic devices (umockdev) through the real \
            libudev. The demonstration publishes a state of its own too, the volume of a player. Of two subscribers, \
            one is awake and one is asleep. Everything changes, dozens of times; then the sleeper wakes. Exits \
            automatically: with 0, or with 1 if an event is missing or wrong. On a terminal, it takes ten seconds, and \
            any key ends the waiting.
            """)

    func run() {
        Failure.guarding { try DemoSession().run() }
    }
}
