// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import Varlink

/// The file of an option `--state`, in which a command stores its state between runs.
struct StateFile: Sendable {
    private let path: String
    /// The command that writes the file: `watch`.
    private let command: String

    init(_ path: String, of command: String) {
        self.path = path
        self.command = command
    }

    /// Reads the file.
    ///
    /// - Parameter decode: Decodes the contents; `nil` if the command did not write them.
    /// - Returns: The decoded contents; `nil` if the file does not exist.
    /// - Throws: `Failure` if the file cannot be read or decoded.
    func read<State>(_ decode: (JSONObject) -> State?) throws(Failure) -> State? {
        let bytes: [UInt8]
        do throws(SystemError) {
            guard let contents = try PrivateFile.read(path) else { return nil }
            bytes = contents
        } catch {
            var status = stat()
            if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
                throw Failure(.failure, "\(path) is not a regular file")
            }
            throw failure(error, .failure)
        }
        guard let state = (try? JSON.parse(bytes))?.objectValue.flatMap(decode) else {
            throw Failure(.failure, "\(path): not a file written by 'reveille \(command) --state'; left unchanged")
        }
        return state
    }

    /// Replaces the contents atomically.
    ///
    /// - Throws: `Failure` if the file cannot be written.
    func replace(with state: JSONObject) throws(Failure) {
        do throws(SystemError) {
            try PrivateFile.replace(path, with: JSON.object(state).bytes + [UInt8(ascii: "\n")])
        } catch {
            throw failure(error, .output)
        }
    }

    /// Returns a failure that names the given file, even if the call failed on a temporary file next to it.
    private func failure(_ error: SystemError, _ code: Failure.Code) -> Failure {
        let isRefused = error.code == EACCES || error.code == EPERM
        return Failure(
            isRefused ? .permission : code, "\(SystemError(error.operation, on: path, code: error.code))")
    }
}
