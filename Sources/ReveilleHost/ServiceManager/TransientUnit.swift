// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem

/// A unit that exists only while it runs, or fails to.
package struct TransientUnit: Hashable {
    let name: String
    /// The properties, an `a(sv)` of D-Bus.
    let properties: DBusValue

    /// The array of further units that are started together with one: none.
    static let noOthers = DBusValue.array(of: "(sa(sv))", [])

    private init(_ name: UnitName, _ properties: [(String, DBusValue)]) {
        self.name = name.text
        // Otherwise a unit that failed would remain, and its name would be in use.
        let all = properties + [("CollectMode", .string("inactive-or-failed"))]
        self.properties = .array(of: "(sv)", all.map { .structure([.string($0), .variant($1)]) })
    }

    /// A scope for a running process and its future children.
    package static func scope(_ name: UnitName, of process: Int32, description: String) -> TransientUnit {
        TransientUnit(
            name,
            [
                ("Description", .string(description)),
                ("PIDs", .array(of: "u", [.number(UInt32(bitPattern: process))])),
            ])
    }

    /// A service that runs a program once, and counts as started when the program has been executed.
    package static func service(
        _ name: UnitName, path: String, arguments: [String], environment: [String: String]
    ) -> TransientUnit {
        // The manager would replace variables in the arguments.
        let words = arguments.map { $0.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$") }
        let command = DBusValue.structure([.string(path), .strings(words), .boolean(false)])
        let variables = environment.sorted { $0.key < $1.key }.map { $0 + "=" + $1 }
        return TransientUnit(
            name,
            [
                ("Description", .string(arguments.joined(separator: " "))),
                ("Type", .string("exec")),
                ("ExecStart", .array(of: "(sasb)", [command])),
                ("Environment", .strings(variables)),
            ])
    }
}
