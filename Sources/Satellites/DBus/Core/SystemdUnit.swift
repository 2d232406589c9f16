// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The name of a unit of systemd, such as `ssh.service`.
struct SystemdUnit: Hashable {
    static let expected = "the name of a unit with its type, such as ssh.service"
    /// The longest name of a unit in bytes.
    private static let lengthLimit = 255

    private let text: String

    init?(_ text: String) {
        self.text = text
        let isName = text.utf8.allSatisfy { NameRule.isAllowed($0) || #".@:\"#.utf8.contains($0) }
        guard isName, text.utf8.count <= Self.lengthLimit, text.first != ".", !type.isEmpty else { return nil }
    }

    private var type: Substring { text.lastIndex(of: ".").map { text[$0...].dropFirst() } ?? "" }
    /// The interface with the result, such as `org.freedesktop.systemd1.Service`.
    var interface: String { "org.freedesktop.systemd1." + type.prefix(1).uppercased() + type.dropFirst() }

    /// The path of the unit's object; systemd loads the unit when it is used.
    var path: String { "/org/freedesktop/systemd1/unit/" + escaped { $0.isLetter || $0.isDigit && $1 != nil } }

    /// The part of the published name, in which other characters are written as `_40`, and `_` as `_5f`.
    var part: String {
        let dot = UInt8(ascii: ".")
        return escaped { $0 == dot ? $1 != dot : $0 != UInt8(ascii: "_") && NameRule.isAllowed($0) }
    }

    private func escaped(unless isPlain: (UInt8, _ before: UInt8?) -> Bool) -> String {
        var before: UInt8?
        return text.utf8.reduce(into: "") { result, byte in
            // All others have two digits.
            result += isPlain(byte, before) ? String(Unicode.Scalar(byte)) : "_" + String(byte, radix: 16)
            before = byte
        }
    }
}
