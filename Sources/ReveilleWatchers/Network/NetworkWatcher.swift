// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem

/// Watches the default route, its link and its addresses.
///
/// A notification of the kernel only causes another read of its tables. A queue may lose notifications, and the loss of
/// a link removes its routes without a notification. Notifications that repeat known facts have no effect. There is no
/// polling. Loop thread only.
package final class NetworkWatcher: Watcher {
    /// The directory below a root whose file `rtnetlink` has the kernel's messages of all tables.
    package static let recording = "/run/reveille"

    /// How long the tables must be unchanged before they are read: programs replace addresses and routes one by one.
    private static let settle: Duration = .milliseconds(250)
    /// How long changes that follow each other can delay a reading.
    private static let longestSettle: Duration = .seconds(1)

    package let aspect = BuiltInAspect.network
    private let loop: EventLoop
    private let root: String
    private let context: WatcherContext
    private var tables = NetworkTables()
    private var feed: NetworkFeed?
    private var settling: EventSource?
    /// The time of the first change since the tables were read; `nil` without one.
    private var firstChange: Instant?
    private let problem: SourceProblem

    /// Creates a watcher that is off; a ``recording`` below the root, unless that is empty, replaces the kernel's tables.
    package init(loop: EventLoop, root: String, context: WatcherContext) throws(SystemError) {
        self.loop = loop
        self.root = root
        self.context = context
        problem = SourceProblem(context)
        settling = try loop.timer(priority: .watcher) { [weak self] in self?.read() }
    }

    package var pace: Pace = .off {
        didSet {
            guard (oldValue == .off) != (pace == .off) else { return }
            pace == .off ? stop() : start()
        }
    }

    /// Whether changes wait until the tables have settled.
    package var mayLag: Bool { firstChange != nil }

    private func start() {
        problem.attempt { () throws(SystemError) in
            feed = try NetworkFeed(loop: loop, source: networkSource) { [weak self] in self?.handle($0) }
        }
        read()
    }

    private func stop() {
        feed = nil
        settling?.disarm()
        firstChange = nil
        tables = NetworkTables()
    }

    private func handle(_ notice: NetworkFeed.Notice) {
        switch notice {
        case .message(let message): if tables.differ(after: message) { settle() }
        case .recorded: settle()
        case .lost:
            context.overflowed()
            settle()
        case .failed(let error):
            feed = nil
            problem.warn("\(error); the network is read only on request")
        }
    }

    private func settle() {
        let now = loop.now
        let first = firstChange ?? now
        firstChange = first
        let left = first + Self.longestSettle - now
        settling?.fire(after: max(.zero, min(Self.settle, left)))
    }

    private func read() {
        settling?.disarm()
        firstChange = nil
        problem.attempt { () throws(SystemError) in
            let tables = try networkSource.read()
            if pace != .off { self.tables = tables }
            context.report(.network(NetworkRule.reading(of: tables) { $0.kind }))
        }
    }

    package func refresh(then completion: @escaping () -> Void) {
        read()
        completion()
    }

    private var networkSource: NetworkSource {
        let directory = root + Self.recording
        let file = directory + "/" + NetworkSource.fileName
        guard !root.isEmpty, FileContents.read(file, limit: 0) != .missing else { return .kernel }
        return .recording(directory: directory)
    }

    package var source: SourceDescription {
        SourceDescription { () throws(SystemError) in NetworkExamination.source(of: try networkSource.read()) }
    }

    package func examine() -> Examination {
        Examination(orAdvice: "the network cannot be read") { () throws(SystemError) in
            NetworkExamination.examine(try networkSource.read())
        }
    }
}
