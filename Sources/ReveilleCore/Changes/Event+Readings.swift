// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Reading {
    /// The language and formats; `nil` for every other aspect.
    public var locale: LocaleSettings? {
        if case .locale(let locale) = self { locale } else { nil }
    }

    /// The settings; `nil` for every other aspect.
    public var defaults: Defaults? {
        if case .defaults(let defaults) = self { defaults } else { nil }
    }

    /// The battery; `nil` for every other aspect.
    public var battery: Battery? {
        if case .battery(let battery) = self { battery } else { nil }
    }

    /// Near or far; `nil` for every other aspect.
    public var proximity: Proximity? {
        if case .proximity(let proximity) = self { proximity } else { nil }
    }

    /// The pose; `nil` for every other aspect.
    public var orientation: Orientation? {
        if case .orientation(let orientation) = self { orientation } else { nil }
    }
}

extension Event {
    /// The state now, of an event of the locale.
    public var locale: LocaleSettings? { reading.locale }
    /// The state now, of an event of the settings.
    public var defaults: Defaults? { reading.defaults }
    /// The state now, of an event of the battery.
    public var battery: Battery? { reading.battery }
    /// The state now, of an event of the proximity.
    public var proximity: Proximity? { reading.proximity }
    /// The state now, of an event of the orientation.
    public var orientation: Orientation? { reading.orientation }
}
