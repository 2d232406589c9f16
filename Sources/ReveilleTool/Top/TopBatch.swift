// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleSystem

/// A run of `reveille top` that prints lines.
struct TopBatch: Sendable {
    /// The width of the line of changes in characters, as on a screen of 80 columns.
    private static let lineWidth = 12

    let pace: TopPace
    let bus: BusOptions

    /// Prints the lists once for each poll.
    func run() async throws {
        let device = try await bus.device()
        var model = TopModel(address: try bus.resolved().description)
        var polls = 0
        var isLost = false
        while true {
            var cost: Duration = .zero
            do {
                let poll = try await TopPoll.take(from: device, model.request)
                if isLost { Console.error("reveille: reconnected to the bus") }
                isLost = false
                cost = poll.cost
                model.receive(poll)
                if polls > 0 { try Console.line("") }
                try print(model)
                polls += 1
            } catch let error as ReveilleError {
                if !isLost { Console.error("reveille: \(error); waiting for the bus to return") }
                isLost = true
            }
            if let count = pace.count, polls >= count { return }
            try await Task.sleep(for: pace.pause(after: cost))
        }
    }

    private func print(_ model: TopModel) throws(Failure) {
        try Console.line(StyledText(model.summary.joined(separator: "   ")))
        try Console.line("")
        try TopTables.aspects(of: model, line: Self.lineWidth).print()
        try Console.line("")
        guard !model.subscriptions.rows.isEmpty else { return try Console.line("no subscriptions") }
        try TopTables.subscriptions(of: model).print()
    }
}
