// SPDX-License-Identifier: Apache-2.0

package import Logging
package import ReveilleHost
package import ReveilleSystem
import ReveilleWatchers

/// A bus with its watchers, on its owner's loop and thread; the owner provides the sockets.
package final class WatchedBus {
    package let server: BusServer
    private let loop: EventLoop
    private let files: FileLocations?
    private let logger: Logger
    private let sleep: (any MachineSleep)?
    private var clockChange: (any WallClockAlarm)?
    /// The watchers whose readings count.
    private var generation = WatcherGeneration()

    /// Without `files`, the bus has no watchers, only posted states, and no machine; without `state`, it saves none.
    ///
    /// Without `sleep`, the machine's sleep is watched. `time` is the loop with the clocks of the bus.
    package init(
        loop: EventLoop, time: (any Loop)? = nil, manager: ServiceManager, configuration: Configuration,
        files: FileLocations?, sleep: (any MachineSleep)? = nil, state: StateFile?, log: LogFile? = nil,
        schedule: ScheduleServices = ScheduleServices(), version: String, logger: Logger
    ) throws(SystemError) {
        let sleep =
            if files == nil || sleep != nil { sleep } else { try SystemSleep(loop: loop) { logger.warning("\($0)") } }
        self.sleep = sleep
        let reader = DeviceInfoReader(root: files?.root ?? "")
        let server = try BusServer(
            loop: time ?? loop, configuration: configuration,
            facilities: Facilities(
                programs: SystemPrograms(loop: loop, manager: manager), sleep: sleep, schedule: schedule, state: state,
                log: log, deviceInfo: reader.info(forUser:)),
            isSystemWide: files?.isSystemWide ?? false, version: version, logger: logger)
        self.server = server
        self.loop = loop
        self.files = files
        self.logger = logger
        try server.start(try watchers(configuration, of: generation))
        guard files != nil else { return }
        clockChange = try loop.onClockChange {
            logger.info("the clock was set or the machine resumed: reading everything again")
            server.reread()
        }
    }

    /// Applies another configuration; subscriptions, positions and posted states stay, and an error changes nothing.
    package func reconfigure(_ configuration: Configuration) throws(SystemError) {
        let next = WatcherGeneration()
        let watchers = try watchers(configuration, of: next)
        let before = generation
        try server.reconfigure(configuration, watchers: watchers)
        before.isOver = true
        generation = next
    }

    private func watchers(
        _ configuration: Configuration, of generation: WatcherGeneration
    ) throws(SystemError) -> [any Watcher] {
        guard let files, let sleep else { return [] }
        // The server owns the watchers. A strong reference from them would keep both alive after the service.
        return try Service.watchers(
            loop: loop, configuration: configuration, files: files,
            sleep: (sleep, last: server.savedSleep)
        ) {
            [weak server, logger] aspect in
            WatcherContext(
                report: { if !generation.isOver { server?.report($0) } },
                warn: { if !generation.isOver { logger.warning("\(aspect): \($0)") } },
                overflowed: { if !generation.isOver { server?.noteLoss(of: aspect) } })
        }
    }

    /// Connects to the bus from its own process, and returns the client's end.
    package func connect() throws(SystemError) -> UnixStream {
        let (ours, theirs) = try UnixStream.pair()
        server.accept(ours)
        return theirs
    }
}

/// The watchers of one configuration.
private final class WatcherGeneration {
    var isOver = false
}
