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
    private let reader: DeviceReader<(), (tables: NetworkTables, network: Network)>

    /// Creates a watcher that is off; a ``recording`` below the root, unless that is empty, replaces the kernel's tables.
    package init(loop: EventLoop, root: String, context: WatcherContext) throws(SystemError) {
        self.loop = loop
        self.root = root
        self.context = context
        problem = SourceProblem(context)
        reader = DeviceReader(loop: loop, slow: SlowDevices(), of: ["net"], nothing: ()) {
            _ throws(SystemError) in
            let tables = try NetworkSource(root: root).read()
            return (tables, NetworkRule.reading(of: tables) { $0.kind })
        }
        reader.taken = weakly(self) { $0.take($1, for: $2) }
        settling = try loop.timer(priority: .watcher, handler: weakly(self) { $0.readChanges() })
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
            feed = try NetworkFeed(
                loop: loop, source: NetworkSource(root: root), handler: weakly(self) { $0.handle($1) })
        }
        reader.read()
    }

    private func stop() {
        feed = nil
        settling?.disarm()
        firstChange = nil
        tables = NetworkTables()
    }

    private func handle(_ notice: NetworkFeed.Notice) {
        switch notice {
        // A thread may have read either side of the change.
        case .message(let message): if reader.isReading || tables.differ(after: message) { settle() }
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

    private func readChanges() {
        firstChange = nil
        reader.read()
    }

    private func take(
        _ outcome: Result<(tables: NetworkTables, network: Network), SystemError>, for purpose: ReadingPurpose
    ) {
        guard pace != .off || purpose.contains(.answer) else { return }
        problem.attempt { () throws(SystemError) in
            let (tables, network) = try outcome.get()
            if pace != .off { self.tables = tables }
            context.report(.network(network))
        }
    }

    package func refresh(then completion: @escaping () -> Void) {
        settling?.disarm()
        firstChange = nil
        reader.read(then: completion)
    }

    package var source: SourceDescription {
        reader.source { NetworkExamination.source(of: $0.tables) }
    }

    package func examine() -> Examination {
        Examination(orAdvice: "the network cannot be read") { () throws(SystemError) in
            NetworkExamination.examine(try NetworkSource(root: root).read())
        }
    }
}

enum NetworkExamination {
    /// The most links that are listed: a host of containers has hundreds.
    private static let linkLimit = 8

    static func source(of tables: NetworkTables) -> SourceDescription {
        let links = tables.links.filter { !$0.isLoopback }
        guard !links.isEmpty else { return .unavailable("no network interface") }
        let names = links.prefix(linkLimit).map(\.name).joined(separator: ", ")
        return .available(links.count > linkLimit ? "\(names) and \(links.count - linkLimit) more" : names)
    }

    static func examine(_ tables: NetworkTables) -> Examination {
        var examination = Examination()
        let links = tables.links.filter { !$0.isLoopback }
        for link in links.prefix(linkLimit) {
            let addresses = tables.addresses.filter { $0.link == link.index && $0.isLasting }.map(\.address).sorted()
            let words = ["\(link.kind)", state(of: link)] + addresses.map(\.description)
            examination.add(link.name, words.prefix(2 + NetworkRule.addressLimit).joined(separator: ", "))
        }
        for route in tables.routes.prefix(linkLimit) {
            let names = route.links.map { index in links.first { $0.index == index }?.name ?? "another link" }
            let family = route.family == IPAddress.Family.version6 ? "IPv6" : "IPv4"
            examination.add("default route", "\(names.joined(separator: ", ")), \(family), metric \(route.metric)")
        }
        let reading = NetworkRule.reading(of: tables) { $0.kind }
        examination.add("reading", "\(reading)")
        if tables.routes.isEmpty {
            examination.advice.append("connect to a network with a gateway, which sets a default route")
        } else if !reading.isReachable {
            examination.advice.append("the link of the default route is down: check the cable or the wireless network")
        }
        return examination
    }

    private static func state(of link: NetworkLink) -> String {
        if NetworkRule.isUp(link) { return "up" }
        guard link.isEnabled else { return "disabled" }
        return link.state == .dormant ? "waits for a login (802.1X)" : "down"
    }
}
