// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

@Suite struct KeyfileTests {
    @Test(arguments: [
        ("[a]\nx=1\n", ["a/x": "1"]), ("[a]\nx=1", ["a/x": "1"]), ("\u{FEFF}[a]\r\nx=1\r\n", ["a/x": "1"]),
        ("x=1\n", ["x": "1"]), ("# c\n; d\n\n [a] \n  x = 1 2 \t\n", ["a/x": "1 2"]), ("[a]\nx=\n", ["a/x": ""]),
        ("[a]\nx=1\nx=2\n[a]\ny=3", ["a/x": "2", "a/y": "3"]), ("[a]\nx=a=b", ["a/x": "a=b"]),
        ("[a][b]\nx=1", ["a/b/x": "1"]), ("[a][$i]\nx[$i]=1\nfont[$d]\n", ["a/x": "1"]),
        ("[$i]\nx=1", ["x": "1"]), ("[$Version]\nupdate=1", ["$Version/update": "1"]),
        ("[a]\nx=1\nx[$d]\n", [:]), ("[a]\nx[$ie]=1\nName[de]=y", ["a/x": "1", "a/Name[de]": "y"]),
        ("[org/gnome]\nx='a'", ["org/gnome/x": "'a'"]), ("[remote \"o\"]\n\turl = x", ["remote \"o\"/url": "x"]),
        ("", [:]), ("# only\n", [:]), ("[a]", [:]),
    ])
    func groupsAndKeysAreRead(text: String, entries: [String: String]) throws {
        #expect(try Keyfile(text).entries == entries)
    }

    @Test(arguments: [
        ("[a]\nx", 2), ("[a\nx=1", 1), ("x=1\n[]\n", 2), ("[a]\n\n=1", 3), ("{\"a\":1}", 1), ("[a]\nx=\0", 2),
        ("[a\0]", 1), ("GVariant", 1),
    ])
    func aLineThatIsNothingIsAFailure(text: String, line: Int) {
        let failure = #expect(throws: Keyfile.Failure.self) { try Keyfile(text) }
        #expect(failure?.line == line)
    }

    @Test(arguments: [
        ("[a]", true), ("# x\n\n[a]\nnonsense", true), ("x=1\n[a]", false), ("", false), ("[a", false),
        ("\u{FEFF}[a]", true),
    ])
    func aKeyfileIsKnownByItsFirstGroup(text: String, opens: Bool) {
        #expect(Keyfile.opens(text) == opens)
    }

    @Test func plasmaSetsFormatsAndLanguages() throws {
        let text = """
            [Formats]
            LANG=ko_KR.UTF-8
            LC_TIME[$i]=de_DE
            LC_NUMERIC=
            LC_PAPER=en_US
            [Translations]
            LANGUAGE=ko:en
            LANG=xx
            """
        let expected = ["LANG": "ko_KR.UTF-8", "LC_TIME": "de_DE", "LANGUAGE": "ko:en"]
        #expect(PlasmaLocale.variables(in: try Keyfile(text)) == expected)
    }
}
