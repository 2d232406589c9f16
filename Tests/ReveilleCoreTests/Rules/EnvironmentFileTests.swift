// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

@Suite struct EnvironmentFileTests {
    @Test(arguments: [
        ("LANG=de_DE.UTF-8\n", "de_DE.UTF-8"), ("LANG=de_DE.UTF-8", "de_DE.UTF-8"), ("LANG=de\r\n", "de"),
        ("  LANG  =  de  \n", "de"), ("\tLANG=de", "de"), ("export LANG=de\n", "de"), ("export\tLANG=\"de\"", "de"),
        ("LANG='de'\n", "de"), ("LANG=\"de\"\n", "de"), ("LANG=\n", ""), ("LANG=", ""), ("LANG=\"\"", ""),
        ("LANG='d\\e'", "d\\e"), ("LANG=d\\e", "de"), ("LANG=\"d\\e\"", "d\\e"), ("LANG=\"d\\\"e\"", "d\"e"),
        ("LANG=\"\\$\\`\\\\\"", "$`\\"), ("LANG=d\\\ne\n", "de"), ("LANG=\"d\\\ne\"\n", "de"), ("LANG='d\ne'", "d\ne"),
        ("LANG=de\\ \n", "de "), ("LANG=de \\ \n", "de  "), ("LANG=\"de \" \n", "de "), ("LANG='a' 'b'", "ab"),
        ("LANG='a'b", "ab"), ("LANG=a'b'", "a'b'"), ("LANG=de # no comment", "de # no comment"),
        ("# LANG=fr\nLANG=de", "de"), ("; LANG=fr\n\n  # x\nLANG=de", "de"), ("LANG=fr\nLANG=de", "de"),
        ("nonsense\nLANG=de", "de"), ("=x\nLANG=de", "de"), ("LANG=a=b", "a=b"), ("LANG='de", "de"),
        ("LANG=de\\", "de"), ("LANG=d\0e", "d\0e"), ("LANG=\u{301}x", "\u{301}x"),
        ("export \u{301}=x\nLANG=\u{1F3FB}", "\u{1F3FB}"), ("#\u{200D}\nLANG=\\\u{301}'a'", "\u{301}'a'"),
    ])
    func linesAreParsedAsBySystemd(text: String, value: String) {
        #expect(EnvironmentFile.variables(in: text)["LANG"] == value)
    }

    @Test func everyVariableIsParsed() {
        let text = "LANG=de\nLC_TIME='en_GB'\n#LC_ALL=x\nLANGUAGE=\"de:en\"\n"
        #expect(EnvironmentFile.variables(in: text) == ["LANG": "de", "LC_TIME": "en_GB", "LANGUAGE": "de:en"])
    }

    @Test(arguments: ["", "\n", "#", "#\\\n", "LANG", "LANG\n=x", "\\", "'", "\u{FEFF}", "\0"])
    func textWithoutAssignmentsSetsNoLanguage(text: String) {
        #expect(EnvironmentFile.variables(in: text)["LANG"] == nil)
    }
}

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
    func bothFormsOfLinesAreParsed(text: String, value: String) {
        #expect(PamEnvironment.variables(in: text)["LANG"] == value)
    }

    @Test func variableThatDoublesItselfIsLimited() {
        let text = "A=x\n" + String(repeating: "A=${A}${A}\n", count: 13) + "LANG=de\n"
        #expect(PamEnvironment.variables(in: text) == ["A": String(repeating: "x", count: 8_192), "LANG": "de"])
        let longer = "A=x\n" + String(repeating: "A=${A}${A}\n", count: 100) + "LANG=de\n"
        #expect(PamEnvironment.variables(in: longer) == ["A": "", "LANG": "de"])
    }

    @Test func valuesBeyondTheLimitAreEmpty() {
        let long = "A=" + String(repeating: "x", count: 8_000) + "\n"
        let variables = PamEnvironment.variables(in: long + (0..<6_000).map { "B\($0)=${A}\n" }.joined())
        #expect(variables.count == 6_001)
        #expect(variables["B0"]?.utf8.count == 8_000)
        #expect(variables.values.reduce(0) { $0 + $1.utf8.count } <= 1 << 20)
    }

    @Test(arguments: ["", "# LANG=de", "LANG", "LANG de", "=de", "\"", "LANG FOO=de", "LANG DEFAULT", "\\"])
    func otherLinesAreIgnored(text: String) {
        #expect(PamEnvironment.variables(in: text)["LANG"] == nil)
    }
}
