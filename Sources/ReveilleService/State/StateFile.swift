// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleSystem
import Varlink

/// The file that keeps the state of the bus over restarts.
///
/// The file exists only while it contains the last delivered state: the first change after a save removes it before the
/// change is delivered, and the next save writes it again. After a kill, the next bus either restores the complete state
/// and its generations, or finds no file and starts as a new instance. No generation is used twice.
package struct StateFile {
    /// The time that changes stay unsaved, unless saves take long; see ``StateKeeper``.
    package static let interval: Duration = .milliseconds(100)
    /// The maximum size of the file: about a dozen users that publish as many and as long values as they may.
    static let limit = 64 << 20

    private let path: String
    private let disk: Disk

    /// The file need not exist, but its directory must.
    package init(path: String, on disk: Disk = Disk()) {
        self.path = path
        self.disk = disk
    }

    /// The path of the file that lists the cgroups that the bus has frozen.
    var frozenPrograms: String { path + ".frozen" }

    /// Reads the saved state; `nil` if there is no file, and an error if the bus must start as a new instance.
    package func load() throws(StateError) -> SavedState? {
        let contents = try Result { () throws(SystemError) in try PrivateFile.read(path, limit: Self.limit) }
            .mapError { StateError(reason: "\($0)") }.get()
        do {
            guard let contents else { return nil }
            guard let text = DigestedText.decode(contents[...]) else { throw StateError(reason: "it is damaged") }
            return try StateCoding.decode(JSON.parse(text))
        } catch {
            throw StateError(reason: "\(path): \(error)")
        }
    }

    /// Replaces the saved state atomically.
    package func save(_ state: SavedState) throws(SystemError) {
        try PrivateFile.replace(path, with: DigestedText.encode(StateCoding.encode(state)), limit: Self.limit, on: disk)
    }

    package func invalidate() throws(SystemError) {
        try disk.remove(path)
    }
}

/// The reason why a saved state is unusable.
package struct StateError: Error, CustomStringConvertible {
    package let reason: String
    package var description: String { reason }
}

/// Text of a file that begins with its digest, so that damage is noticed.
enum DigestedText {
    static func encode(_ text: [UInt8]) -> [UInt8] {
        Array(String(Digest(of: text).value, radix: 16).utf8) + [UInt8(ascii: " ")] + text
    }

    /// Returns the text after its digest; `nil` if it is damaged.
    static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard let space = bytes.firstIndex(of: UInt8(ascii: " ")),
            let digest = UInt64(String(decoding: bytes[..<space], as: UTF8.self), radix: 16)
        else { return nil }
        let text = Array(bytes[(space + 1)...])
        return Digest(of: text).value == digest ? text : nil
    }
}
