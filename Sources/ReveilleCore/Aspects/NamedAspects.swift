// SPDX-License-Identifier: Apache-2.0

extension Aspect {
    /// The language and formats in effect.
    public static var locale: Aspect { Aspect(.locale) }
    /// The user's settings files.
    public static var defaults: Aspect { Aspect(.defaults) }
    /// The battery packs of the system, and whether it is plugged in.
    public static var battery: Aspect { Aspect(.battery) }
    /// Whether something is close to the front of the device.
    public static var proximity: Aspect { Aspect(.proximity) }
    /// The pose of the device.
    public static var orientation: Aspect { Aspect(.orientation) }
    /// The illuminance around the device.
    public static var light: Aspect { Aspect(.light) }
    /// The screens, and the brightness of the backlight.
    public static var display: Aspect { Aspect(.display) }
    /// The default route to the network.
    public static var network: Aspect { Aspect(.network) }
    /// The names in the folders that the configuration lists.
    public static var folders: Aspect { Aspect(.folders) }
    /// The acceleration and rotation of the device, sample by sample.
    public static var motion: Aspect { Aspect(.motion) }
    /// The shakes of the device, each of which counts.
    public static var shake: Aspect { Aspect(.shake) }
    /// The energy and the power of the battery packs.
    public static var power: Aspect { Aspect(.power) }
    /// The sleep of the machine.
    public static var sleep: Aspect { Aspect(.sleep) }
    /// The state of the subscription itself.
    public static var lifecycle: Aspect { Aspect(.lifecycle) }
    /// The lid, the tablet mode and the dock.
    public static var switches: Aspect { Aspect(.switches) }
}

/// An aspect of the device with the type of its states: `.battery`, where a call returns states of this type.
public struct TypedAspect<State: Sendable & Hashable>: Sendable, Hashable {
    /// The aspect without the type.
    public let aspect: Aspect

    fileprivate init(_ aspect: BuiltInAspect) {
        self.aspect = Aspect(aspect)
    }

    package func state(of reading: Reading) -> State? { reading.state as? State }
}

extension TypedAspect<LocaleSettings> {
    /// The language and formats in effect.
    public static var locale: Self { Self(.locale) }
}

extension TypedAspect<Defaults> {
    /// The user's settings files.
    public static var defaults: Self { Self(.defaults) }
}

extension TypedAspect<Battery> {
    /// The battery packs of the system, and whether it is plugged in.
    public static var battery: Self { Self(.battery) }
}

extension TypedAspect<Proximity> {
    /// Whether something is close to the front of the device.
    public static var proximity: Self { Self(.proximity) }
}

extension TypedAspect<Orientation> {
    /// The pose of the device.
    public static var orientation: Self { Self(.orientation) }
}

extension TypedAspect<Light> {
    /// The illuminance around the device.
    public static var light: Self { Self(.light) }
}

extension TypedAspect<Display> {
    /// The screens, and the brightness of the backlight.
    public static var display: Self { Self(.display) }
}

extension TypedAspect<Network> {
    /// The default route to the network.
    public static var network: Self { Self(.network) }
}

extension TypedAspect<Folders> {
    /// The names in the folders that the configuration lists.
    public static var folders: Self { Self(.folders) }
}

extension TypedAspect<Motion> {
    /// The acceleration and rotation of the device, sample by sample.
    public static var motion: Self { Self(.motion) }
}

extension TypedAspect<Shake> {
    /// The shakes of the device, each of which counts.
    public static var shake: Self { Self(.shake) }
}

extension TypedAspect<Power> {
    /// The energy and the power of the battery packs.
    public static var power: Self { Self(.power) }
}

extension TypedAspect<Sleep> {
    /// The sleep of the machine.
    public static var sleep: Self { Self(.sleep) }
}

extension TypedAspect<Switches> {
    /// The lid, the tablet mode and the dock.
    public static var switches: Self { Self(.switches) }
}

extension Reading {
    /// The language and formats; `nil` for other aspects.
    public var locale: LocaleSettings? { if case .locale(let locale) = self { locale } else { nil } }
    /// The settings; `nil` for other aspects.
    public var defaults: Defaults? { if case .defaults(let defaults) = self { defaults } else { nil } }
    /// The battery packs; `nil` for other aspects.
    public var battery: Battery? { if case .battery(let battery) = self { battery } else { nil } }
    /// Whether something is close to the device; `nil` for other aspects.
    public var proximity: Proximity? { if case .proximity(let proximity) = self { proximity } else { nil } }
    /// The pose of the device; `nil` for other aspects.
    public var orientation: Orientation? { if case .orientation(let orientation) = self { orientation } else { nil } }
    /// The illuminance; `nil` for other aspects.
    public var light: Light? { if case .light(let light) = self { light } else { nil } }
    /// The screens and the brightness; `nil` for other aspects.
    public var display: Display? { if case .display(let display) = self { display } else { nil } }
    /// The default route to the network; `nil` for other aspects.
    public var network: Network? { if case .network(let network) = self { network } else { nil } }
    /// The changes in the configured folders; `nil` for other aspects.
    public var folders: Folders? { if case .folders(let folders) = self { folders } else { nil } }
    /// A sample of acceleration and rotation; `nil` for other aspects.
    public var motion: Motion? { if case .motion(let motion) = self { motion } else { nil } }
    /// The last shake; `nil` for other aspects.
    public var shake: Shake? { if case .shake(let shake) = self { shake } else { nil } }
    /// The energy and the power of the battery packs; `nil` for other aspects.
    public var power: Power? { if case .power(let power) = self { power } else { nil } }
    /// The sleep of the machine; `nil` for other aspects.
    public var sleep: Sleep? { if case .sleep(let sleep) = self { sleep } else { nil } }
    /// The state of the subscription itself; `nil` for other aspects.
    public var lifecycle: Lifecycle? { if case .lifecycle(let lifecycle) = self { lifecycle } else { nil } }
    /// The lid, the tablet mode and the dock; `nil` for other aspects.
    public var switches: Switches? { if case .switches(let switches) = self { switches } else { nil } }
    /// The value of a published name; `nil` for other aspects.
    public var published: PublishedValue? { if case .published(let value) = self { value } else { nil } }
}
