// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import ReveilleWire
import Varlink

extension PublishedValue {
    /// The most bytes that are read from stdin, with any amount of white space.
    private static let inputLimit = 1 << 20

    /// Parses a value from the command line, or from stdin for the argument `-`.
    ///
    /// - Throws: `Failure` if it is not a JSON object.
    init(_ name: Aspect, argument: String) throws(Failure) {
        let isInput = argument == StandardInput.name
        let bytes =
            isInput
            ? try StandardInput.read(limit: Self.inputLimit, orFailWith: .usage) : Array(argument.utf8)
        let value: JSON
        do throws(JSONError) {
            value = try JSON.parse(bytes)
        } catch {
            // The shell removes the quotes of {"volume": 0.5}.
            let hint = isInput || argument.contains("\"") ? "" : #"; in a shell, write '{"volume": 0.5}'"#
            throw Failure(.usage, "the value is not valid JSON: \(error)\(hint)")
        }
        guard let object = value.objectValue else {
            let hint = value.isNull ? "; to withdraw the state, use 'reveille withdraw \(name)'" : ""
            throw Failure(
                .usage, #"the value must be a JSON object such as {"volume": 0.5}, not \#(value.kind)\#(hint)"#)
        }
        self.init(name, object)
        guard let size = self.bytes?.count, size <= Self.sizeLimit else {
            throw Failure(
                .tryAgain,
                "the value does not fit into a message to the bus: it may have \(Self.sizeLimit) bytes without spaces")
        }
    }
}
