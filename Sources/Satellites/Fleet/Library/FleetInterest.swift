// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleFleetCore

/// The devices and aspects that a reader reads.
package struct FleetInterest: Sendable, Hashable {
    /// The most topic filters of a subscription; a broker compares each with every topic that it keeps.
    static let filterLimit = 1_000

    /// The devices; one of them must match, unless there are none.
    package let devices: [NamePattern]
    /// The aspects; one of them must match, unless there are none.
    package let aspects: [NamePattern]

    package init(devices: [String] = [], aspects: [String] = []) throws(FleetError) {
        self.devices = try devices.map { text throws(FleetError) in try NamePattern(devices: text) }
        self.aspects = try aspects.map { text throws(FleetError) in try NamePattern(aspects: text) }
    }

    private init() { (devices, aspects) = ([], []) }

    package static let everything = FleetInterest()

    package func contains(_ device: DeviceID) -> Bool {
        devices.isEmpty || devices.contains { $0.matches(device.text) }
    }

    package func contains(aspect: String) -> Bool {
        aspects.isEmpty || aspects.contains { $0.matches(aspect) }
    }

    /// Returns whether a topic is of interest, or outside the protocol.
    func contains(topic: String) -> Bool {
        guard self != .everything else { return true }
        switch try? FleetTopic(topic) {
        case .status(let device): return contains(device)
        case .state(let device, let aspect): return contains(device) && contains(aspect: aspect)
        default: return true
        }
    }

    package var statusFilters: [String] { deviceLevels.map { "\(FleetTopic.root)/\($0)/status" } }

    package var stateFilters: [String] {
        let devices = deviceLevels
        let aspects = Self.levels(aspects, atMost: Self.filterLimit / devices.count)
        return devices.flatMap { device in aspects.map { "\(FleetTopic.root)/\(device)/state/\($0)" } }
    }

    /// Returns the topics of all kept messages of some devices.
    func filters(of devices: [DeviceID]) -> [String] {
        devices.flatMap { [FleetTopic.status($0).text, "\(FleetTopic.root)/\($0)/state/+"] }
    }

    /// The first level of the topics: brokers have no filters such as `shop-*`, so unwanted messages are dropped on
    /// arrival.
    private var deviceLevels: [String] { Self.levels(devices, atMost: Self.filterLimit) }

    private static func levels(_ patterns: [NamePattern], atMost limit: Int) -> [String] {
        let names = Set(patterns.map(\.description))
        guard !names.isEmpty, names.count <= limit, patterns.allSatisfy(\.isExact) else { return ["+"] }
        return names.sorted()
    }
}

/// A name, or a pattern in which `*` stands for any characters, such as `shop-*`.
package struct NamePattern: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// Creates a pattern for devices; the error says why no device can have such a name.
    package init(devices text: String) throws(FleetError) {
        // Users of MQTT may write its wildcard.
        let text = text == "+" ? "*" : text
        let pattern = NamePattern(text)
        // A star can stand for a letter: with a letter for each star, the text must be a name.
        _ = try pattern.isExact ? DeviceID(text) : DeviceID(text.replacingStars)
        self = pattern
    }

    package init(aspects text: String) throws(FleetError) {
        guard FleetTopic.isAspect(text.replacingStars) else {
            throw FleetError(
                .invalidName, "the aspect '\(text.escaped)': must be a name such as battery or org.example.*")
        }
        self = NamePattern(text)
    }

    private init(_ text: String) {
        description = text
    }

    package var isExact: Bool { !description.utf8.contains(UInt8(ascii: "*")) }

    package func matches(_ name: String) -> Bool { fnmatch(description, name, 0) == 0 }
}

extension String {
    /// The text with a letter for each star.
    fileprivate var replacingStars: String { String(map { $0 == "*" ? "x" : $0 }) }
}
