// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore

/// The well-known name of a service, or all names with a prefix.
package struct ServiceName: Sendable, Hashable {
    package let text: String
    var isPattern: Bool { text.hasSuffix(".*") }

    /// Creates a name, or a pattern that ends in `.*`; `nil` if no service can have it.
    init?(_ text: String) {
        let name = text.hasSuffix(".*") ? String(text.dropLast(2)) : text
        let words = name.split(separator: ".", omittingEmptySubsequences: false)
        let isName = words.allSatisfy { word in
            word.utf8.first.map { !$0.isDigit } == true && word.utf8.allSatisfy(NameRule.isAllowed)
        }
        guard isName, words.count > 1, name.utf8.count <= NameRule.lengthLimit else { return nil }
        self.text = text
    }

    package func matches(_ name: String) -> Bool {
        isPattern ? name.hasPrefix(text.dropLast()) && name.utf8.count >= text.utf8.count : name == text
    }

    /// The part of a name that the pattern leaves open.
    func part(of name: String) -> String { isPattern ? String(name.dropFirst(text.count - 1)) : name }

    /// The condition of a match rule for messages about the names.
    var condition: String { isPattern ? "arg0namespace='\(text.dropLast(2))'" : "arg0='\(text)'" }
}

/// The path of an object on a message bus.
enum ObjectPath {
    static func isValid(_ text: String) -> Bool {
        if text == "/" { return true }
        guard text.hasPrefix("/") else { return false }
        return text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy { word in
            !word.isEmpty && word.utf8.allSatisfy { NameRule.isAllowed($0) && $0 != UInt8(ascii: "-") }
        }
    }

    /// Returns the part of a path below another, which is empty for the same path; `nil` if it is elsewhere.
    static func part(of path: String, below parent: String) -> String? {
        if path == parent { return "" }
        let prefix = parent == "/" ? parent : parent + "/"
        return path.hasPrefix(prefix) && isValid(path) ? String(path.dropFirst(prefix.count)) : nil
    }
}

/// The name under which objects are published: `org.mpris.player.{service}`.
///
/// Two objects of a rule never have the same name. The names of services have only characters that a published name
/// may have. A path has no `-`, which stands for its `/`.
package struct NameTemplate: Sendable, Hashable {
    package let text: String
    var hasService: Bool { text.contains("{service}") }
    var hasPath: Bool { text.contains("{path}") }
    /// The name, or the pattern of all names, whose demand decides whether the objects are followed.
    package let demand: Aspect

    /// Creates a template; `nil` if no published name can result.
    init?(_ text: String) {
        self.text = text
        let start = text.firstIndex(of: "{").map { text[..<$0] }
        let pattern = start.map { ($0.lastIndex(of: ".").map { text[...$0] } ?? "") + "*" } ?? text
        guard let demand = Aspect(pattern), demand.builtIn == nil else { return nil }
        self.demand = demand
        guard name(service: "s", path: "p") != nil else { return nil }
    }

    /// Returns the name of an object, from the parts of the service and the path that it may have; `nil` if it is too long.
    func name(service: String, path: String) -> String? {
        let part = path.isEmpty ? "-" : path.replacing("/", with: "-")
        let name = text.replacing("{path}", with: part).replacing("{service}", with: service)
        return Aspect(name)?.isPublished == true ? name : nil
    }
}
