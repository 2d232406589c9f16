// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import Varlink

extension StreamPosition {
    /// Notes the events of a reply.
    ///
    /// A name that was withdrawn is forgotten, so names that come and go do not lengthen the position.
    package mutating func note(_ events: [JSON]) {
        for event in events {
            guard let event = event.objectValue, let name = event["aspect"]?.stringValue, Self.isName(name),
                let generation = event["generation"]?.integerValue, generation >= 0
            else { continue }
            let isWithdrawn = name.utf8.contains(UInt8(ascii: ".")) && (event["value"] ?? .null).isNull
            generations[name] = isWithdrawn ? nil : generation
        }
    }

    /// Forgets the names of programs that are missing among the states of all names, and returns them in order.
    ///
    /// They were withdrawn while the page was away. The bus has forgotten them too, and does not report them.
    package mutating func removeNames(missingIn events: [JSON]) -> [String] {
        let present = Set(events.compactMap { $0.objectValue?["aspect"]?.stringValue })
        let missing = generations.keys.filter { $0.utf8.contains(UInt8(ascii: ".")) && !present.contains($0) }.sorted()
        for name in missing { generations[name] = nil }
        return missing
    }

    /// The position as parameters of a `Subscribe` call.
    package var resume: JSON {
        .array(
            generations.sorted { $0.key < $1.key }.map {
                ["aspect": .string($0.key), "generation": .integer($0.value)]
            })
    }
}
