// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleWatchers

/// The configuration of a bus; every value has a default.
package struct Configuration: Sendable {
    /// The section `battery`.
    package var battery = BatteryWatcher.Settings()
    /// The section `proximity`.
    package var proximity = ProximityWatcher.Settings()
    /// The section `orientation`.
    package var orientation = OrientationWatcher.Settings()
    /// The section `light`.
    package var light = LightWatcher.Settings()
    /// The section `display`.
    package var display = DisplayWatcher.Settings()
    /// The time between samples while all subscribers to a sensor are held.
    package var idleSampleInterval: Duration = .seconds(5)
    /// The section `locale`.
    package var locale = Locale()
    /// The section `defaults`.
    package var defaults = Defaults()
    /// The section `folders`.
    package var folders = Folders()
    /// The section `bus`.
    package var bus = Bus()
    /// The section `publish`.
    package var publish = Publish()
    /// The section `lifecycle`.
    package var lifecycle = Lifecycle()
    /// The section `schedule`.
    package var schedule = Schedule()

    /// Creates the default configuration.
    package init() {}
}
