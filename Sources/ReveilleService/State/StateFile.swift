// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
package import ReveilleCore
package import ReveilleSystem
import Varlink

/// Keeps the state of the bus over restarts, in one small file.
///
/// The file is there only while it says what the bus last told: the first change after a save removes it
/// before anybody hears of that change, and the next save writes it anew. So a bus that was killed
/// either finds the whole truth and goes on with the same generations, or finds nothing and starts as a
/// new instance; a generation is never used twice.
package struct StateFile {
    /// The longest time that changes stay unsaved.
    package static let interval: Duration = .milliseconds(100)

    private let path: String

    /// Makes a keeper of a file that need not exist; its directory must.
    package init(path: String) {
        self.path = path
    }

    /// What was saved.
    ///
    /// - Returns: The state, or `nil` when nothing is known of the time before.
    /// - Throws: `StateError` when there is a file that cannot be used; the bus then starts as a new instance.
    package func load() throws(StateError) -> SavedState? {
        let contents: [UInt8]
        do throws(SystemError) {
            guard let read = try PrivateFile.read(path) else { return nil }
            contents = read
        } catch {
            throw StateError(reason: "\(error)")
        }
        let json: JSON
        do throws(JSONError) {
            json = try JSON.parse(contents)
        } catch {
            throw StateError(reason: "\(path): \(error)")
        }
        do throws(StateError) {
            return try StateCoding.decode(json)
        } catch {
            throw StateError(reason: "\(path): \(error)")
        }
    }

    /// Writes a state in the place of the one before, in one step.
    package func save(_ state: SavedState) throws(SystemError) {
        try PrivateFile.replace(path, with: StateCoding.encode(state).bytes)
    }

    /// Marks what is saved as no longer the whole truth.
    package func invalidate() throws(SystemError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("unlink", on: path) }
    }
}

/// Why a saved state is not used.
package struct StateError: Error, CustomStringConvertible {
    /// What is wrong, and with which file.
    package let reason: String
    /// The reason, on one line.
    package var description: String { reason }
}
