// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import ReveilleWatchers
import Testing

/// A temporary directory, a real event loop, and the reports of a watcher.
///
/// A step is complete when its condition is met, and fails when that takes too long.
final class Scene {
    /// An action and the condition that it must cause.
    struct Step {
        let does: String
        let action: () -> Void
        var until: () -> Bool = { true }
        var quiet: Duration?
    }

    static let patience: Duration = .seconds(60)

    let loop: EventLoop
    private let directory: TemporaryDirectory
    /// The directory, by a path without links.
    let root: String
    private(set) var readings: [Reading] = []
    private(set) var warnings: [String] = []
    private(set) var overflows = 0
    private var steps: [Step] = []

    init() throws {
        loop = try EventLoop()
        directory = try TemporaryDirectory()
        let path = try #require(realpath(directory.path, nil))
        root = String(cString: path)
        free(path)
    }

    var context: WatcherContext {
        WatcherContext(
            report: { [unowned self] in readings.append($0) },
            warn: { [unowned self] in warnings.append(String($0.trimmingPrefix(root))) },
            overflowed: { [unowned self] in overflows += 1 })
    }

    func step(_ does: String, _ action: @escaping () -> Void, until condition: @escaping () -> Bool) {
        steps.append(Step(does: does, action: action, until: condition))
    }

    /// Adds a step that performs an action which must cause no reading for a time.
    func quiet(_ does: String, for duration: Duration = .milliseconds(600), _ action: @escaping () -> Void) {
        steps.append(Step(does: does, action: action, quiet: duration))
    }

    func play() throws {
        var rest = steps[...]
        var poll: EventSource?
        // The steps and the poll retain the scene.
        steps = []
        defer { poll = nil }
        var began = Self.now
        var count = 0
        func next() {
            count = readings.count
            guard let step = rest.first else { return loop.exit() }
            step.action()
            // Some actions take seconds.
            began = Self.now
        }
        poll = try loop.timer { [unowned self] in
            guard let step = rest.first else { return }
            let isOver: Bool
            if let quiet = step.quiet {
                isOver = Self.now - began >= quiet
                if readings.count > count {
                    Issue.record("\(step.does): unexpected \(String(describing: readings.last))")
                    return loop.exit()
                }
            } else {
                isOver = step.until()
                if !isOver, Self.now - began > Self.patience {
                    Issue.record("\(step.does): not in time; \(String(describing: readings.last)), \(warnings)")
                    return loop.exit()
                }
            }
            if isOver {
                rest.removeFirst()
                next()
            }
            poll?.fire(after: .milliseconds(2))
        }
        poll?.fire(after: .zero)
        next()
        try loop.run()
    }

    private static var now: Instant { Instant(microseconds: Clocks.boot()) }
}
