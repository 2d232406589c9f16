// SPDX-License-Identifier: Apache-2.0

/// A text that is equal only to the same bytes: for the kernel, paths of other Unicode normalization are other paths.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func list(_ command: [String]) -> [ExactText] { command.map { ExactText($0) } }

    package static func == (one: ExactText, other: ExactText) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
