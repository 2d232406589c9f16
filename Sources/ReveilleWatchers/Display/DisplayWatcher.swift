// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem

/// Watches the connectors of graphics cards, and the backlight, whose changes are uevents: nothing is polled.
package final class DisplayWatcher: Watcher {
    package struct Settings: Sendable {
        /// The pixels per point of every screen, known only to the compositor; `nil` if it is unknown.
        package var scale: Double?
        /// The name of the backlight to use; `nil` for the usual choice.
        package var backlight: String?

        package init() {}
    }

    package static let subsystems: Set<String> = ["drm", "backlight"]

    /// The time between reads while modes are unknown: a driver lists them, without an event, when a compositor asks.
    private static let followUpInterval: Duration = .seconds(1)
    /// The most reads that follow an event.
    private static let followUps = 5

    package let aspect = BuiltInAspect.display
    private let feed: DeviceFeed
    private let settings: Settings
    private let context: WatcherContext
    private var interest: DeviceFeed.Interest?
    private var followUp: EventSource?
    private var followUpsLeft = 0
    private let problem: SourceProblem
    private let devices: DeviceReader<(), DisplayDevices>

    /// Creates a watcher that is off; the feed must be of ``subsystems``.
    package init(
        loop: EventLoop, feed: DeviceFeed, settings: Settings, context: WatcherContext
    ) throws(SystemError) {
        self.feed = feed
        self.settings = settings
        self.context = context
        problem = SourceProblem(context)
        devices = DeviceReader(loop: loop, slow: feed.slow, of: Self.subsystems, nothing: ()) {
            _ throws(SystemError) in try DisplayDevices(backlight: settings.backlight)
        }
        devices.taken = weakly(self) { $0.take($1, for: $2) }
        followUp = try loop.timer(priority: .watcher, handler: weakly(self) { $0.readAgain() })
    }

    package var pace: Pace = .off {
        didSet {
            guard (oldValue == .off) != (pace == .off) else { return }
            pace == .off ? stop() : start()
        }
    }

    private func start() {
        problem.attempt { () throws(SystemError) in
            interest = try feed.listen(to: Self.subsystems, changed: weakly(self) { $0.handle($1) })
        }
        followUpsLeft = Self.followUps
        devices.read()
    }

    private func stop() {
        interest = nil
        followUp?.disarm()
    }

    private func handle(_ changes: DeviceFeed.Changes) {
        if changes.areIncomplete { context.overflowed() }
        followUpsLeft = Self.followUps
        devices.read()
    }

    private func readAgain() {
        followUpsLeft -= 1
        // A value that cannot be read is kept until the last one.
        devices.read(isPoll: followUpsLeft == 0)
    }

    private func take(_ outcome: Result<DisplayDevices, SystemError>, for purpose: ReadingPurpose) {
        guard pace != .off || purpose.contains(.answer) else { return }
        problem.attempt { () throws(SystemError) in
            let found = try outcome.get()
            context.report(.display(found.reading(scale: settings.scale)))
            guard pace != .off, followUpsLeft > 0, found.lackModes || devices.isIncomplete else {
                followUp?.disarm()
                return
            }
            followUp?.fire(after: Self.followUpInterval)
        }
    }

    package func refresh(then completion: @escaping () -> Void) {
        devices.read(then: completion)
    }

    package var source: SourceDescription {
        devices.source(\.source)
    }

    package func examine() -> Examination {
        Examination(orAdvice: "displays cannot be listed") { () throws(SystemError) in
            try DisplayDevices(backlight: settings.backlight).examine(scale: settings.scale)
        }
    }
}
