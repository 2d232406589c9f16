// SPDX-License-Identifier: Apache-2.0

import ReveilleWire
import Testing
import Varlink

enum BusMethodCalls {
    static let history = 256
    fileprivate static let description = ServiceDescription.bus()
}

extension BusMethod {
    private static var modeOfCalls: Call.Mode { isStream ? .more : .plain }

    /// Decodes a call as a bus does.
    static func resolving(_ call: Call) throws(CallError) -> Self {
        guard case .method(let position) = try BusMethodCalls.description.resolve(call) else {
            throw .methodNotFound(call.method)
        }
        return try decode(call, at: position, of: BusMethodCalls.description, history: BusMethodCalls.history)
    }

    @discardableResult
    static func called(with parameters: JSONObject = [:]) throws(CallError) -> Self {
        try resolving(Call(method: name, parameters: parameters, mode: modeOfCalls))
    }

    /// Decodes a call with parameters as they are written.
    @discardableResult
    static func called(with parameters: String) throws -> Self {
        let more = modeOfCalls == .more ? #","more":true"# : ""
        return try resolving(Call(parsing: Array(#"{"method":"\#(name)","parameters":\#(parameters)\#(more)}"#.utf8)))
    }
}
