// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser

/// `reveille demo`: the main job, on a synthetic phone.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Shows what a sleeping subscriber is told, on a synthetic phone.",
        discussion: """
            A real bus in a process of its own watches synthetic devices (umockdev) through the real libudev, \
            and real files. Two subscribers listen: one is awake, one sleeps. The phone changes dozens of \
            times; then the sleeper wakes. Ends by itself; exit code 1 if what is shown is not what the bus \
            promises.
            """)

    /// It takes a second or two; a machine that needs this long has lost something.
    private static let patience: Duration = .seconds(60)

    func run() {
        Failure.awaiting {
            try await withThrowingTaskGroup { group in
                group.addTask { try await DemoStage().play() }
                group.addTask {
                    try await Task.sleep(for: Self.patience)
                    throw Failure(.timeout, "a change did not arrive within \(Self.patience)")
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }
}
