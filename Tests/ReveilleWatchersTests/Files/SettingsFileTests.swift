// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@testable import ReveilleWatchers

@Suite struct SettingsFileTests {
    static func plist(_ body: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\(body)</plist>\n"
    }

    private static func read(_ name: String, _ text: String, isFound: Bool = false) throws -> SettingsFile? {
        try SettingsFile.read("/home/u/.config/" + name, isFound: isFound, Array(text.utf8))
    }

    /// `{a: 1, s: "x", l: [true, 2.5], d: 2001-01-01T00:00:01Z, b: <00 01>}` as a binary property list.
    static let binary: [UInt8] = {
        var bytes = Array("bplist00".utf8)
        let objects: [[UInt8]] = [
            [0xD5, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12],  // the table: five keys, then their values
            [0x51, 0x61], [0x51, 0x73], [0x51, 0x6C], [0x51, 0x64], [0x51, 0x62],  // a s l d b
            [0x10, 0x01],  // 1
            [0x51, 0x78],  // x
            [0xA2, 9, 10], [0x09], [0x23, 0x40, 0x04, 0, 0, 0, 0, 0, 0],  // a list of true and 2.5
            [0x33, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0],  // a date
            [0x42, 0x00, 0x01],  // bytes
        ]
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = UInt8(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        bytes +=
            [0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, table]
        return bytes
    }()

    @Test(arguments: [
        ("a.json", #"{"a":1,"b":{"x":[1,2],"y":null}}"#, "{\n \"b\" : {\"y\":null,\"x\":[1.0,2e0]},\n\"a\":1}"),
        ("a.json", #"{"a":"é"}"#, #"{"a":"\u00e9"}"#),
        ("a.json", #"{"a":1}"#, "// settings\n{ \"a\": 1, /* x */ }"), ("a.json", #"{"a":1}"#, "{a:+1}"),
        ("a.ini", "[a]\nx=1\ny=2\n", "; c\n[a]\n  y = 2\r\n  x = 1"),
        (
            "a.plist", plist("<dict><key>a</key><integer>1</integer><key>b</key><true/></dict>"),
            plist("<!-- x --><dict>\n<key>b</key><true></true>\n<key>a</key><real>1</real></dict>")
        ),
        ("noext", "{\"a\":1}", " {\"a\" : 1} "), ("config", "{\"a\":1}", "// bar\n{\"a\":1}"),
        ("a.jsonc", "{\"a\":1}", "/* bar */ {\"a\":1}"), ("a.json5", "{a: NaN}", "{\"a\": NaN}"),
    ])
    func equivalentNotationsHaveEqualValues(name: String, one: String, other: String) throws {
        let file = try Self.read(name, one)
        #expect(file?.isOpaque == false)
        #expect(file?.values.isEmpty == false)
        #expect(try Self.read(name, other) == file)
    }

    @Test func binaryAndXMLPropertyListsHaveEqualValues() throws {
        let xml = Self.plist(
            """
            <dict><key>a</key><integer>1</integer><key>s</key><string>x</string><key>l</key><array><true/>\
            <real>2.5</real></array><key>d</key><date>2001-01-01T00:00:01Z</date><key>b</key><data>AAE=</data></dict>
            """)
        let file = try SettingsFile.read("/x.plist", isFound: false, Self.binary)
        #expect(file?.values.keys.sorted() == ["a", "b", "d", "l", "s"])
        #expect(try Self.read("x.plist", xml) == file)
    }

    @Test(arguments: [
        ("a.json", "{\"a\":"), ("a.json", "{\"a\":1E+}"), ("a.json", "{\"a\":1}/* "), ("a.json", "{,}{"),
        ("a.json", "{\"a\" / :1}"), ("a.json", "{\"a\":\"\\"), ("a.json", " "),
        ("a.json", "\0"), ("a.ini", "[a]\nx"), ("a.ini", "caf\u{E9}"),
        ("a.plist", "<?xml version=\"1.0\"?>\n<plist><dict><key>a</key>"), ("a.plist", "bplist00"), ("a.plist", "x"),
        ("a.plist", "{ a = b; }"), ("a.plist", " "), ("kdeglobals", "[General]\nColorSch"), ("xrc", "[a]\nx"),
        ("a.conf", "[a]\n=x"),
    ])
    func invalidFileIsAnError(name: String, text: String) {
        #expect(throws: FormatError.self) { try Self.read(name, text) }
    }

    @Test func truncatedPropertyListsAreErrors() {
        for count in 1..<Self.binary.count {
            #expect(throws: FormatError.self, "\(count) bytes") {
                try SettingsFile.read("/a.plist", isFound: false, Array(Self.binary.prefix(count)))
            }
        }
    }

    @Test(arguments: [
        ("user", "GVariant\0\0\0\0"), ("a.toml", "x = 1\n[a]\ny = [\n 1 ]\n"), ("a.conf", "font_size 11\n"),
        ("vimrc", "set nocompatible\n"), ("a.json", "[1,2]"), ("noext", "[1,2]"), ("a.yaml", ""), ("a.json", "3"),
    ])
    func otherFormatsAreOpaque(name: String, text: String) throws {
        let file = try #require(try Self.read(name, text))
        #expect(file.isOpaque)
        #expect(file == .opaque(Digest(of: Array(text.utf8))))
        #expect(file != .opaque(Digest(of: Array("\(text) ".utf8))))
    }

    @Test(arguments: [
        ("a.json", #"{"b":1,"a":{}}"#, ["a", "b"]), ("a.json", "{}", []), ("a.json", "", []), ("a.plist", "", []),
        ("kdeglobals", "[General][$i]\nColorScheme=x\nfont[$d]\n", ["General/ColorScheme"]), ("kdeglobals", "", []),
        ("mpv.conf", "volume=50\n# x\n", ["volume"]), ("xrc", "{\"a\":1}", ["a"]), ("x.desktop", "[D]\na=1", ["D/a"]),
        ("x", plist("<dict><key>k</key><string>v</string></dict>"), ["k"]),
    ])
    func keysAreThoseOfTheTopLevel(name: String, text: String, keys: [String]) throws {
        let file = try #require(try Self.read(name, text))
        #expect(!file.isOpaque)
        #expect(file.values.keys.sorted() == keys)
    }

    @Test func numbersBeyondADoubleAreTheirDigits() throws {
        let files = try ["1e999", "2e999", "Infinity", "-Infinity", "NaN"].map {
            try Self.read("a.json", "{\"a\":\($0)}")
        }
        #expect(Set(files).count == files.count)
    }

    @Test(arguments: ["\u{1F3FB}", "\u{200D}", "\u{301}"])
    func delimitersBeforeCombiningCharactersAreParsed(mark: String) throws {
        #expect(try Self.read("a.conf", "x=\(mark)\n")?.values.keys.sorted() == ["x"])
        #expect(try Self.read("a.json", "{\"\(mark)\":\"\(mark)\"}")?.values.keys.sorted() == [mark])
        #expect(try Self.read("a", "{\"a\":1,\"b\":\"\(mark)\"}")?.values.keys.sorted() == ["a", "b"])
        #expect(try Self.read("\(mark)a", "[\(mark)]\nx=1", isFound: true)?.values.keys.sorted() == ["\(mark)/x"])
        let list = Self.plist("<dict><key>\(mark)</key><string>\(mark)</string></dict>")
        #expect(try Self.read("a.plist", list)?.values.keys.sorted() == [mark])
        #expect(SettingsName("/c/dconf/\(mark)user").kind == .dconf)
    }

    @Test(arguments: [("noext", "x=1\n"), ("noext", ""), ("noext", "\u{7F}ELF"), ("dir", "{\"a\":1}")])
    func fileWithoutExtensionMustBeginLikeAKeyfile(name: String, text: String) throws {
        #expect(try Self.read(name, text, isFound: true) == nil)
        #expect(try Self.read(name, "[a]\nx=1\n", isFound: true) != nil)
    }

    @Test(arguments: [
        ("/home/u/.config/dconf/user", true), ("/etc/dconf/db/local", true), ("/etc/dconf/db/local.d", false),
        ("/home/u/.config/dconf/user.6ITEZ3", false), ("/db/dconf", false), ("/home/u/dconf", false),
        ("/db/local", false),
    ])
    func databasesOfDconfAreRecognizedByTheirDirectory(path: String, isDatabase: Bool) {
        #expect((SettingsName(path).kind == .dconf) == isDatabase)
    }

    @Test(arguments: [
        (".GlobalPreferences.plist", ".GlobalPreferences"), ("kdeglobals", "kdeglobals"), ("a.b.c.plist", "a.b.c"),
        (".bashrc", ".bashrc"), ("org.kde.desktop-appletsrc", "org.kde.desktop-appletsrc"), ("user", "user"),
        ("a.toml", "a"), ("a.", "a"), ("a.\u{301}b.json", "a.\u{301}b"), (".\u{301}rc", ".\u{301}rc"),
        ("a.\u{301}", "a"),
    ])
    func domainIsTheNameWithoutExtension(name: String, domain: String) {
        #expect(SettingsName(name).domain == domain)
    }
}
