// SPDX-License-Identifier: Apache-2.0

import ReveilleWire
import Testing
import Varlink

extension BusCall {
    /// Decodes a call as a bus does.
    init(resolving call: Call, history: Int = 256) throws {
        guard case .method(let method) = try BusMethods().resolve(call) else {
            throw CallError.methodNotFound(call.method)
        }
        try self.init(call, of: method, history: history)
    }
}
