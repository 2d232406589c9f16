// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// An aspect that the bus itself provides: of the device, which it watches, or of the subscription.
package enum BuiltInAspect: String, Sendable, Hashable, CaseIterable {
    /// The language and formats in effect.
    case locale
    /// The user's settings files.
    case defaults
    /// The battery packs of the system, and whether it is plugged in.
    case battery
    /// Whether something is close to the front of the device.
    case proximity
    /// The pose of the device.
    case orientation
    /// The illuminance around the device.
    case light
    /// The screens, and the brightness of the backlight.
    case display
    /// The default route to the network.
    case network
    /// The names in the folders that the configuration lists.
    case folders
    /// The acceleration and rotation of the device, sample by sample.
    case motion
    /// The shakes of the device, each of which counts.
    case shake
    /// The energy and the power of the battery packs.
    case power
    /// The state of the subscription itself, which differs between subscriptions.
    case lifecycle
}

extension BuiltInAspect {
    /// When the sources of an aspect are watched.
    package enum Sampling: Sendable {
        /// From the start: files announce their changes, and a subscriber that resumes needs every change counted.
        case always
        /// While the aspect has subscribers: reading sensors costs power.
        case onDemand
        /// Never: there is no source. The bus knows the state, which is another one for each subscription.
        case never
    }

    /// What a reading of an aspect is.
    package enum Kind: Sendable {
        /// The state of something: an equal reading is not a change.
        case state
        /// An occurrence, which counts even if it equals the last one.
        case tally
        /// A sample, which is a change even if it equals the last one. Samples are neither saved nor resumed across a
        /// restart.
        case stream
    }

    private struct Traits {
        let index: Int
        let sampling: Sampling
        var kind = Kind.state
        /// False for aspects of later versions: strict clients refuse fields that their interface description lacks.
        var isDefault = true
        var isReportedInParts = false
        /// False for aspects whose state is never made up: `Post` of the interface lacks their field.
        var isPostable = true
    }

    private var traits: Traits {
        switch self {
        case .locale: Traits(index: 0, sampling: .always)
        case .defaults: Traits(index: 1, sampling: .always, isReportedInParts: true)
        case .battery: Traits(index: 2, sampling: .onDemand)
        case .proximity: Traits(index: 3, sampling: .onDemand)
        case .orientation: Traits(index: 4, sampling: .onDemand)
        case .light: Traits(index: 5, sampling: .onDemand, isDefault: false)
        case .display: Traits(index: 6, sampling: .onDemand, isDefault: false)
        case .network: Traits(index: 7, sampling: .onDemand, isDefault: false)
        case .folders:
            Traits(index: 8, sampling: .always, isDefault: false, isReportedInParts: true, isPostable: false)
        case .motion: Traits(index: 9, sampling: .onDemand, kind: .stream, isDefault: false)
        case .shake: Traits(index: 10, sampling: .onDemand, kind: .tally, isDefault: false)
        case .power: Traits(index: 11, sampling: .onDemand, isDefault: false)
        case .lifecycle: Traits(index: 12, sampling: .never, isDefault: false, isPostable: false)
        }
    }

    /// The position in an ``AspectTable`` and an ``AspectSet``.
    package var index: Int { traits.index }
    /// When the aspect's sources are watched.
    package var sampling: Sampling { traits.sampling }
    /// What a reading of the aspect is.
    package var kind: Kind { traits.kind }
    /// Whether the aspect is delivered to subscribers that name no aspects.
    package var isDefault: Bool { traits.isDefault }
    /// Whether events list the parts that changed, since the whole state is too long to send.
    package var isReportedInParts: Bool { traits.isReportedInParts }
    /// Whether a synthetic state of the aspect can be posted.
    package var isPostable: Bool { traits.isPostable }
    /// Whether the aspect is one of each subscription: without a subscription, it has neither a state nor a history.
    package var isOfSubscription: Bool { traits.sampling == .never }

    /// The aspects of the device.
    package static let ofDevice = allCases.filter { !$0.isOfSubscription }
}

extension BuiltInAspect: CustomStringConvertible {
    /// The aspect's name.
    package var description: String { rawValue }
}

extension Aspect {
    /// The language and formats in effect.
    public static let locale = Aspect(.locale)
    /// The user's settings files.
    public static let defaults = Aspect(.defaults)
    /// The battery packs of the system, and whether it is plugged in.
    public static let battery = Aspect(.battery)
    /// Whether something is close to the front of the device.
    public static let proximity = Aspect(.proximity)
    /// The pose of the device.
    public static let orientation = Aspect(.orientation)
    /// The illuminance around the device.
    public static let light = Aspect(.light)
    /// The screens, and the brightness of the backlight.
    public static let display = Aspect(.display)
    /// The default route to the network.
    public static let network = Aspect(.network)
    /// The names in the folders that the configuration lists.
    public static let folders = Aspect(.folders)
    /// The acceleration and rotation of the device.
    public static let motion = Aspect(.motion)
    /// The shakes of the device.
    public static let shake = Aspect(.shake)
    /// The energy and the power of the battery packs.
    public static let power = Aspect(.power)
    /// The state of the subscription itself.
    public static let lifecycle = Aspect(.lifecycle)
}

extension AspectSet {
    /// The language and formats.
    public static let locale: AspectSet = [.locale]
    /// The user's settings.
    public static let defaults: AspectSet = [.defaults]
    /// The battery packs.
    public static let battery: AspectSet = [.battery]
    /// Whether something is close to the device.
    public static let proximity: AspectSet = [.proximity]
    /// The pose of the device.
    public static let orientation: AspectSet = [.orientation]
    /// The illuminance around the device.
    public static let light: AspectSet = [.light]
    /// The screens, and the brightness of the backlight.
    public static let display: AspectSet = [.display]
    /// The default route to the network.
    public static let network: AspectSet = [.network]
    /// The names in the configured folders.
    public static let folders: AspectSet = [.folders]
    /// The acceleration and rotation of the device.
    public static let motion: AspectSet = [.motion]
    /// The shakes of the device.
    public static let shake: AspectSet = [.shake]
    /// The energy and the power of the battery packs.
    public static let power: AspectSet = [.power]
    /// The state of the subscription itself.
    public static let lifecycle: AspectSet = [.lifecycle]
}
