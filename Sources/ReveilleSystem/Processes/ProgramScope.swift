// SPDX-License-Identifier: Apache-2.0

/// The scope of a program that `reveille run` has started, with all its processes.
package struct ProgramScope: Hashable, Sendable {
    private let unit: UnitName

    /// Finds the scope of a process; `nil` if it has ended, or runs in no such scope.
    package init?(of process: Int32) {
        guard let path = CgroupHierarchy.path(ofProcess: "\(process)"),
            let unit = UnitName.innermost(inCgroup: path)?.name, unit.text.hasPrefix(UnitName.prefix),
            unit.text.hasSuffix(".scope")
        else { return nil }
        self.unit = unit
    }

    /// Whether the program was started under a name, or without one as a program of that name.
    package func isNamed(_ name: String) -> Bool {
        // The number at the end tells scopes of the same name apart.
        unit.text[..<(unit.text.lastIndex(of: "-") ?? unit.text.startIndex)] == UnitName.prefix + UnitName.escaped(name)
    }
}
