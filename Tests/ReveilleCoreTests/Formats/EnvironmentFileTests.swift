// SPDX-License-Identifier: Apache-2.0

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
    func linesAreReadAsBySystemd(text: String, value: String) {
        #expect(EnvironmentFile.variables(in: Array(text.utf8))["LANG"] == value)
    }

    @Test func everyVariableIsRead() {
        let text = "LANG=de\nLC_TIME='en_GB'\n#LC_ALL=x\nLANGUAGE=\"de:en\"\n"
        #expect(
            EnvironmentFile.variables(in: Array(text.utf8)) == ["LANG": "de", "LC_TIME": "en_GB", "LANGUAGE": "de:en"])
    }

    @Test(arguments: ["", "\n", "#", "#\\\n", "LANG", "LANG\n=x", "\\", "'", "\u{FEFF}", "\0"])
    func textWithoutAssignmentsSetsNoLanguage(text: String) {
        #expect(EnvironmentFile.variables(in: Array(text.utf8))["LANG"] == nil)
    }
}
