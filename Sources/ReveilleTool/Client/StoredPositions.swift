// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Reveille
import ReveilleSystem
import Varlink

/// The file in which `reveille watch --state` stores its positions.
///
/// The format is the library's: `{"instance":"…","generations":{"battery":12}}`.
struct StoredPositions: Sendable {
    private let path: String
    /// The positions that were last read or written, if any.
    private(set) var positions: Positions?

    /// Reads a file, which may be missing.
    ///
    /// - Throws: `Failure` if the file cannot be read or contains anything other than positions.
    init(_ path: String) throws(Failure) {
        self.path = path
        let bytes: [UInt8]
        do throws(SystemError) {
            guard let contents = try PrivateFile.read(path) else { return }
            bytes = contents
        } catch {
            var status = stat()
            if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
                throw Failure(.failure, "\(path) is not a regular file")
            }
            throw failure(error, .failure)
        }
        guard let found = (try? JSON.parse(bytes)).flatMap(Self.decode) else {
            throw Failure(.failure, "\(path): not a file written by 'reveille watch --state'; left unchanged")
        }
        positions = found
    }

    /// Replaces the stored positions atomically.
    ///
    /// Positions of aspects that are not watched in this run are kept if they belong to the same instance.
    mutating func save(_ newer: Positions) throws(Failure) {
        var merged = newer
        if let positions, positions.instance == newer.instance {
            merged = Positions(
                instance: newer.instance, generations: positions.generations.merging(newer.generations) { $1 })
        }
        guard merged != positions else { return }
        do throws(SystemError) {
            try PrivateFile.replace(path, with: Self.encode(merged).bytes + [UInt8(ascii: "\n")])
        } catch {
            throw failure(error, .output)
        }
        positions = merged
    }

    /// Returns a failure that names the given file, even if the call failed on a temporary file next to it.
    private func failure(_ error: SystemError, _ code: Failure.Code) -> Failure {
        let isRefused = error.code == EACCES || error.code == EPERM
        return Failure(
            isRefused ? .permission : code, "\(SystemError(error.operation, on: path, code: error.code))")
    }

    private static func decode(_ json: JSON) -> Positions? {
        guard let instance = json.objectValue?["instance"]?.stringValue,
            let members = json.objectValue?["generations"]?.objectValue?.members
        else { return nil }
        var generations: [Aspect: Int] = [:]
        for member in members {
            guard let generation = member.value.integerValue, generation >= 0 else { return nil }
            // A file of a later version may contain unknown aspects.
            if let aspect = Aspect(member.name) { generations[aspect] = Int(generation) }
        }
        return Positions(instance: instance, generations: generations)
    }

    private static func encode(_ positions: Positions) -> JSON {
        let members = positions.generations.sorted { $0.key < $1.key }.map { aspect, generation in
            JSONObject.Member(name: aspect.name, value: .integer(Int64(generation)))
        }
        return ["instance": .string(positions.instance), "generations": .object(JSONObject(members: members))]
    }
}
