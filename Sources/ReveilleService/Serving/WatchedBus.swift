// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import Logging
package import ReveilleSystem
import ReveilleWatchers

/// A bus with its sources, on the loop of whoever makes it; sockets are the owner's business.
///
/// Loop thread only.
package final class WatchedBus {
    /// Takes connections and answers them.
    package let broker: Broker
    private let loop: EventLoop
    private let files: FileLocations?
    private let logger: Logger
    private var clockChange: ClockChangeSource?
    /// Whose readings count.
    private var generation = WatcherGeneration()

    /// Makes a bus and starts its sources.
    ///
    /// - Parameters:
    ///   - loop: The loop of the thread that it lives on.
    ///   - configuration: What can be set.
    ///   - files: Where the files of locale and settings are; `nil` for a bus that has no sources at all and
    ///     knows only what is posted.
    ///   - state: Where to keep the state; `nil` keeps none.
    ///   - version: The program's version, for GetInfo.
    ///   - logger: Takes what a person may need to know.
    /// - Throws: `SystemError` when the kernel has no room for another watch, timer or thread.
    package init(
        loop: EventLoop, configuration: Configuration, files: FileLocations?, state: StateFile?, version: String,
        logger: Logger
    ) throws(SystemError) {
        let broker = try Broker(
            loop: loop, limits: configuration.bus, state: state, version: version, logger: logger)
        self.broker = broker
        self.loop = loop
        self.files = files
        self.logger = logger
        try broker.start(try watchers(configuration, of: generation))
        guard files != nil else { return }
        clockChange = try loop.onClockChange {
            logger.info("the clock was set or the machine woke up: reading everything again")
            broker.reread()
        }
    }

    /// Goes on with another configuration; subscriptions, positions and posted states stay.
    ///
    /// - Throws: `SystemError` when the kernel has no room for another watch, timer or thread; nothing has changed then.
    package func reconfigure(_ configuration: Configuration) throws(SystemError) {
        let next = WatcherGeneration()
        let watchers = try watchers(configuration, of: next)
        let before = generation
        try broker.reconfigure(configuration.bus, watchers: watchers)
        before.isOver = true
        generation = next
    }

    private func watchers(
        _ configuration: Configuration, of generation: WatcherGeneration
    ) throws(SystemError) -> [any Watcher] {
        guard let files else { return [] }
        // The broker has the watchers: held by them, it would outlive the service, and so would their sensors.
        return try Service.watchers(loop: loop, configuration: configuration, files: files) {
            [weak broker, logger] aspect in
            WatcherContext(
                report: { if !generation.isOver { broker?.report($0) } },
                warn: { if !generation.isOver { logger.warning("\(aspect): \($0)") } },
                overflowed: { if !generation.isOver { broker?.noteLoss(of: aspect) } })
        }
    }

    /// Connects to the bus from its own process.
    ///
    /// - Returns: The client's end.
    package func connect() throws(SystemError) -> UnixStream {
        let (ours, theirs) = try UnixStream.pair()
        broker.accept(ours)
        return theirs
    }
}

/// Tells the watchers of one configuration from those of another.
private final class WatcherGeneration {
    var isOver = false
}
