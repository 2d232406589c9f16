// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation

/// Counts the work of a bus and its clients after the machine has slept, in simulated time.
struct ResumeBench {
    func run() throws {
        let resume = try Resume()
        print("\(Resume.clientCount) clients and \(Resume.aspectCount) aspects, 10 seconds after a sleep of 8 hours")
        let readings = resume.readings.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ")
        report("readings of sources", readings)
        report("wake-ups of the bus", "\(resume.wakeUps)")
        report("messages to each client that is awake", range(resume.messages.awake))
        report("messages to each client that wakes", range(resume.messages.sleepers))
        report("events of scheduled names for each client", range(resume.firings.awake + resume.firings.sleepers))
    }

    private func range(_ counts: [Int]) -> String {
        guard let least = counts.min(), let most = counts.max() else { return "none" }
        return least == most ? "\(least)" : "\(least) to \(most)"
    }
}
