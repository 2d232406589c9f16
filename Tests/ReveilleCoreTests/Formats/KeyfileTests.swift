// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct KeyfileTests {
    private func read(_ text: String) throws(FormatError) -> [String: String] {
        try Keyfile(Array(text.utf8)).entries
    }

    private func error(_ text: String) -> FormatError? {
        #expect(throws: FormatError.self) { try read(text) }
    }

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
        #expect(try read(text) == entries)
    }

    @Test(arguments: [
        // Python's configparser.
        ("[a]\nhost: x\nport:80\nurl: y=1\n", ["a/host": "x", "a/port:80": "", "a/url": "y=1"]),
        ("[a]\nx = 1\n    2\n  3\ny = 4\n", ["a/x": "1\n2\n3", "a/y": "4"]),
        ("[a]\nx =\n  http://h/1\n  http://h/2\n", ["a/x": "\nhttp://h/1\nhttp://h/2"]),
        ("[a]\n/src/h:45/p = q\n", ["a//src/h:45/p": "q"]),
        // Keys alone, as in git and MySQL.
        ("[mysqld]\nskip-networking\nport = 1\n", ["mysqld/skip-networking": "", "mysqld/port": "1"]),
        ("[core]\n\tbare\n\tx = 1\n", ["core/bare": "", "core/x": "1"]),
        // Comments and groups without a name.
        ("[a] # one\nx=1\n[b]\t; two\n// three\ny=2\n", ["a/x": "1", "b/y": "2"]), ("[]\nx=1\n", ["x": "1"]),
        ("[a]#b]\nx=1\n", ["a]#b/x": "1"]), ("[a]\nx=1 # 2\n", ["a/x": "1 # 2"]),
        // An indented key with a sign is a key.
        ("[a]\nx=1\n  y=2\n", ["a/x": "1", "a/y": "2"]),
    ])
    func dialectsAreRead(text: String, entries: [String: String]) throws {
        #expect(try read(text) == entries)
    }

    /// A skin tone, a joiner and an accent: each forms one character with the one before it.
    private static let clinging = ["\u{1F3FB}", "\u{200D}", "\u{301}"]

    @Test(arguments: clinging)
    func delimitersAreRecognizedBeforeCombiningMarks(mark: String) throws {
        let text =
            "#\(mark)\n;\(mark)\r\n[\(mark)a\(mark)]\(" ")\r\nx=\(mark)1\r\n\(mark)y=\(mark)\r\(mark)z = \(mark)\n"
        let entries = ["x": "\(mark)1", "\(mark)y": mark, "\(mark)z": mark]
        let expected = Dictionary(uniqueKeysWithValues: entries.map { ("\(mark)a\(mark)/\($0)", $1) })
        #expect(try read(text) == expected)
        #expect(Keyfile.opens(Array(text.utf8)))
        #expect(try read("[a][\(mark)b][$i]\nx[$d]\n\(mark)x[$i]=\(mark)") == ["a/\(mark)b/\(mark)x": mark])
    }

    @Test func aLongGroupIsNotRepeatedWithoutLimit() {
        let lines = (0..<10_000).map { "k\($0)=1\n" }.joined()
        let text = "[\(String(repeating: "a", count: 1 << 20))]\n" + lines
        let error = error(text)
        #expect(error?.reason == "more than 4194304 bytes of names")
        #expect(error?.line == 5)
    }

    @Test func moreEntriesThanTheLimitAreAnError() throws {
        let limit = SettingsValue.countLimit
        let lines = (0..<limit).map { "k\($0)=\n" }.joined()
        #expect(try read(lines).count == limit)
        #expect(error(lines + "k=")?.line == limit + 1)
    }

    @Test func aKeyOfMarksOnlyIsAnError() throws {
        let marks = String(repeating: "\u{301}\u{316}", count: CombiningMarks.limit / 2)
        #expect(try read("k\(marks)=1").count == 1)
        #expect(error("k\(marks)\u{301}=1")?.reason == "a key with more than 30 combining marks in a row")
    }

    @Test(arguments: [
        ("[a]\nx", 2), ("[a\nx=1", 1), ("x\n[a]\n", 1), ("x: 1\n", 1), ("[a]\n=x\n", 2), ("[a]\n: x\n", 2),
        ("[a]\n\n=1", 3), ("{\"a\":1}", 1), ("[a]\nx=\0", 2),
        ("[a\0]", 1), ("GVariant", 1),
    ])
    func aLineOfNoKnownFormIsAnError(text: String, line: Int) {
        #expect(error(text)?.line == line)
    }

    @Test(arguments: [
        ("[a]", true), ("# x\n\n[a]\nnonsense", true), ("x=1\n[a]", false), ("", false), ("[a", false),
        ("\u{FEFF}[a]", true),
    ])
    func aKeyfileIsRecognizedByItsFirstGroup(text: String, opens: Bool) {
        #expect(Keyfile.opens(Array(text.utf8)) == opens)
    }
}
