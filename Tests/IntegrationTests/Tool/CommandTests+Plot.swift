// SPDX-License-Identifier: Apache-2.0

import Testing

extension CommandTests {
    @Test func plotIsAListWithoutATerminal() throws {
        for level in [50, 49] { #expect(try bus.run(["post", "battery", #"{"level":0.\#(level)}"#]).code == 0) }
        let run = try bus.run(["plot", "battery"])
        #expect(run.code == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.map { $0.dropFirst("2026-11-22 20:00:00  ".count) }.suffix(2) == ["50%", "49%"])
        #expect(try bus.run(["publish", "org.example.n", #"{"n":0.123456}"#]).code == 0)
        #expect(try bus.run(["plot", "org.example.n"]).output.hasSuffix("  0.123456\n"))
        let json = try bus.run(["plot", "battery", "--json"]).output.split(separator: "\n")
        #expect(json.count == lines.count && json.last?.hasSuffix(#""value":49.0}"#) == true, "\(json)")
        #expect(
            try bus.run(["publish", "org.example.player", #"{"volume":7,"track":{"length":180},"title":"x"}"#]).code
                == 0)
        let several = try bus.run(["plot", "org.example.player"])
        #expect(several.code == 64)
        #expect(
            several.errors
                == "reveille: org.example.player has several numbers; name one of them: track.length or volume\n")
        let length = try bus.run(["plot", "org.example.player", "track.length", "--json"])
        #expect(length.output.hasSuffix(#""value":180.0}"# + "\n"), "\(length.output)")
        #expect(try bus.run(["plot", "org.example.player", "title"]).code == 64)
        let none = try bus.run(["plot", "light"])
        #expect(none.errors.hasSuffix("reveille: the bus has no values of light to draw\n") && none.code == 0)
        #expect(none.errors.hasPrefix("reveille: light was never watched; 'watch' in the configuration"))
    }
}
