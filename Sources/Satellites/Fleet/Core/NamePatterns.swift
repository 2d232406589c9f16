// SPDX-License-Identifier: Apache-2.0

/// A list of names and patterns; the pattern `org.example.*` stands for every name that begins with `org.example.`.
package struct NamePatterns: Sendable, Hashable {
    /// The names and patterns in their order.
    package let texts: [String]
    private let names: Set<String>
    private let prefixes: [String]

    /// Creates a list.
    package init(_ texts: [String]) {
        self.texts = texts
        names = Set(texts)
        prefixes = texts.filter { $0.hasSuffix(".*") }.map { String($0.dropLast()) }
    }

    /// Returns whether the list has a name, or a pattern for it.
    package func contains(_ name: String) -> Bool {
        names.contains(name) || prefixes.contains { name.utf8.count > $0.utf8.count && name.hasPrefix($0) }
    }
}
