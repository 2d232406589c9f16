// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A path or a name, which is equal only to the same bytes.
///
/// Strings are equal if they differ only in their Unicode normalization. For the kernel, such paths are two paths.
package struct ExactPath: Hashable, Sendable {
    /// The path.
    package let text: String

    /// Creates a path.
    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: ExactPath, other: ExactPath) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
