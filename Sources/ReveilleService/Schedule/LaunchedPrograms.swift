// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem

/// The programs that a bus has launched as its children.
///
/// They outlast the bus, and the next bus does not start them a second time.
package struct LaunchedPrograms: Sendable {
    private var processes: [[ExactText]: (command: [String], process: ProcessIdentity)] = [:]

    package var isEmpty: Bool { processes.isEmpty }

    package var all: [(command: [String], process: ProcessIdentity)] {
        processes.values.sorted { $0.command.lexicographicallyPrecedes($1.command) }
    }

    package mutating func add(_ command: [String], _ process: ProcessIdentity) {
        processes[ExactText.list(command)] = (command, process)
    }

    /// Removes a program that has ended, and returns whether it was known.
    @discardableResult
    package mutating func remove(_ command: [String]) -> Bool {
        processes.removeValue(forKey: ExactText.list(command)) != nil
    }
}
