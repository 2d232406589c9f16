// SPDX-License-Identifier: Apache-2.0

import ReveilleViewCore
import Testing

@Suite struct PageRequestTests {
    private typealias Field = PageRequest.Field

    private static func read(_ target: String) -> PageRequest {
        PageRequest(method: "GET", target: Array(target.utf8), headers: [], headerSize: 0)
    }

    @Test(
        "the path ends at the first question mark, and each escape is one byte",
        arguments: [
            ("/", "/"), ("", ""), ("?", ""), ("/battery?span=day", "/battery"), ("/a?b?c", "/a"),
            ("/%62attery", "/battery"), ("/battery%00x", "/battery\0x"), ("/battery%3Fspan=day", "/battery?span=day"),
            ("/%2500", "/%00"), ("/%", "/%"), ("/%0", "/%0"), ("/%zz", "/%zz"), ("/%+1", "/%+1"), ("/%c3%a9", "/é"),
            ("/%ff", "/\u{FFFD}"), ("/%%41", "/%A"),
        ])
    func paths(target: String, path: String) {
        #expect(Self.read(target).path == path)
    }

    @Test(
        "an argument has a name and a value, which may be empty",
        arguments: [
            ("/?", []), ("/?&&", []), ("/?a", [Field("a", "")]), ("/?a=", [Field("a", "")]),
            ("/?=b", [Field("", "b")]), ("/?a=b=c&a=%26", [Field("a", "b=c"), Field("a", "&")]),
            ("/?%61%00=%00+", [Field("a\0", "\0+")]),
        ])
    func arguments(target: String, arguments: [PageRequest.Field]) {
        #expect(Self.read(target).arguments == arguments)
    }

    @Test("all arguments that a request has room for are read") func manyArguments() {
        #expect(Self.read("/?" + String(repeating: "a&", count: Gate.headerLimit / 2)).arguments.count == 4_096)
    }
}
