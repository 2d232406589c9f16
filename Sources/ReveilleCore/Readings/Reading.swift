// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The value of an aspect.
///
/// The long values are indirect, since the bus and its clients copy a reading several times for each event.
public enum Reading: Sendable, Hashable {
    /// The language and formats.
    indirect case locale(LocaleSettings)
    /// The settings domains and their keys.
    case defaults(Defaults)
    /// The battery packs.
    indirect case battery(Battery)
    /// Whether something is close to the device.
    case proximity(Proximity)
    /// The pose of the device.
    case orientation(Orientation)
    /// The illuminance around the device.
    case light(Light)
    /// The screens, and the brightness of the backlight.
    indirect case display(Display)
    /// The default route to the network.
    indirect case network(Network)
    /// The names in the configured folders.
    case folders(Folders)
    /// A sample of acceleration and rotation.
    indirect case motion(Motion)
    /// The last shake.
    case shake(Shake)
    /// The energy and the power of the battery packs.
    indirect case power(Power)
    /// The state of the subscription itself.
    case lifecycle(Lifecycle)
    /// The value of a published name.
    case published(PublishedValue)

    /// The aspect of the value.
    public var aspect: Aspect {
        switch self {
        case .locale: .locale
        case .defaults: .defaults
        case .battery: .battery
        case .proximity: .proximity
        case .orientation: .orientation
        case .light: .light
        case .display: .display
        case .network: .network
        case .folders: .folders
        case .motion: .motion
        case .shake: .shake
        case .power: .power
        case .lifecycle: .lifecycle
        case .published(let value): value.name
        }
    }

    /// Returns the value of an aspect that has not been read yet, has no source, or is not published.
    public static func unknown(_ aspect: Aspect) -> Reading {
        switch aspect.builtIn {
        case nil: .published(PublishedValue(aspect, bytes: nil))
        case .locale: .locale(.posix)
        case .defaults: .defaults(Defaults(domains: []))
        case .battery: .battery(.unknown)
        case .proximity: .proximity(.unknown)
        case .orientation: .orientation(.unknown)
        case .light: .light(.unknown)
        case .display: .display(.unknown)
        case .network: .network(.unreachable)
        case .folders: .folders(Folders(folders: []))
        case .motion: .motion(.unknown)
        case .shake: .shake(.unknown)
        case .power: .power(.unknown)
        case .lifecycle: .lifecycle(.active)
        }
    }
}

extension Reading {
    /// Whether each report is a change, even of an equal reading: an occurrence, or a sample with a value.
    package var isOccurrence: Bool {
        switch self {
        case .shake: true
        case .motion(let motion): !motion.isEmpty
        default: false
        }
    }
}

extension Reading: CustomStringConvertible {
    /// The value in words.
    public var description: String {
        switch self {
        case .locale(let locale): locale.description
        case .defaults(let defaults): defaults.description
        case .battery(let battery): battery.description
        case .proximity(let proximity): proximity.description
        case .orientation(let orientation): orientation.description
        case .light(let light): light.description
        case .display(let display): display.description
        case .network(let network): network.description
        case .folders(let folders): folders.description
        case .motion(let motion): motion.description
        case .shake(let shake): shake.description
        case .power(let power): power.description
        case .lifecycle(let lifecycle): lifecycle.description
        case .published(let value): value.description
        }
    }
}

extension Reading {
    /// The language and formats; `nil` for other aspects.
    public var locale: LocaleSettings? {
        if case .locale(let locale) = self { locale } else { nil }
    }

    /// The settings; `nil` for other aspects.
    public var defaults: Defaults? {
        if case .defaults(let defaults) = self { defaults } else { nil }
    }

    /// The battery packs; `nil` for other aspects.
    public var battery: Battery? {
        if case .battery(let battery) = self { battery } else { nil }
    }

    /// Whether something is close to the device; `nil` for other aspects.
    public var proximity: Proximity? {
        if case .proximity(let proximity) = self { proximity } else { nil }
    }

    /// The pose of the device; `nil` for other aspects.
    public var orientation: Orientation? {
        if case .orientation(let orientation) = self { orientation } else { nil }
    }

    /// The illuminance; `nil` for other aspects.
    public var light: Light? {
        if case .light(let light) = self { light } else { nil }
    }

    /// The screens and the brightness; `nil` for other aspects.
    public var display: Display? {
        if case .display(let display) = self { display } else { nil }
    }

    /// The default route to the network; `nil` for other aspects.
    public var network: Network? {
        if case .network(let network) = self { network } else { nil }
    }

    /// The changes in the configured folders; `nil` for other aspects.
    public var folders: Folders? {
        if case .folders(let folders) = self { folders } else { nil }
    }

    /// A sample of acceleration and rotation; `nil` for other aspects.
    public var motion: Motion? {
        if case .motion(let motion) = self { motion } else { nil }
    }

    /// The last shake; `nil` for other aspects.
    public var shake: Shake? {
        if case .shake(let shake) = self { shake } else { nil }
    }

    /// The energy and the power of the battery packs; `nil` for other aspects.
    public var power: Power? {
        if case .power(let power) = self { power } else { nil }
    }

    /// The state of the subscription itself; `nil` for other aspects.
    public var lifecycle: Lifecycle? {
        if case .lifecycle(let lifecycle) = self { lifecycle } else { nil }
    }

    /// The value of a published name; `nil` for other aspects.
    public var published: PublishedValue? {
        if case .published(let value) = self { value } else { nil }
    }
}

extension Event {
    /// The language and formats; `nil` for other aspects.
    public var locale: LocaleSettings? { reading.locale }
    /// The settings; `nil` for other aspects.
    public var defaults: Defaults? { reading.defaults }
    /// The battery packs; `nil` for other aspects.
    public var battery: Battery? { reading.battery }
    /// Whether something is close to the device; `nil` for other aspects.
    public var proximity: Proximity? { reading.proximity }
    /// The pose of the device; `nil` for other aspects.
    public var orientation: Orientation? { reading.orientation }
    /// The illuminance; `nil` for other aspects.
    public var light: Light? { reading.light }
    /// The screens and the brightness; `nil` for other aspects.
    public var display: Display? { reading.display }
    /// The default route to the network; `nil` for other aspects.
    public var network: Network? { reading.network }
    /// The changes in the configured folders; `nil` for other aspects.
    public var folders: Folders? { reading.folders }
    /// A sample of acceleration and rotation; `nil` for other aspects.
    public var motion: Motion? { reading.motion }
    /// The last shake; `nil` for other aspects.
    public var shake: Shake? { reading.shake }
    /// The energy and the power of the battery packs; `nil` for other aspects.
    public var power: Power? { reading.power }
    /// The state of the subscription itself; `nil` for other aspects.
    public var lifecycle: Lifecycle? { reading.lifecycle }
    /// The value of a published name; `nil` for other aspects.
    public var published: PublishedValue? { reading.published }
}
