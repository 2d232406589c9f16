// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The value of one aspect at a time.
public enum Reading: Sendable, Hashable {
    /// Language and formats.
    case locale(LocaleSettings)
    /// The settings domains and their keys.
    case defaults(Defaults)
    /// All battery packs together.
    case battery(Battery)
    /// Near or far.
    case proximity(Proximity)
    /// The pose.
    case orientation(Orientation)

    /// The aspect that the value belongs to.
    public var aspect: Aspect {
        switch self {
        case .locale: .locale
        case .defaults: .defaults
        case .battery: .battery
        case .proximity: .proximity
        case .orientation: .orientation
        }
    }

    /// What an aspect reads before its first source was read, or without any.
    public static func unknown(_ aspect: Aspect) -> Reading {
        switch aspect {
        case .locale: .locale(.posix)
        case .defaults: .defaults(Defaults(domains: []))
        case .battery: .battery(.unknown)
        case .proximity: .proximity(.unknown)
        case .orientation: .orientation(.unknown)
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
        }
    }
}

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

extension Reading {
    /// The field of an event that holds the reading: it has the aspect's name.
    struct CodingKey: Swift.CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ aspect: Aspect) { stringValue = aspect.rawValue }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Decodes the reading of an aspect from its field of an event.
    init(_ aspect: Aspect, from fields: KeyedDecodingContainer<CodingKey>) throws {
        let key = CodingKey(aspect)
        switch aspect {
        case .locale: self = .locale(try fields.decode(LocaleSettings.self, forKey: key))
        case .defaults: self = .defaults(try fields.decode(Defaults.self, forKey: key))
        case .battery: self = .battery(try fields.decode(Battery.self, forKey: key))
        case .proximity: self = .proximity(try fields.decode(Proximity.Structure.self, forKey: key).state)
        case .orientation: self = .orientation(try fields.decode(Orientation.self, forKey: key))
        }
    }

    /// Encodes the reading as a field of an event.
    func encode(to fields: inout KeyedEncodingContainer<CodingKey>) throws {
        let key = CodingKey(aspect)
        switch self {
        case .locale(let locale): try fields.encode(locale, forKey: key)
        case .defaults(let defaults): try fields.encode(defaults, forKey: key)
        case .battery(let battery): try fields.encode(battery, forKey: key)
        case .proximity(let proximity): try fields.encode(Proximity.Structure(state: proximity), forKey: key)
        case .orientation(let orientation): try fields.encode(orientation, forKey: key)
        }
    }
}
