// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem
import Varlink

/// The file of an option `--state`, in which a command stores its state between runs.
struct CommandState: Sendable {
    /// The maximum size of the file in bytes: the positions of 7,600 names of the maximum length.
    private static let limit = 2 << 20
    static let sizeText = "\(limit >> 20) MiB"

    private let path: String
    private let command: String

    init(_ path: String, of command: String) {
        self.path = path
        self.command = command
    }

    /// Takes the file for this process, since another one would overwrite its contents.
    func alone() throws(Failure) -> FileLock {
        // Before there is a lock beside it.
        try checkKind()
        return try FileLock.alone(path, "\(path): another 'reveille \(command)'", "uses this file")
    }

    /// Returns the state, if the command can have written it; `nil` if the file does not exist.
    func read<State: Decodable>(_ isValid: (State) -> Bool) throws(Failure) -> State? {
        let bytes: [UInt8]
        do throws(SystemError) {
            guard let contents = try PrivateFile.read(path, limit: Self.limit) else { return nil }
            bytes = contents
        } catch {
            if error.code == EFBIG { throw tooLarge }
            try checkKind()
            throw failure(error)
        }
        guard let state = try? JSON.parse(bytes).decode(State.self), isValid(state) else {
            throw Failure(.output, "\(path): not a file written by 'reveille \(command) --state'; left unchanged")
        }
        return state
    }

    /// Replaces the contents atomically.
    func replace(with state: some Encodable) throws(Failure) {
        let json = try Failure.coded(.failure) { try JSON(encoding: state).canonical }
        let contents = json.bytes + [UInt8(ascii: "\n")]
        guard contents.count <= Self.limit else { throw tooLarge }
        do throws(SystemError) {
            try PrivateFile.replace(path, with: contents, limit: Self.limit)
        } catch {
            throw failure(error)
        }
    }

    private func checkKind() throws(Failure) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        throw Failure(.output, "\(path) is not a regular file")
    }

    private var tooLarge: Failure {
        Failure(
            .output,
            "\(path): a file of 'reveille \(command) --state' can have at most \(Self.sizeText); left unchanged")
    }

    /// Returns a failure that names the given file, even if the call failed on a temporary file next to it.
    private func failure(_ error: SystemError) -> Failure {
        Failure(storing: SystemError(error.operation, on: path, code: error.code))
    }
}

/// The file in which `reveille watch --state` stores its positions.
///
/// The format is the library's: `{"generations":{"battery":12},"instance":"…"}`.
struct WatchPositionsFile: Sendable {
    private let file: CommandState
    /// The positions of unwatched aspects that the file contained at the start.
    private let others: Positions?
    /// The positions of watched aspects that were last read or written, if any.
    private(set) var positions: Positions?

    /// Reads a file, which may be missing; `nil` watches all aspects.
    init(_ path: String, watching aspects: AspectSet?) throws(Failure) {
        file = CommandState(path, of: "watch")
        let stored: Positions? = try file.read { $0.generations.values.allSatisfy { $0 >= 0 } }
        positions = stored?.filtered { aspects?.covers($0) ?? true }
        others = stored?.filtered { aspects?.covers($0) == false }
    }

    /// Replaces the stored positions of the watched aspects atomically.
    ///
    /// The positions of other aspects are kept if they belong to the same instance.
    mutating func save(_ newer: Positions) throws(Failure) {
        guard newer != positions else { return }
        var all = newer
        if let others, others.instance == newer.instance {
            all = Positions(
                instance: newer.instance, generations: others.generations.merging(newer.generations) { $1 },
                domains: newer.generations[.defaults] == nil ? others.domains : newer.domains)
        }
        try file.replace(with: all)
        positions = newer
    }
}

extension Positions {
    fileprivate func filtered(_ isIncluded: (Aspect) -> Bool) -> Positions {
        Positions(instance: instance, generations: generations.filter { isIncluded($0.key) }, domains: domains)
    }
}
