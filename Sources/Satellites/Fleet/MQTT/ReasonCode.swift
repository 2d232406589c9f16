// SPDX-License-Identifier: Apache-2.0

import CMosquitto

/// The reason codes of MQTT 5 (section 2.4); codes from 0x80 are errors.
package enum ReasonCode {
    package static let takenOver: UInt8 = 0x8E
    /// The topic rules of the broker do not permit the request.
    package static let notAuthorized: UInt8 = 0x87
    static let invalidTopic: UInt8 = 0x90
    static let tooLarge: UInt8 = 0x95

    package static func isError(_ code: UInt8) -> Bool { code >= 0x80 }

    package static func text(_ code: UInt8) -> String {
        mosquitto_reason_string(Int32(code)).map { String(cString: $0).lowercased() } ?? ""
    }
}
