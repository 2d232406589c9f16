// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import ReveilleSystem
import Varlink

/// The cgroups that a bus has frozen, in a file, so that the next bus thaws them if this bus is killed.
///
/// A frozen program cannot subscribe to the next bus, so nobody could wake the program there. The file exists only
/// while something is frozen.
final class FrozenRecord {
    /// The cgroups that are frozen, or may be.
    private(set) var cgroups: [String]
    private let file: String?

    /// Reads the previous bus's record; without a file, there is no record and nothing is recorded.
    init(file: String?, _ logger: Logger) {
        self.file = file
        cgroups = []
        guard let file else { return }
        do {
            let contents = try PrivateFile.read(file).map { try JSON.parse($0) }
            cgroups = contents?.objectValue?["cgroups"]?.arrayValue?.compactMap(\.stringValue) ?? []
        } catch {
            logger.error("programs that the last bus suspended may stay frozen: \(file): \(error)")
        }
    }

    /// Adds a cgroup before it is frozen; if the file cannot be written, it must not be frozen.
    func insert(_ cgroup: String) throws(SystemError) {
        guard !cgroups.contains(cgroup) else { return }
        try save(cgroups + [cgroup])
        cgroups.append(cgroup)
    }

    /// Removes a cgroup after it was thawed; if the file cannot be written, the next bus thaws it in vain.
    func remove(_ cgroup: String) throws(SystemError) {
        guard let index = cgroups.firstIndex(of: cgroup) else { return }
        cgroups.remove(at: index)
        try save(cgroups)
    }

    private func save(_ cgroups: [String]) throws(SystemError) {
        guard let file else { return }
        guard !cgroups.isEmpty else {
            guard unlink(file) == 0 || errno == ENOENT else { throw SystemError("unlink", on: file) }
            return
        }
        let contents: JSONObject = ["cgroups": .array(cgroups.map { .string($0) })]
        try PrivateFile.replace(file, with: JSON.object(contents).bytes)
    }
}
