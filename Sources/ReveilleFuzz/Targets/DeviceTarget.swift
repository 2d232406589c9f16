// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire

/// Checks that any files result in a description with readable texts and possible numbers, which does not contain the
/// machine ID.
///
/// The input consists of the files in the order of `DeviceFile`, separated by the byte 0x1C.
enum DeviceTarget {
    static func check(_ bytes: [UInt8]) throws(Falsified) {
        let parts = bytes.split(separator: 0x1C, omittingEmptySubsequences: false)
        let files = Dictionary(uniqueKeysWithValues: zip(DeviceFile.allCases, parts.map(Array.init)))
        let host = String(decoding: parts.first ?? [], as: UTF8.self)
        let facts = DeviceFacts(host: host, kernel: host, files: files, frequency: bytes.count)
        let info = DeviceInfo(facts, forUser: 0)
        for text in [info.name, info.model, info.vendor, info.system, info.identifier] {
            try require(text?.isEmpty != true, "a text is not empty")
        }
        for text in [info.name, info.model, info.vendor, info.system, info.systemVersion, info.kernel] {
            guard let text else { continue }
            try require(text.utf8.count <= 256, "the text \(text) is short")
            try require(!text.utf8.contains { $0 < 0x20 }, "the text \(text) has no control characters")
        }
        try require(info.processors >= 1 && info.memory >= 0, "the numbers are possible")
        try requireEqual(
            try? DeviceInfo(info.parameters, noting: UnknownWords()), info, "a description after encoding")
        let other = DeviceInfo(facts, forUser: 1)
        try require(info.identifier == nil || info.identifier != other.identifier, "users have different identifiers")
        try checkSecret(of: files, info)
    }

    /// Checks that a valid machine ID is not shown to anybody.
    private static func checkSecret(of files: [DeviceFile: [UInt8]], _ info: DeviceInfo) throws(Falsified) {
        for (file, contents) in files {
            let meaning = file.meaning(of: contents)
            guard file == .machineID, info.identifier != nil else { continue }
            let secret = SysfsText.trimmed(String(decoding: contents, as: UTF8.self))
            try require(!meaning.contains(secret), "the machine ID is not shown")
            try require(info.identifier?.filter { $0 != "-" } != secret.lowercased(), "the machine ID is not returned")
        }
    }
}
