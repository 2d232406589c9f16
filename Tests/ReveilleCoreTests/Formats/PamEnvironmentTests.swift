// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct PamEnvironmentTests {
    @Test(arguments: [
        ("LANG DEFAULT=de", "de"), ("LANG\tDEFAULT=de OVERRIDE=", "de"), ("LANG DEFAULT=de OVERRIDE=fr", "fr"),
        ("LANG OVERRIDE=fr", "fr"), ("LANG=de", "de"), ("LANG DEFAULT=\"a b\"", "a b"), ("LANG=de # x", "de"),
        ("LANG DEFAULT=a \\\n OVERRIDE=b", "b"), ("LANG DEFAULT=\\${X}", "${X}"),
        ("X=de\nLANG DEFAULT=${X}_AT", "de_AT"),
        ("LANG DEFAULT=@{HOME}x${NONE}", "x"), ("LANG=fr\nLANG=de", "de"), ("  LANG=de  \r\n", "de"),
        ("LANG=de\\", "de"), ("#\u{301}\nLANG=\u{301}", "\u{301}"), ("LANG DEFAULT=\u{200D}", "\u{200D}"),
        ("X=a\nLANG=\u{1F3FB}${X}\u{301}@{Y}\u{301}", "\u{1F3FB}a\u{301}\u{301}"),
        ("X=\u{301}\\\r\nLANG=x\r\nLANG=de", "de"),
    ])
    func bothFormsOfLinesAreRead(text: String, value: String) {
        #expect(PamEnvironment.variables(in: Array(text.utf8))["LANG"] == value)
    }

    @Test func aVariableThatDoublesItselfBecomesEmpty() {
        let text = "A=x\n" + String(repeating: "A=${A}${A}\n", count: 13) + "LANG=de\n"
        #expect(
            PamEnvironment.variables(in: Array(text.utf8)) == ["A": String(repeating: "x", count: 8_192), "LANG": "de"])
        let longer = "A=x\n" + String(repeating: "A=${A}${A}\n", count: 100) + "LANG=de\n"
        #expect(PamEnvironment.variables(in: Array(longer.utf8)) == ["A": "", "LANG": "de"])
    }

    @Test func valuesBeyondTheTotalAreEmpty() {
        let long = "A=" + String(repeating: "x", count: 8_000) + "\n"
        let text = long + (0..<6_000).map { "B\($0)=${A}\n" }.joined()
        let variables = PamEnvironment.variables(in: Array(text.utf8))
        #expect(variables.count == 6_001)
        #expect(variables["B0"]?.utf8.count == 8_000)
        #expect(variables.values.reduce(0) { $0 + $1.utf8.count } <= 1 << 20)
    }

    @Test(arguments: ["", "# LANG=de", "LANG", "LANG de", "=de", "\"", "LANG FOO=de", "LANG DEFAULT", "\\"])
    func otherLinesAreIgnored(text: String) {
        #expect(PamEnvironment.variables(in: Array(text.utf8))["LANG"] == nil)
    }
}
