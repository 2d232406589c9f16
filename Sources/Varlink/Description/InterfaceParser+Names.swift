// SPDX-License-Identifier: Apache-2.0

extension InterfaceParser {
    /// Reads `[A-Za-z]([-]*[A-Za-z0-9])*(\.[A-Za-z0-9]([-]*[A-Za-z0-9])*)+`.
    mutating func interfaceName() throws(InterfaceError) -> String {
        let position = scanner.position
        let name = scanner.word { InterfaceParser.isLetterOrDigit($0) || $0 == "-" || $0 == "." }
        let parts = name.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        let isName =
            parts.count > 1 && InterfaceParser.isLetter(name.unicodeScalars.first)
            && parts.allSatisfy { part in
                InterfaceParser.isLetterOrDigit(part.first) && InterfaceParser.isLetterOrDigit(part.last)
            }
        guard isName else { throw scanner.error("expected an interface name", at: position) }
        return name
    }

    /// Reads `[A-Z][A-Za-z0-9]*`.
    mutating func typeName() throws(InterfaceError) -> String {
        let position = scanner.position
        let name = scanner.word(InterfaceParser.isLetterOrDigit)
        guard InterfaceParser.isTypeName(name) else {
            throw scanner.error("expected a name that begins with a capital letter", at: position)
        }
        return name
    }

    /// Reads `[A-Za-z](_?[A-Za-z0-9])*`.
    mutating func fieldName() throws(InterfaceError) -> String {
        let position = scanner.position
        let name = scanner.word { InterfaceParser.isLetterOrDigit($0) || $0 == "_" }
        let parts = name.unicodeScalars.split(separator: "_", omittingEmptySubsequences: false)
        guard InterfaceParser.isLetter(name.unicodeScalars.first), parts.allSatisfy({ !$0.isEmpty }) else {
            throw scanner.error("expected a field name", at: position)
        }
        return name
    }

    static func isTypeName(_ word: String) -> Bool {
        word.unicodeScalars.first.map { "A"..."Z" ~= $0 } ?? false
    }

    static func isLetterOrDigit(_ scalar: Unicode.Scalar?) -> Bool {
        isLetter(scalar) || scalar.map { "0"..."9" ~= $0 } ?? false
    }

    private static func isLetter(_ scalar: Unicode.Scalar?) -> Bool {
        scalar.map { "a"..."z" ~= $0 || "A"..."Z" ~= $0 } ?? false
    }
}
