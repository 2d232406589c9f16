// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleConsole
import ReveilleSystem
import Varlink

/// The file of an option `--state`, in which a command stores its state between runs.
struct StateFile: Sendable {
    /// The maximum size of the file in bytes: the positions of 7,600 names of the maximum length.
    private static let limit = 2 << 20
    static let sizeText = "\(limit >> 20) MiB"

    private let path: String
    private let command: String

    init(_ path: String, of command: String) {
        self.path = path
        self.command = command
    }

    /// Returns the state, if the command can have written it; `nil` if the file does not exist.
    func read<State: Decodable>(_ isValid: (State) -> Bool) throws(Failure) -> State? {
        let bytes: [UInt8]
        do throws(SystemError) {
            guard let contents = try PrivateFile.read(path, limit: Self.limit) else { return nil }
            bytes = contents
        } catch {
            if error.code == EFBIG { throw tooLarge(.failure) }
            var status = stat()
            if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
                throw Failure(.failure, "\(path) is not a regular file")
            }
            throw failure(error, .failure)
        }
        guard let state = try? JSON.parse(bytes).decode(State.self), isValid(state) else {
            throw Failure(.failure, "\(path): not a file written by 'reveille \(command) --state'; left unchanged")
        }
        return state
    }

    /// Replaces the contents atomically.
    func replace(with state: JSON) throws(Failure) {
        let contents = state.bytes + [UInt8(ascii: "\n")]
        guard contents.count <= Self.limit else { throw tooLarge(.output) }
        do throws(SystemError) {
            try PrivateFile.replace(path, with: contents, limit: Self.limit)
        } catch {
            throw failure(error, .output)
        }
    }

    private func tooLarge(_ code: Failure.Code) -> Failure {
        Failure(
            code, "\(path): a file of 'reveille \(command) --state' can have at most \(Self.sizeText); left unchanged")
    }

    /// Returns a failure that names the given file, even if the call failed on a temporary file next to it.
    private func failure(_ error: SystemError, _ code: Failure.Code) -> Failure {
        let isRefused = error.code == EACCES || error.code == EPERM
        return Failure(
            isRefused ? .permission : code, "\(SystemError(error.operation, on: path, code: error.code))")
    }
}
