// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleHost
import Varlink

extension DBusValue {
    /// The value as JSON: bytes in Base64, descriptors and numbers that are not finite as `null`.
    var json: JSON {
        switch self {
        case .string(let text), .path(let text): .string(text)
        case .boolean(let isTrue): .bool(isTrue)
        case .byte(let number): .integer(Int64(number))
        case .signed(let number): .integer(Int64(number))
        case .longSigned(let number): .integer(number)
        case .number(let number): .integer(Int64(number))
        case .longNumber(let number): Int64(exactly: number).map { .integer($0) } ?? .number(Double(number))
        case .real(let number): number.isFinite ? .number(number) : .null
        case .descriptor: .null
        case .array(of: "y", let bytes): .string(Base64.encoded(bytes.compactMap(\.byte)))
        case .array(let element, let values) where element.hasPrefix("{"):
            .object(JSONObject(members: values.compactMap(\.member)))
        case .array(_, let values), .structure(let values): .array(values.map(\.json))
        case .entry(_, let value), .variant(let value): value.json
        }
    }

    private var byte: UInt8? { if case .byte(let number) = self { number } else { nil } }

    private var member: JSONObject.Member? {
        guard case .entry(let key, let value) = self else { return nil }
        let name = key.json
        return JSONObject.Member(name: name.stringValue ?? name.description, value: value.json)
    }
}
