// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
package import Varlink

package enum StandardInput {
    /// The argument that stands for stdin.
    package static let name = "-"

    /// Reads everything up to the end of the input; fails if the input has more than `limit` bytes.
    package static func read(limit: Int, orFailWith code: Failure.Code) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
                let count = retryingOnInterrupt { Glibc.read(STDIN_FILENO, buffer.baseAddress, buffer.count) }
                if count > 0 { bytes += buffer[..<count] }
                return count
            }
            guard count >= 0 else { throw Failure(code, "\(SystemError("read", on: name))") }
            if count == 0 { return bytes }
        }
        throw Failure(code, "\(name): exceeds \(limit) bytes")
    }
}

extension JSONObject {
    /// The most bytes that are read from stdin: far above the longest value that a bus accepts, with any white space.
    private static let inputLimit = 1 << 20

    /// Parses a value that is published from the command line, or from stdin for the argument `-`.
    ///
    /// A user who publishes `null` learns the command for the withdrawal.
    package init(argument: String, for name: String, maximumDepth: Int, withdrawal: String) throws(Failure) {
        let isInput = argument == StandardInput.name
        let bytes =
            isInput
            ? try StandardInput.read(limit: Self.inputLimit, orFailWith: .usage) : Array(argument.utf8)
        let value: JSON
        do throws(JSONError) {
            value = try JSON.parse(bytes, maximumDepth: maximumDepth)
        } catch {
            // The shell removes the quotes of {"volume": 0.5}.
            let hint =
                isInput || argument.utf8.contains(UInt8(ascii: "\"")) ? "" : #"; in a shell, write '{"volume": 0.5}'"#
            if case .tooDeep = error.reason { throw Failure(.usage, "\(name): the value is \(error)") }
            throw Failure(.usage, "the value is not valid JSON: \(error)\(hint)")
        }
        guard let object = value.objectValue else {
            let hint = value.isNull ? "; to withdraw the state, use '\(withdrawal)'" : ""
            throw Failure(
                .usage, #"the value must be a JSON object such as {"volume": 0.5}, not \#(value.kind)\#(hint)"#)
        }
        self = object
    }
}
