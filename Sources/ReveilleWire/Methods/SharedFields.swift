// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Varlink

// The fields that several methods have.

extension Fields {
    /// Returns whether the caller knows the field; names of other fields, of a later version, are ignored.
    mutating func wantsSupply() throws(CallError) -> Bool {
        try optionalStrings("fields")?.contains(supplyField) ?? false
    }
}

extension JSONObject {
    /// Adds the names of the optional fields that a client wants.
    mutating func ask(forSupply wantsSupply: Bool) {
        // Only if it can matter: an older bus refuses parameters that it does not know.
        if wantsSupply { self["fields"] = [.string(supplyField)] }
    }
}

extension JSON {
    init(_ aspects: AspectSet) { self.init(strings: aspects.aspects.map(\.name)) }

    init(strings: [String]) { self = .array(strings.map { .string($0) }) }
}

/// The field of a state that callers must ask for.
private let supplyField = "battery.supply"
