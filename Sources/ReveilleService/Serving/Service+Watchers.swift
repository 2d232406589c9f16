// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleHost
package import ReveilleSystem
package import ReveilleWatchers

extension Service {
    /// Creates one watcher for each aspect of the device; all are off.
    package static func watchers(
        loop: EventLoop, configuration: Configuration, files: FileLocations,
        sleep: (machine: any MachineSleep, last: Sleep?), context: (BuiltInAspect) -> WatcherContext
    ) throws(SystemError) -> [any Watcher] {
        let feed = DeviceFeed(loop: loop)
        let timer = try SharedTimer(loop: loop)
        // One sensor serves orientation, motion and shake.
        let accelerometer = SharedSensor(loop: loop)
        let motion = MotionFeed(loop: loop, feed: feed, sensor: accelerometer, settings: configuration.orientation)
        func settings(_ paths: [String]) -> FileSettings {
            FileSettings(
                paths: paths, root: files.root, home: files.home, settle: configuration.defaults.settle,
                deletionGrace: configuration.defaults.deletionGrace)
        }
        return try BuiltInAspect.ofDevice.map { aspect throws(SystemError) -> any Watcher in
            let context = context(aspect)
            switch aspect {
            case .locale:
                let usual = LocaleWatcher.usualPaths(home: files.home, configHome: files.configHome)
                return try LocaleWatcher(
                    loop: loop, settings: settings(configuration.locale.paths ?? usual), context: context)
            case .defaults:
                let usual = files.isSystemWide ? [] : ["~/.config", "~/.config/*"]
                return try DefaultsWatcher(
                    loop: loop, settings: settings(configuration.defaults.paths ?? usual), context: context)
            case .battery:
                return try BatteryWatcher(
                    loop: loop, timer: timer, feed: feed, settings: configuration.battery, context: context)
            case .proximity:
                return try ProximityWatcher(
                    loop: loop, timer: timer, feed: feed, settings: configuration.proximity,
                    idleInterval: configuration.idleSampleInterval, context: context)
            case .orientation:
                return try OrientationWatcher(
                    loop: loop, timer: timer, feed: feed, sensor: accelerometer,
                    settings: configuration.orientation, idleInterval: configuration.idleSampleInterval,
                    context: context)
            case .light:
                return try LightWatcher(
                    loop: loop, timer: timer, feed: feed, settings: configuration.light,
                    idleInterval: configuration.idleSampleInterval, context: context)
            case .display:
                return try DisplayWatcher(
                    loop: loop, feed: DeviceFeed(loop: loop, subsystems: DisplayWatcher.subsystems),
                    settings: configuration.display, context: context)
            case .network:
                return try NetworkWatcher(loop: loop, root: files.root, context: context)
            case .folders:
                return try FoldersWatcher(
                    loop: loop, folders: configuration.folders, settings: settings([]), context: context)
            case .motion: return MotionWatcher(feed: motion, context: context)
            case .shake: return ShakeWatcher(loop: loop, feed: motion, context: context)
            case .power:
                return try PowerWatcher(
                    loop: loop, timer: timer, feed: feed, choices: configuration.battery.choices,
                    idleInterval: configuration.idleSampleInterval, context: context)
            case .sleep: return SleepWatcher(machine: sleep.machine, after: sleep.last, context: context)
            case .switches: return SwitchesWatcher(loop: loop, feed: feed, root: files.root, context: context)
            case .lifecycle: preconditionFailure("the lifecycle is not an aspect of the device")
            }
        }
    }
}
