// SPDX-License-Identifier: Apache-2.0

/// An aspect that the bus itself provides, about the device or about a subscription.
///
/// This file lists the aspects; each has its declaration beside the type of its states.
@usableFromInline
package enum BuiltInAspect: String, Sendable, Hashable, CaseIterable {
    case locale, defaults, battery, proximity, orientation, light, display, network, folders, motion, shake, power
    case lifecycle, sleep, switches

    var declaration: any AspectDeclaration.Type { declared.type }
    /// The position among all cases, and so in an ``AspectTable`` and an ``AspectSet``.
    package var index: Int { declared.index }

    private var declared: (index: Int, type: any AspectDeclaration.Type) {
        switch self {
        case .locale: (0, LocaleSettings.self)
        case .defaults: (1, Defaults.self)
        case .battery: (2, Battery.self)
        case .proximity: (3, Proximity.self)
        case .orientation: (4, Orientation.self)
        case .light: (5, Light.self)
        case .display: (6, Display.self)
        case .network: (7, Network.self)
        case .folders: (8, Folders.self)
        case .motion: (9, Motion.self)
        case .shake: (10, Shake.self)
        case .power: (11, Power.self)
        case .lifecycle: (12, Lifecycle.self)
        case .sleep: (13, Sleep.self)
        case .switches: (14, Switches.self)
        }
    }
}

extension BuiltInAspect: CustomStringConvertible {
    @usableFromInline package var description: String { rawValue }
}

/// The value of an aspect.
///
/// The long values are indirect, since the bus and its clients copy a reading several times for each event.
@nonexhaustive public enum Reading: Sendable, Hashable {
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
    /// The sleep of the machine.
    case sleep(Sleep)
    /// The state of the subscription itself.
    case lifecycle(Lifecycle)
    /// The switches of the case.
    case switches(Switches)
    /// The value of a published name.
    case published(PublishedValue)

    /// The aspect of the value.
    public var aspect: Aspect {
        switch self {
        case .locale: Aspect(.locale)
        case .defaults: Aspect(.defaults)
        case .battery: Aspect(.battery)
        case .proximity: Aspect(.proximity)
        case .orientation: Aspect(.orientation)
        case .light: Aspect(.light)
        case .display: Aspect(.display)
        case .network: Aspect(.network)
        case .folders: Aspect(.folders)
        case .motion: Aspect(.motion)
        case .shake: Aspect(.shake)
        case .power: Aspect(.power)
        case .sleep: Aspect(.sleep)
        case .lifecycle: Aspect(.lifecycle)
        case .switches: Aspect(.switches)
        case .published(let value): value.name
        }
    }

    @inlinable
    package init<Source: StateSource & ~Copyable>(
        of aspect: BuiltInAspect, from source: inout Source
    ) throws(Source.Fault) {
        switch aspect {
        case .locale: self = .locale(try source.state(LocaleSettings.self))
        case .defaults: self = .defaults(try source.state(Defaults.self))
        case .battery: self = .battery(try source.state(Battery.self))
        case .proximity: self = .proximity(try source.state(Proximity.self))
        case .orientation: self = .orientation(try source.state(Orientation.self))
        case .light: self = .light(try source.state(Light.self))
        case .display: self = .display(try source.state(Display.self))
        case .network: self = .network(try source.state(Network.self))
        case .folders: self = .folders(try source.state(Folders.self))
        case .motion: self = .motion(try source.state(Motion.self))
        case .shake: self = .shake(try source.state(Shake.self))
        case .power: self = .power(try source.state(Power.self))
        case .sleep: self = .sleep(try source.state(Sleep.self))
        case .lifecycle: self = .lifecycle(try source.state(Lifecycle.self))
        case .switches: self = .switches(try source.state(Switches.self))
        }
    }

    /// Passes the state to a coder as the field of its aspect, except a published value; of settings, the given keys.
    @inlinable
    package func code<Coder: FieldCoder & ~Copyable & ~Escapable>(
        settings: [SettingsChange], with coder: inout Coder
    ) throws(Coder.Fault) {
        switch self {
        case .locale(var locale): try coder.record("locale", &locale)
        case .defaults:
            var listed = ListedSettings(domains: settings)
            try coder.record("defaults", &listed)
        case .battery(var battery): try coder.record("battery", &battery)
        case .proximity(var proximity): try coder.record("proximity", &proximity)
        case .orientation(var orientation): try coder.record("orientation", &orientation)
        case .light(var light): try coder.record("light", &light)
        case .display(var display): try coder.record("display", &display)
        case .network(var network): try coder.record("network", &network)
        case .folders(var folders): try coder.record("folders", &folders)
        case .motion(var motion): try coder.record("motion", &motion)
        case .shake(var shake): try coder.record("shake", &shake)
        case .power(var power): try coder.record("power", &power)
        case .sleep(var sleep): try coder.record("sleep", &sleep)
        case .lifecycle(var lifecycle): try coder.record("lifecycle", &lifecycle)
        case .switches(var switches): try coder.record("switches", &switches)
        case .published: break
        }
    }

    /// Whether each report is a change, even of an equal reading: an occurrence, or a sample with a value.
    package var isOccurrence: Bool {
        switch self {
        case .shake: true
        case .motion(let motion): !motion.isEmpty
        case .locale, .defaults, .battery, .proximity, .orientation, .light, .display, .network, .folders, .power,
            .sleep, .lifecycle, .switches, .published:
            false
        }
    }
}

extension Reading: CustomStringConvertible {
    /// The value in words.
    public var description: String { state.description }

    package var state: any CustomStringConvertible & Sendable {
        switch self {
        case .locale(let locale): locale
        case .defaults(let defaults): defaults
        case .battery(let battery): battery
        case .proximity(let proximity): proximity
        case .orientation(let orientation): orientation
        case .light(let light): light
        case .display(let display): display
        case .network(let network): network
        case .folders(let folders): folders
        case .motion(let motion): motion
        case .shake(let shake): shake
        case .power(let power): power
        case .sleep(let sleep): sleep
        case .lifecycle(let lifecycle): lifecycle
        case .switches(let switches): switches
        case .published(let value): value
        }
    }
}

extension Reading {
    /// Returns the value of an aspect that has not been read yet, has no source, or is not published.
    public static func unknown(_ aspect: Aspect) -> Reading {
        guard let builtIn = aspect.builtIn else { return .published(PublishedValue(aspect, bytes: nil)) }
        var blank = BlankStates()
        return Reading(of: builtIn, from: &blank)
    }
}
