// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Varlink

/// A single-value option that is given more than once; the parser would silently use the last value.
struct RepeatedOption {
    /// The options of a command by their names with dashes, according to the parser's own description of them.
    private let options: [String: JSONObject]
    private var seen: Set<JSON?> = []

    static func refuse(in arguments: ArraySlice<String>, of program: any ParsableCommand.Type) throws(Failure) {
        var command = program
        var rest = arguments
        while let next = command.configuration.subcommands.first(where: { $0._commandName == rest.first }) {
            command = next
            rest = rest.dropFirst()
        }
        // Arguments after `--` belong to another program.
        rest = rest.prefix { $0 != "--" }
        // Describing a command takes longer than everything else, and few calls need it.
        let names = rest.filter { $0.hasPrefix("-") }.map(Self.name)
        guard Set(names).count < names.count || names.contains(where: { !$0.hasPrefix("--") }) else { return }
        var search = Self(command)
        try search.refuse(in: rest)
    }

    private init(_ command: any ParsableCommand.Type) {
        var options: [String: JSONObject] = [:]
        let description = try? JSON.parse(Array(command._dumpHelp().utf8)).objectValue?["command"]?.objectValue
        for argument in description?["arguments"]?.arrayValue ?? [] {
            guard let option = argument.objectValue, option["kind"]?.stringValue == "option" else { continue }
            for name in option["names"]?.arrayValue ?? [] {
                let dashes = name.objectValue?["kind"]?.stringValue == "long" ? "--" : "-"
                options[dashes + (name.objectValue?["name"]?.stringValue ?? "")] = option
            }
        }
        self.options = options
    }

    private mutating func refuse(in arguments: ArraySlice<String>) throws(Failure) {
        var rest = arguments
        while let word = rest.popFirst() {
            guard word.hasPrefix("-") else { continue }
            let name = Self.name(word)
            // Several short options may share a dash.
            let names = name.hasPrefix("--") ? [name] : name.dropFirst().map { "-\($0)" }
            for name in names {
                guard let option = options[name] else { continue }
                let strategy = option["parsingStrategy"]?.stringValue
                if strategy == "allRemainingInput" { return }
                guard option["isRepeating"]?.boolValue == true || seen.insert(option["preferredName"]).inserted else {
                    throw Failure(.usage, "\(name) is given twice, but takes one value")
                }
                if !word.contains("="), strategy == "unconditional" || rest.first?.hasPrefix("-") == false {
                    rest = rest.dropFirst()
                }
            }
        }
    }

    /// Returns an option without a value that is joined to it.
    private static func name(_ word: String) -> String { String(word.prefix { $0 != "=" }) }
}
