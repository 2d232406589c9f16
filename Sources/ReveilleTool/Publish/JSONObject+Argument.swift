// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleWire
import Varlink

extension JSONObject {
    /// Parses a value that is published from the command line, or from stdin for the argument `-`.
    ///
    /// - Throws: `Failure` if it is not a JSON object.
    init(argument: String, for name: Aspect) throws(Failure) {
        try self.init(
            argument: argument, for: name.name, maximumDepth: PublishedValue.depthLimit,
            withdrawal: "reveille withdraw \(name)")
    }
}
