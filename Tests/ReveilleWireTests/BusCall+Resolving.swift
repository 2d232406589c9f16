// SPDX-License-Identifier: Apache-2.0

import ReveilleWire
import Testing
import Varlink

extension BusCall {
    /// Decodes a call as a bus does.
    init(resolving call: Call, history: Int = 256) throws {
        guard case .call(let decoded) = try BusMethods().resolve(call, history: history) else {
            throw CallError.methodNotFound(call.method)
        }
        self = decoded
    }
}
