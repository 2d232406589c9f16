// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
package import ReveilleWatchers
import Varlink

extension Configuration {
    /// The folders whose names are watched.
    package struct Folders: Sendable {
        /// The folders, in the order of their names.
        package var list: [ConfiguredFolder] = []

        mutating func read(_ section: ConfigurationSection) throws(ConfigurationError) {
            var list: [ConfiguredFolder] = []
            for name in section.names {
                guard let path = try section.path(name) else { continue }
                guard Self.isName(name) else {
                    let limit = ConfiguredFolder.nameLimit
                    throw section.refusing(name, because: "not a name of 1 to \(limit) letters, digits, '-' and '_'")
                }
                guard list.count < ConfiguredFolder.limit else {
                    throw section.refusing(name, because: "more than \(ConfiguredFolder.limit) folders")
                }
                list.append(ConfiguredFolder(name: name, path: path))
            }
            self.list = list
        }

        private static func isName(_ name: String) -> Bool {
            let special: [Unicode.Scalar] = ["-", "_"]
            return (1...ConfiguredFolder.nameLimit).contains(name.utf8.count)
                && name.unicodeScalars.allSatisfy { scalar in
                    scalar.isASCII && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar)
                        || special.contains(scalar)
                }
        }

        var json: JSON {
            .object(JSONObject(members: list.map { JSONObject.Member(name: $0.name, value: .string($0.path)) }))
        }
    }
}
