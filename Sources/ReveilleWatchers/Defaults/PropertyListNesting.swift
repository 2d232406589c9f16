// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore

/// Looks at a property list before Foundation parses it.
///
/// Foundation's parser of XML property lists goes one frame of stack deeper with each level, without a
/// limit, and a file of some 100 KB ends the process.
enum PropertyListNesting {
    /// Says whether the bytes begin as a property list in XML does.
    static func isXML(_ bytes: [UInt8]) -> Bool {
        let start = bytes.prefix(512).drop { $0 <= 0x20 }
        guard start.starts(with: "<?xml".utf8) else { return start.starts(with: "<plist".utf8) }
        return start.split(separator: UInt8(ascii: "<")).contains {
            $0.starts(with: "plist".utf8) || $0.starts(with: "!DOCTYPE plist".utf8)
        }
    }

    /// Says whether containers nest no deeper than a limit in an XML property list.
    ///
    /// Counts tags without checking what else is there: what a parser would refuse may pass, what it would
    /// recur into may not.
    static func isShallow(_ bytes: [UInt8], limit: Int = SettingsValue.depthLimit) -> Bool {
        var rest = bytes[...]
        var depth = 0
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[start...]
            if rest.starts(with: "<!--".utf8) {
                rest = after("-->", in: rest.dropFirst(4))
            } else if rest.starts(with: "<![CDATA[".utf8) {
                rest = after("]]>", in: rest)
            } else if rest.starts(with: "<?".utf8) {
                rest = after("?>", in: rest)
            } else if rest.starts(with: "<!".utf8), depth > 0 {
                // A document type belongs before the list; further down it could hide tags.
                return false
            } else {
                let isContainer = rest.starts(with: "<array".utf8) || rest.starts(with: "<dict".utf8)
                let isEnd = rest.starts(with: "</array".utf8) || rest.starts(with: "</dict".utf8)
                let tag = rest.dropFirst().prefix { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "<") }
                if isContainer, tag.last != UInt8(ascii: "/") { depth += 1 }
                if isEnd { depth = max(0, depth - 1) }
                guard depth <= limit else { return false }
                rest = rest.dropFirst()
            }
        }
        return true
    }

    private static func after(_ end: String, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = bytes
        let end = Array(end.utf8)
        while let start = rest.firstIndex(of: end[0]) {
            rest = rest[start...]
            if rest.starts(with: end) { return rest.dropFirst(end.count) }
            rest = rest.dropFirst()
        }
        return []
    }
}
