// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// The tables of `Docs/Reference/Configuration.md`, compared with the program.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ConfigurationDocumentTests {
    private let directory: TemporaryDirectory
    private let text: String

    init() throws {
        directory = try TemporaryDirectory()
        text = try Package.text("Docs/Reference/Configuration.md")
    }

    private func table(_ heading: String) throws -> [[String]] {
        let sections = text.split(separator: "\n## ")
        let section = try #require(sections.first { $0.hasPrefix(heading + "\n") })
        return section.split(separator: "\n").filter { $0.hasPrefix("|") }.dropFirst(2).map { row in
            row.split(separator: "|").map { $0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed() }
                .map { String($0) }
        }
    }

    private func code(_ cell: String) -> [String] {
        cell.matches(of: #/`([^`]*)`/#).map { String($0.output.1) }
    }

    private func isAccepted(_ value: String, of key: String) throws -> Bool {
        let parts = key.split(separator: ".")
        let text = parts.count == 2 ? "{\(parts[0]): {\(parts[1]): \(value)}}" : "{\(key): \(value)}"
        try directory.write(text, to: "config.json5")
        let run = try ProgramRun(["serve", "--check", "--config", directory.path + "/config.json5"], in: directory)
        guard run.code != 0 else { return true }
        #expect(run.code == 78)
        #expect(run.errors.hasPrefix("reveille: \(directory.path)/config.json5: \(key): not "), "\(run.errors)")
        return false
    }

    @Test func keysAndDefaultsAreThoseOfTheProgram() throws {
        let run = try ProgramRun(["serve", "--print-config"], in: directory)
        var defaults: [String: String] = [:]
        for section in try #require(try JSON.parse(Array(run.output.utf8)).objectValue).members {
            guard let keys = section.value.objectValue, !keys.isEmpty else {
                defaults[section.name] = section.value.description
                continue
            }
            for key in keys.members { defaults[section.name + "." + key.name] = key.value.description }
        }
        let documented = try table("Keys").map { (code($0[0])[0], code($0[3])[0]) }
        #expect(Dictionary(documented) { $1 } == defaults)
    }

    @Test func rangesAreThoseOfTheProgram() throws {
        var ranges = 0
        let rows = try table("Keys")
        for row in rows {
            let key = code(row[0])[0]
            guard let ends = row[2].wholeMatch(of: #/([0-9.]+) to ([0-9.]+)/#)?.output,
                let low = Double(ends.1), let high = Double(ends.2)
            else { continue }
            ranges += 1
            for inside in [String(ends.1), String(ends.2)] {
                #expect(try isAccepted(inside, of: key), "\(key): \(inside)")
            }
            let outside = [
                low == 0.001 ? "0.0009" : "\(Int(low) - 1)", "\(Int(high) + 1)", "-1e300", "NaN", "1e400", "'1'",
            ]
            for value in outside {
                #expect(try !isAccepted(value, of: key), "\(key): \(value)")
            }
        }
        #expect(ranges > 0 && ranges == rows.count { $0[2].first?.isNumber == true })
    }

    @Test func wordsAndPathsAreThoseOfTheProgram() throws {
        for row in try table("Keys") {
            let key = code(row[0])[0]
            switch row[1] {
            case "word":
                for word in code(row[2]) { #expect(try isAccepted("'\(word)'", of: key)) }
                #expect(try !isAccepted("'sideways'", of: key))
            case "text":
                #expect(try isAccepted("'\(code(row[2])[0])'", of: key))
                #expect(try !isAccepted("'1, 2, 3'", of: key))
            case "list of files", "list of files and directories":
                for start in code(row[2]) { #expect(try isAccepted("['\(start)somewhere']", of: key)) }
                for path in ["somewhere", "./somewhere", "", "~somebody/x", "$HOME/x", #"/a\0b"#] {
                    #expect(try !isAccepted("['/etc', '\(path)']", of: key), "\(key): \(path)")
                }
            default: continue
            }
        }
    }

    @Test func exampleIsTheDefaultConfiguration() throws {
        let blocks = text.split(separator: "```")
        let example = try #require(blocks.first { $0.hasPrefix("json5\n") }).dropFirst("json5\n".count)
        try directory.write(String(example), to: "example.json5")
        let run = try ProgramRun(
            ["serve", "--print-config", "--config", directory.path + "/example.json5"], in: directory)
        let plain = try ProgramRun(["serve", "--print-config"], in: directory)
        #expect([run.code, plain.code] == [0, 0])
        #expect(
            run.output
                == plain.output.replacing(
                    #""paths":null,"settle""#, with: #""paths":["~/.config","~/.config/*"],"settle""#))
    }

    @Test func exitCodesAreThoseOfTheProgram() throws {
        let source = try Package.text("Sources/ReveilleConsole/Failure.swift")
        let codes = source.matches(of: #/case \S+ = (\d+)/#).map { String($0.output.1) }
        #expect(codes.count > 8)
        #expect(Set(try table("Exit codes").map { $0[0] }) == Set(codes + ["0"]))
        // The manual page of the program lists the exit codes too.
        let manual =
            try Package.text("Sources/ReveilleTool/Tool.swift")
            .split(separator: "EXIT CODES\n").last?.split(separator: "\"\"\"").first ?? ""
        let named = manual.matches(of: #/\b\d+\b/#).map { String($0.output) }
        #expect(Set(named) == Set(codes + ["0"]))
    }

    @Test func variablesAreThoseOfTheProgram() throws {
        // libsystemd reads these variables, so the sources do not mention them.
        var names: Set = [
            "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID",
            "DBUS_SYSTEM_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS",
        ]
        let targets = [
            "Reveille", "ReveilleConsole", "ReveilleHost", "ReveilleLink", "ReveilleLocal", "ReveilleService",
            "ReveilleSystem", "ReveilleTool", "ReveilleWatchers",
        ]
        let find = ["-rhoE", #"(Environment\[|getenv\()"[A-Z_]+""#] + targets.map { Package.root + "/Sources/" + $0 }
        let run = try ProgramRun(find, program: "grep", in: directory)
        for match in run.output.matches(of: #/"([A-Z_]+)"/#) { names.insert(String(match.output.1)) }
        #expect(names.count > 10)
        #expect(Set(try table("Environment").flatMap { code($0[0]) }) == names)
    }
}
