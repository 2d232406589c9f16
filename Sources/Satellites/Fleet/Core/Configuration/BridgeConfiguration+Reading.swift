// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore

extension BridgeConfiguration {
    /// The largest configuration file in bytes: far more than a person writes.
    package static let sizeLimit = 1 << 17

    /// Parses an object in JSON5; keys that are absent or null keep their defaults.
    ///
    /// Credentials of a service manager may complete the broker, which ``FleetBroker/check()`` then checks.
    package init(parsing bytes: [UInt8]) throws(ConfigurationError) {
        let top = try ConfigurationSection(parsing: bytes)
        let address = try top.name("broker") { text throws(FleetError) in try BrokerAddress(text) }
        device = try top.name("device") { text throws(FleetError) in try DeviceID(text) }
        let files = (ca: try top.file("ca"), certificate: try top.file("certificate"), key: try top.file("key"))
        let user = try top.text("user", "a name of 1 to \(FleetBroker.userLimit) bytes") { text in
            (1...FleetBroker.userLimit).contains(text.utf8.count) && !text.utf8.contains(0) ? text : nil
        }
        let passwordFile = try top.file("passwordFile")
        aspects = try Self.aspects(top) ?? Self.usualAspects
        domains = try Self.domains(top) ?? []
        desired =
            try top.texts("desired", each: "a published name or a pattern", atMost: Self.desiredLimit) { text in
                Aspect(text).flatMap { $0.builtIn == nil ? $0 : nil }
            } ?? []
        groups =
            try top.texts(
                "groups", each: "a name of 1 to \(DeviceID.lengthLimit) letters, digits, '-', '_' and '.'",
                atMost: Self.groupLimit
            ) { DeviceID.isName($0.utf8) ? $0 : nil } ?? []
        interval = try top.seconds("interval", in: Self.intervalRange) ?? .zero
        wakeEvery = try top.wholeSeconds("wakeEvery", in: Self.wakeRange)
        keepAlive = try top.wholeSeconds("keepAlive", in: Self.keepAliveRange) ?? Self.usualKeepAlive
        homeAssistant = try Self.prefix(top)
        // Before the check for missing keys, so that the error names a misspelled key.
        try top.rejectUnknownKeys()
        broker = FleetBroker(address: try top.required("broker", address))
        (broker.ca, broker.certificate, broker.key) = files
        (broker.user, broker.passwordFile) = (user, passwordFile)
        try checkDomains()
    }

    private static func aspects(_ section: ConfigurationSection) throws(ConfigurationError) -> [Aspect]? {
        let names = Aspect.device.map(\.name)
        let aspects = try section.texts(
            "aspects", each: "an aspect, a published name or a pattern", atMost: Self.aspectLimit,
            hint: { Suggestion.phrase(for: $0, among: names) }, read: { Aspect($0) })
        guard let aspects else { return nil }
        guard !aspects.isEmpty else { throw section.refusing("aspects", because: "must name at least one") }
        for aspect in aspects {
            guard let builtIn = aspect.builtIn else { continue }
            if builtIn.isOfSubscription {
                throw section.refusing("aspects", because: "\(aspect) is not a state of the device")
            }
            if builtIn.kind == .stream {
                throw section.refusing(
                    "aspects", because: "\(aspect) is a stream of samples, which has no state to keep")
            }
        }
        return aspects
    }

    private static func domains(_ section: ConfigurationSection) throws(ConfigurationError) -> [String]? {
        try section.texts(
            "domains", each: "the name of a domain of settings, such as org.example.app", atMost: domainLimit
        ) { text in
            (1...domainNameLimit).contains(text.utf8.count)
                && !text.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") } ? text : nil
        }
    }

    /// Settings are personal, so they leave the device by name only.
    private func checkDomains() throws(ConfigurationError) {
        let hasDefaults = aspects.contains(.defaults)
        guard hasDefaults != domains.isEmpty else {
            throw ConfigurationError(
                key: "domains",
                reason: hasDefaults
                    ? "missing: the aspect defaults needs the domains of settings that may leave the device"
                    : "has no effect without the aspect defaults")
        }
    }

    private static func prefix(_ section: ConfigurationSection) throws(ConfigurationError) -> String? {
        let expected = "true, false or a topic of 1 to \(prefixLimit) bytes without '+' and '#'"
        return try section.flagOrText("homeAssistant", expected, whenTrue: usualPrefix) { text in
            let levels = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            let isTopic = levels.allSatisfy { level in
                !level.isEmpty && !level.contains { $0 < 0x20 || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }
            }
            return isTopic && text.utf8.count <= prefixLimit && !text.hasPrefix("$") ? text : nil
        }
    }
}

extension ConfigurationSection {
    /// Reads a text that describes its own errors.
    fileprivate func name<Value>(
        _ key: String, read: (String) throws(FleetError) -> Value
    ) throws(ConfigurationError) -> Value? {
        guard let text = try text(key, "text", read: { $0 }) else { return nil }
        return try Result { () throws(FleetError) in try read(text) }
            .mapError { refusing(key, because: $0.description) }.get()
    }

    fileprivate func file(_ key: String) throws(ConfigurationError) -> String? {
        try text(key, "an absolute path, which begins with /") { text in
            text.hasPrefix("/") && !text.utf8.contains(0) ? text : nil
        }
    }

    fileprivate func wholeSeconds(
        _ key: String, in range: ClosedRange<Int>
    ) throws(ConfigurationError) -> Duration? {
        try integer(key, in: range).map { .seconds($0) }
    }
}
