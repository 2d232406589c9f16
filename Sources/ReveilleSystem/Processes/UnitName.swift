// SPDX-License-Identifier: Apache-2.0

/// The name of a unit of the service manager, with its suffix (systemd.unit(5)).
package struct UnitName: Sendable, Hashable {
    /// The longest part of a name in bytes: escaped, it is four times as long and fits into the 255 bytes of a name.
    private static let longestWord = 40

    /// The complete name, such as `app-reveille-player-1f.scope`.
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The unit with an object path of D-Bus, such as `/org/freedesktop/systemd1/unit/cron_2eservice`.
    package init?(objectPath path: String) {
        let prefix = "/org/freedesktop/systemd1/unit/"
        guard path.utf8.starts(with: prefix.utf8) else { return nil }
        var bytes: [UInt8] = []
        var rest = path.utf8.dropFirst(prefix.utf8.count)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "_") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(Substring(rest.prefix(2)), radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard !bytes.isEmpty else { return nil }
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// The innermost unit to which a cgroup belongs, and the path of the unit's cgroup; `nil` without a unit.
    package static func innermost(inCgroup path: String) -> (name: UnitName, path: String)? {
        var rest = Substring(path)
        while let slash = rest.utf8.lastIndex(of: UInt8(ascii: "/")) {
            // The manager marks names that the kernel reserves with an underscore.
            let name = rest[slash...].dropFirst()
            let text = name.hasPrefix("_") ? name.dropFirst() : name
            if text.hasSuffix(".service") || text.hasSuffix(".scope") { return (UnitName(String(text)), String(rest)) }
            rest = rest[..<slash]
        }
        return nil
    }

    /// Whether the unit was made for one program and its children: a service, or a scope of an application or a command.
    ///
    /// A login session contains all programs that were started in it, and `user@.service` all services of a user.
    package var isOfOneProgram: Bool {
        if text.hasSuffix(".service") { return !isOfManager }
        return text.hasSuffix(".scope") && (text.hasPrefix("app-") || text.hasPrefix("run-"))
    }

    package var isOfManager: Bool {
        text == "init.scope" || text.hasPrefix("user@")
    }

    // MARK: - Names for programs

    /// The prefix by the conventions for desktop environments: an application, and the program that started it.
    static let prefix = "app-reveille-"

    /// A scope for a program that is already running, with a name that no other scope has.
    package static func scope(for program: String, number: UInt64) -> UnitName {
        UnitName("\(prefix)\(escaped(program))-\(String(number, radix: 16)).scope")
    }

    /// The service for a command: the same for the same arguments, so that it is not started twice.
    package static func service(for arguments: [String]) -> UnitName {
        let program = arguments.first.map { String($0.split(separator: "/").last ?? "") } ?? ""
        return UnitName("\(prefix)\(escaped(program))@\(String(digest(arguments), radix: 16)).service")
    }

    /// Returns the text as a part of a name, by the rules of systemd-escape(1), cut to a limit.
    static func escaped(_ text: String) -> String {
        var result = ""
        for (index, byte) in text.utf8.prefix(longestWord).enumerated() {
            switch byte {
            case UInt8(ascii: "."): result += index == 0 ? "\\x2e" : "."
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: ":"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return result.isEmpty ? "program" : result
    }

    /// A digest of the arguments (FNV-1a), which is equal in every process.
    private static func digest(_ arguments: [String]) -> UInt64 {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in arguments.joined(separator: "\0").utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return digest
    }
}
