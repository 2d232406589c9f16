// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore
package import ReveilleSystem
package import ReveilleWatchers

extension Service {
    /// Creates the watchers of all aspects; all are off.
    ///
    /// - Parameters:
    ///   - loop: The loop of their thread.
    ///   - configuration: Intervals, thresholds and paths.
    ///   - files: The locations of locale and settings files.
    ///   - context: Returns the functions through which an aspect's watcher reports.
    /// - Returns: One watcher for each aspect.
    /// - Throws: `SystemError` when the kernel has no room for another watch or timer.
    package static func watchers(
        loop: EventLoop, configuration: Configuration, files: FileLocations,
        context: (Aspect) -> WatcherContext
    ) throws(SystemError) -> [any Watcher] {
        let feed = DeviceFeed(loop: loop)
        return try Aspect.allCases.map { aspect throws(SystemError) -> any Watcher in
            let context = context(aspect)
            switch aspect {
            case .locale:
                return try LocaleWatcher(
                    loop: loop,
                    settings: LocaleWatcher.Settings(
                        paths: configuration.locale.paths, root: files.root, home: files.home,
                        configHome: files.configHome, settle: configuration.defaults.settle,
                        deletionGrace: configuration.defaults.deletionGrace),
                    context: context)
            case .defaults:
                return try DefaultsWatcher(
                    loop: loop,
                    settings: DefaultsWatcher.Settings(
                        paths: configuration.defaults.paths ?? files.settings, root: files.root, home: files.home,
                        settle: configuration.defaults.settle, deletionGrace: configuration.defaults.deletionGrace),
                    context: context)
            case .battery:
                let battery = configuration.battery
                return try BatteryWatcher(
                    loop: loop, feed: feed,
                    settings: BatteryWatcher.Settings(
                        pollInterval: battery.pollInterval, settleInterval: battery.settleInterval,
                        levelStep: battery.levelStep, levelInterval: battery.levelInterval),
                    context: context)
            case .proximity:
                let proximity = configuration.proximity
                return try ProximityWatcher(
                    loop: loop, feed: feed, sampler: try Sampler(loop: loop),
                    settings: ProximityWatcher.Settings(
                        sampleInterval: proximity.sampleInterval,
                        idleSampleInterval: configuration.idleSampleInterval, nearLevel: proximity.nearLevel),
                    context: context)
            case .orientation:
                let orientation = configuration.orientation
                // A sampler of its own: a sensor whose driver hangs delays no other.
                return try OrientationWatcher(
                    loop: loop, feed: feed, sampler: try Sampler(loop: loop),
                    settings: OrientationWatcher.Settings(
                        sampleInterval: orientation.sampleInterval,
                        idleSampleInterval: configuration.idleSampleInterval, settle: orientation.settle,
                        frame: orientation.frame, matrix: orientation.matrix),
                    context: context)
            }
        }
    }
}
