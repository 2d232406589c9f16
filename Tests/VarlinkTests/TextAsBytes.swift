// SPDX-License-Identifier: Apache-2.0

import Varlink

/// Returns the UTF-8 bytes of a text, in which `\0` ends a message.
func utf8(_ text: String) -> [UInt8] {
    Array(text.utf8)
}

extension JSON {
    static func parse(text: String) throws(JSONError) -> JSON {
        try parse(utf8(text))
    }
}

extension Call {
    init(text: String) throws(VarlinkError) {
        try self.init(parsing: utf8(text))
    }
}

extension Reply {
    init(text: String) throws(VarlinkError) {
        try self.init(parsing: utf8(text))
    }
}

extension FrameDecoder {
    mutating func feed(text: String) {
        let bytes = utf8(text)
        feed(bytes.span)
    }
}

extension ServerSession {
    mutating func receive(_ bytes: [UInt8]) {
        receive(bytes.span)
    }

    mutating func receive(text: String) {
        receive(utf8(text))
    }
}

extension ClientSession {
    mutating func receive(_ bytes: [UInt8]) {
        receive(bytes.span)
    }

    mutating func receive(text: String) {
        receive(utf8(text))
    }
}
