// SPDX-License-Identifier: Apache-2.0

/// Inputs of one shape and any length that are expensive for a careless reader.
package struct CostlyInput: CustomStringConvertible {
    /// The shape.
    package let description: String
    private let start: [UInt8]
    /// Returns the repeated part with a number.
    private let part: (Int) -> [UInt8]
    private let end: [UInt8]

    init(_ description: String, _ start: [UInt8], _ part: @escaping (Int) -> [UInt8], _ end: [UInt8] = []) {
        self.description = description
        self.start = start
        self.part = part
        self.end = end
    }

    private init(_ description: String, _ start: String, _ part: @escaping (Int) -> String, _ end: String = "") {
        self.init(description, Array(start.utf8), { Array(part($0).utf8) }, Array(end.utf8))
    }

    private init(_ description: String, _ start: String, _ part: String, _ end: String = "") {
        let part = Array(part.utf8)
        self.init(description, Array(start.utf8), { _ in part }, Array(end.utf8))
    }

    /// Returns the longest input of the shape within a limit.
    package func bytes(upTo limit: Int) -> [UInt8] {
        var bytes = start
        for number in 0... {
            let part = part(number)
            guard bytes.count + part.count + end.count <= limit else { break }
            bytes += part
        }
        return bytes + end
    }

    /// Every shape.
    package static var all: [CostlyInput] { texts + keyfiles + environments + json + xml + protocols + binary + items }

    private static let flag = "\u{1F1E6}"
    private static let marks = "\u{301}\u{316}"
    private static let pad = String(repeating: "x", count: 60)
    private static let accents = String(repeating: marks, count: 32)

    private static var texts: [CostlyInput] {
        [
            CostlyInput("letters", "", "x"), CostlyInput("line ends", "", "\n"), CostlyInput("CR LF", "", "\r\n"),
            CostlyInput("spaces", "", " "), CostlyInput("spaces and an end", "", " ", "x"),
            CostlyInput("NUL", "", "\0"),
            CostlyInput("flags", "", flag), CostlyInput("marks", "x", marks), CostlyInput("slashes", "", "/"),
            CostlyInput("ways up", "", "a/../"), CostlyInput("digits", "", "9"), CostlyInput("words", "", "1 "),
            CostlyInput("long fraction", "0.", "9"), CostlyInput("fields", "", "1 1 0:1 / /a - cgroup rw\n"),
            CostlyInput("marked fields", "1 1 0:1 / /a", marks, " - cgroup2 c rw\n"),
        ]
    }

    private static var keyfiles: [CostlyInput] {
        [
            CostlyInput("flags in a group", "[", flag), CostlyInput("flags in a key", "", flag, "=1"),
            CostlyInput("flags in brackets", "a[", flag, "]=1"), CostlyInput("flags in a value", "x=", flag),
            CostlyInput("marks in a key", "x", marks, "=1"), CostlyInput("marks in a group", "[", marks, "]\nx=1"),
            CostlyInput("short entries", "", { "\($0)=\n" }), CostlyInput("equal entries", "", "a=1\n"),
            CostlyInput("entries", "", { "key\($0)\(pad)=\(pad)\n" }),
            CostlyInput("accented entries", "", { "\($0)\(accents)=1\n" }),
            CostlyInput("comments", "", "# \(pad)\n"), CostlyInput("groups", "", "[a][b]\n"),
            CostlyInput("brackets", "[", "][", "]"), CostlyInput("brackets alone", "[", "]", "]"),
            CostlyInput("a long group", "[\(pad)\(pad)\(pad)\(pad)]\n", { "\($0)=\n" }),
        ]
    }

    private static var environments: [CostlyInput] {
        [
            CostlyInput("joined lines", "A=", "a\\\n"), CostlyInput("references", "A=x\nB=", "${"),
            CostlyInput("references that end", "A=x\nB=", "${", "}"), CostlyInput("variables", "A=x\nB=", "${A}"),
            CostlyInput("doubled values", "A=xxxxxxxx\n", "A=${A}${A}\nB=${A}"), CostlyInput("quotes", "A=", "\"a\" "),
            CostlyInput("single quotes", "A=", "''"), CostlyInput("escapes", "A=", "\\a"),
            CostlyInput("blanks behind a value", "A=a", " "), CostlyInput("languages", "LANGUAGE=de", ":de_DE"),
            CostlyInput("assignments", "", "LANG DEFAULT=a OVERRIDE=b\n"),
        ]
    }

    private static var json: [CostlyInput] {
        [
            CostlyInput("a list", "[0", ",0", "]"), CostlyInput("lists", "{\"a\":[[]", ",[]", "]}"),
            CostlyInput("a table", "{\"a\":0", { ",\"key\($0)\(pad)\":\"\(pad)\"" }, "}"),
            CostlyInput("an accented table", "{\"a\":0", { ",\"\($0)\(accents)\":1" }, "}"),
            CostlyInput("a wide table", "{\"a\":0", { ",\"\($0)\":0" }, "}"),
            CostlyInput("a reversed table", "{\"a\":0", { ",\"\(pad)\(1_000_000 - $0)\":1.0" }, "}"),
            CostlyInput("equal keys", "{", "\"a\":0,", "}"),
            CostlyInput("a long text", "{\"a\":\"", "x", "\"}"),
            CostlyInput("escapes in a text", "{\"a\":\"", "\\n", "\"}"),
            CostlyInput("a long name", "{\"a", marks, "\":1}"), CostlyInput("flags in a name", "{\"", flag, "\":1}"),
            CostlyInput("an escaped name", "{\"a", "\\u0301\\u0316", "\":1}"),
            CostlyInput("a fraction", "{\"a\":0.", "9", "}"),
            CostlyInput("a long integer", "{\"a\":1", "9", "}"), CostlyInput("numbers", "{\"a\":[1", ",1.5e300", "]}"),
            CostlyInput("open lists", "", "["), CostlyInput("comments in JSON", "", "/**/", "1"),
            CostlyInput("lines of comments", "", "//\n", "1"), CostlyInput("comments without an end", "{", "/*/"),
            CostlyInput("commas", "[", ","), CostlyInput("quotes alone", "", "\""),
            CostlyInput("backslashes", "\"", "\\"),
            CostlyInput("names without quotes", "{", { "a\($0):1," }, "}"),
            CostlyInput("a name beyond ASCII", "{", "ä", ":1}"), CostlyInput("wide spaces", "", "\u{A0}", "1"),
        ]
    }

    private static var xml: [CostlyInput] {
        [
            CostlyInput("an XML list", "<plist><array>", "<array/>", "</array></plist>"),
            CostlyInput(
                "an XML table", "<plist><dict>", { "<key>\($0)\(pad)</key><real>1.5</real>" }, "</dict></plist>"),
            CostlyInput("an XML text", "<plist><string>", "&#x301;", "</string></plist>"),
            CostlyInput("an XML key", "<plist><dict><key>", "&#x301;&#x316;", "</key><true/></dict></plist>"),
            CostlyInput("XML data", "<plist><data>", "AAAA", "</data></plist>"),
            CostlyInput("XML comments", "<plist>", "<!---->", "<true/></plist>"),
            CostlyInput("open XML comments", "<plist>", "<!--"), CostlyInput("tags", "<plist>", "<"),
            CostlyInput("character data", "<plist><string>", "<![CDATA[x]]>", "</string></plist>"),
            CostlyInput("an XML integer", "<plist><integer>", "9", "</integer></plist>"),
            CostlyInput("a long tag", "<plist><", "a", "/></plist>"),
        ]
    }

    private static var protocols: [CostlyInput] {
        let post = "{\"method\":\"org.reveille.Bus.Post\",\"parameters\":{\"defaults\":{\"domains\":["
        let domain = { (number: Int) in "{\"domain\":\"a\",\"path\":\"/\(number)\",\"keys\":[\"a\"],\"opaque\":false}" }
        let saved =
            "{\"version\":1,\"instance\":\"i\",\"sequence\":0,\"aspects\":[{\"aspect\":\"defaults\","
            + "\"generation\":0,\"sequence\":0,\"changedAt\":0,\"state\":[{\"name\":\"a\",\"path\":\"/a\",\"opaque\":false,"
            + "\"values\":{"
        return [
            CostlyInput("short frames", "", "{}\0"), CostlyInput("a method of flags", "{\"method\":\"a", flag, "\"}"),
            CostlyInput("a method of marks", "{\"method\":\"a", marks, "\"}"),
            CostlyInput("a method of dots", "{\"method\":\"a", ".", "\"}"),
            CostlyInput("members of vendors", "{\"method\":\"a.b.C\"", { ",\"a.\($0)\":0" }, "}"),
            CostlyInput(
                "parameters", "{\"method\":\"org.reveille.Bus.Refresh\",\"parameters\":{\"a\":0", { ",\"\($0)\":0" },
                "}}"),
            CostlyInput(
                "aspects", "{\"method\":\"org.reveille.Bus.GetState\",\"parameters\":{\"aspects\":[\"battery\"",
                ",\"battery\"", "]}}"),
            CostlyInput("domains", post + domain(-1), { "," + domain($0) }, "]}}}"),
            CostlyInput("fingerprints", saved + "\"a\":0", { ",\"\($0)\":0" }, "}}]}]}"),
            CostlyInput("definitions", "interface a.b\n", { "type T\($0) (a: int)\n" }),
            CostlyInput("names", "interface a.b\ntype T (a", { ",a\($0)" }, ")\n"),
            CostlyInput("typed fields", "interface a.b\ntype T (a: int", { ",a\($0): []?[string]int" }, ")\n"),
            CostlyInput("used types", "interface a.b\ntype T (a: T", { ",a\($0): T" }, ")\n"),
        ]
    }

    /// Returns a database of dconf whose table has no Bloom filter and no buckets.
    static func database(of items: [UInt8]) -> [UInt8] {
        let items = items.prefix(items.count / 24 * 24)
        return Array("GVariant".utf8) + words(0, 0, 24, UInt32(32 + items.count), 0, 0) + items
    }

    private static func words(_ words: UInt32...) -> [UInt8] {
        words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    }

    /// Items of dconf's database; the part of a name is in the item itself, in place of the hash.
    private static var items: [CostlyInput] {
        func item(_ number: Int, below parent: UInt32 = .max, type: String = "v", end: Int = 24) -> [UInt8] {
            let letters = (0..<3).map { UInt8(64 + (number >> (6 * $0)) & 63) }
            return [UInt8(ascii: "/")] + letters
                + words(parent, UInt32(32 + 24 * number), 4 | UInt32(type.utf8.first ?? 0) << 16, 0, UInt32(end))
        }
        return [
            CostlyInput("keys of dconf", [], { item($0) }),
            CostlyInput("keys in a directory", [], { item($0, below: $0 == 0 ? .max : 0, type: $0 == 0 ? "L" : "v") }),
            CostlyInput("keys below keys", [], { item($0, below: UInt32(truncatingIfNeeded: $0 - 1)) }),
            CostlyInput("keys in loops", [], { item($0, below: UInt32($0 ^ 1)) }),
            CostlyInput("shared values", [], { item($0, end: 4_096) }),
        ]
    }

    /// Shapes that are not text: binary property lists, time zones and inotify events.
    private static var binary: [CostlyInput] {
        let zone =
            Array("TZif2".utf8) + Array(repeating: 0, count: 34) + [1, 0, 0, 0, 0] + Array(repeating: 0, count: 6)
        let name = Array("name.json".utf8)
        let event =
            [1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0] + name + Array(repeating: 0, count: 16 - name.count)
        return [
            CostlyInput("events", [], { _ in event }),
            CostlyInput("events without names", [], { _ in Array(event[..<12]) + [0, 0, 0, 0] }),
            CostlyInput("a long footer", zone + zone + Array("\n<".utf8), { _ in Array("A".utf8) }, Array(">0\n".utf8)),
            CostlyInput("bytes", [], { [UInt8(truncatingIfNeeded: $0)] }),
        ]
    }
}
