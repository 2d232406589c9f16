// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

public import ReveilleCore

/// An aspect and the type of its readings; ``TypedAspects`` lists all of them.
public struct TypedAspect<Value: Sendable>: Sendable {
    /// The aspect.
    public let aspect: Aspect
    let value: @Sendable (Reading) -> Value?
}

/// The aspects, each with the type of its readings, for ``Device/updates(of:name:)``: `\.battery`.
public struct TypedAspects: Sendable {
    /// Language and formats.
    public let locale = TypedAspect<LocaleSettings>(aspect: .locale) { $0.locale }
    /// The user's settings.
    public let defaults = TypedAspect<Defaults>(aspect: .defaults) { $0.defaults }
    /// All battery packs together.
    public let battery = TypedAspect<Battery>(aspect: .battery) { $0.battery }
    /// Near or far.
    public let proximity = TypedAspect<Proximity>(aspect: .proximity) { $0.proximity }
    /// The pose.
    public let orientation = TypedAspect<Orientation>(aspect: .orientation) { $0.orientation }
    /// The illuminance.
    public let light = TypedAspect<Light>(aspect: .light) { $0.light }
    /// The screens and the brightness.
    public let display = TypedAspect<Display>(aspect: .display) { $0.display }
    /// The default route.
    public let network = TypedAspect<Network>(aspect: .network) { $0.network }
    /// The configured folders.
    public let folders = TypedAspect<Folders>(aspect: .folders) { $0.folders }
    /// Samples of acceleration and rotation.
    public let motion = TypedAspect<Motion>(aspect: .motion) { $0.motion }
    /// The shakes.
    public let shake = TypedAspect<Shake>(aspect: .shake) { $0.shake }
    /// The energy and the power of all battery packs.
    public let power = TypedAspect<Power>(aspect: .power) { $0.power }
    /// The state of the subscription itself.
    public let lifecycle = TypedAspect<Lifecycle>(aspect: .lifecycle) { $0.lifecycle }
}

extension Device {
    /// All battery packs together: `Battery.unknown` without a battery.
    public var battery: Battery {
        get async throws(ReveilleError) { try await state(of: \.battery) }
    }

    /// Whether an object is close to the display.
    public var proximity: Proximity {
        get async throws(ReveilleError) { try await state(of: \.proximity) }
    }

    /// The orientation of the device.
    public var orientation: Orientation {
        get async throws(ReveilleError) { try await state(of: \.orientation) }
    }

    /// The light around the device: `Light.unknown` without a sensor.
    public var light: Light {
        get async throws(ReveilleError) { try await state(of: \.light) }
    }

    /// The screens, and the brightness of the backlight: `Display.unknown` without any.
    public var display: Display {
        get async throws(ReveilleError) { try await state(of: \.display) }
    }

    /// The default route to the network: `Network.unreachable` without one.
    public var network: Network {
        get async throws(ReveilleError) { try await state(of: \.network) }
    }

    /// A sample of acceleration and rotation, taken now: `Motion.unknown` without sensors.
    public var motion: Motion {
        get async throws(ReveilleError) { try await state(of: \.motion) }
    }

    /// The last shake while a subscriber was in the foreground: `Shake.unknown` before the first.
    public var shake: Shake {
        get async throws(ReveilleError) { try await state(of: \.shake) }
    }

    /// The energy and the power of all battery packs: `Power.unknown` without a battery.
    public var power: Power {
        get async throws(ReveilleError) { try await state(of: \.power) }
    }

    /// The language and formats in use.
    public var locale: LocaleSettings {
        get async throws(ReveilleError) { try await state(of: \.locale) }
    }

    /// The settings domains, each with all its keys.
    public var defaults: Defaults {
        get async throws(ReveilleError) { try await state(of: \.defaults) }
    }

    /// The configured folders, each with all its names as `added`.
    public var folders: Folders {
        get async throws(ReveilleError) { try await state(of: \.folders) }
    }

    private func state<Value>(
        of aspect: KeyPath<TypedAspects, TypedAspect<Value>>
    ) async throws(ReveilleError) -> Value {
        let typed = TypedAspects()[keyPath: aspect]
        guard let value = typed.value(try await state(of: typed.aspect).reading) else {
            throw ReveilleError(.invalidReply, "GetState: no state of \(typed.aspect)")
        }
        return value
    }
}
