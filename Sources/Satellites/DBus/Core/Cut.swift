// SPDX-License-Identifier: Apache-2.0

import Varlink

/// The limit on the size of a published value: its longest members are `null`, and another member lists them.
enum Cut {
    /// The member with the names of what was cut.
    static let member = "cut"
    /// The most bytes of a value: what a bus accepts unless it is configured otherwise.
    static let limit = 4_096

    /// Returns an object within the limit; some of its members may have been cut before.
    static func fit(_ object: JSONObject, cutBefore: [String]) -> JSONObject {
        var (object, cut) = (object, cutBefore)
        while true {
            var result = object
            if !cut.isEmpty { result[member] = .array(cut.map { .string($0) }) }
            guard JSON.object(result).bytes.count > limit else { return result }
            let longest = object.members.filter { !$0.value.isNull }.max { $0.value.bytes.count < $1.value.bytes.count }
            guard let longest else { return [member: true] }
            object[longest.name] = .null
            cut.append(longest.name)
        }
    }
}
