// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem

/// Watches the connectors of graphics cards, and the backlight.
///
/// The kernel reports each change as a uevent, so nothing is polled. Loop thread only.
package final class DisplayWatcher: Watcher {
    package struct Settings: Sendable {
        /// The pixels per point of every screen, known only to the compositor; `nil` if it is unknown.
        package var scale: Double?

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

    /// Creates a watcher that is off; the feed must be of ``subsystems``.
    package init(
        loop: EventLoop, feed: DeviceFeed, settings: Settings, context: WatcherContext
    ) throws(SystemError) {
        self.feed = feed
        self.settings = settings
        self.context = context
        problem = SourceProblem(context)
        followUp = try loop.timer(priority: .watcher) { [weak self] in self?.readAgain() }
    }

    package var pace: Pace = .off {
        didSet {
            guard (oldValue == .off) != (pace == .off) else { return }
            pace == .off ? stop() : start()
        }
    }

    private func start() {
        problem.attempt { () throws(SystemError) in
            interest = try feed.listen(to: Self.subsystems) { [weak self] in self?.handle($0) }
        }
        followUpsLeft = Self.followUps
        read()
    }

    private func stop() {
        interest = nil
        followUp?.disarm()
    }

    private func handle(_ changes: DeviceFeed.Changes) {
        if changes.areIncomplete { context.overflowed() }
        followUpsLeft = Self.followUps
        read()
    }

    private func readAgain() {
        followUpsLeft -= 1
        read()
    }

    private func read() {
        problem.attempt { () throws(SystemError) in
            let devices = try DisplayDevices()
            context.report(.display(devices.reading(scale: settings.scale)))
            guard pace != .off, followUpsLeft > 0, devices.lackModes else {
                followUp?.disarm()
                return
            }
            followUp?.fire(after: Self.followUpInterval)
        }
    }

    package func refresh(then completion: @escaping () -> Void) {
        read()
        completion()
    }

    package var source: SourceDescription {
        SourceDescription { () throws(SystemError) in try DisplayDevices().source }
    }

    package func examine() -> Examination {
        Examination(orAdvice: "displays cannot be listed") { () throws(SystemError) in
            try DisplayDevices().examine(scale: settings.scale)
        }
    }
}
