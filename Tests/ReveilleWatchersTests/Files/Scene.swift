// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleWatchers
import Testing

/// A real directory of its own, a real loop, and what a watcher tells meanwhile.
///
/// Nothing sleeps: a step is done when its condition holds, and failed when that takes too long.
final class Scene {
    /// One thing to do, and what has to come of it.
    struct Step {
        let does: String
        let action: () -> Void
        var until: () -> Bool = { true }
        var quiet: Duration?
    }

    static let patience: Duration = .seconds(10)

    let loop: EventLoop
    /// A directory without links in its path.
    let root: String
    private(set) var readings: [Reading] = []
    private(set) var warnings: [String] = []
    private(set) var overflows = 0
    private var steps: [Step] = []

    init() throws {
        loop = try EventLoop()
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/reveille-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.flatMap { realpath($0, nil) }
        }
        let path = try #require(made)
        root = String(cString: path)
        free(path)
    }

    deinit {
        Self.removeAll(root)
    }

    var context: WatcherContext {
        WatcherContext(
            report: { [unowned self] in readings.append($0) },
            warn: { [unowned self] in warnings.append(String($0.trimmingPrefix(root))) },
            overflowed: { [unowned self] in overflows += 1 })
    }

    /// Does something and waits for what has to come of it.
    func step(_ does: String, _ action: @escaping () -> Void, until condition: @escaping () -> Bool) {
        steps.append(Step(does: does, action: action, until: condition))
    }

    /// Does something of which nothing may come: no reading for as long.
    func quiet(_ does: String, for duration: Duration = .milliseconds(600), _ action: @escaping () -> Void) {
        steps.append(Step(does: does, action: action, quiet: duration))
    }

    /// Plays all steps, one after the other.
    func play() throws {
        var rest = steps[...]
        var poll: EventSource?
        // Steps hold the scene, and so does the poll.
        steps = []
        defer { poll = nil }
        var began = Self.now
        var told = 0
        func next() {
            began = Self.now
            told = readings.count
            guard let step = rest.first else { return loop.exit() }
            step.action()
        }
        poll = try loop.timer { [unowned self] in
            guard let step = rest.first else { return }
            let isOver: Bool
            if let quiet = step.quiet {
                isOver = Self.now - began >= quiet
                if readings.count > told {
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
