// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ArgumentParser
import ReveilleCore
import ReveilleService
import ReveilleSystem
import ReveilleWatchers
import Varlink

/// `reveille doctor`: what this device has, and what to do about what it has not.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Says for each aspect what was found, what was read there, and what to do.",
        discussion: "Reads the devices and files itself; a bus need not run.")

    @Flag(help: "One JSON object a line, one for each aspect.")
    var json = false

    @OptionGroup var files: FileOptions

    func run() {
        Failure.guarding {
            let watchers = try Service.watchers(
                loop: EventLoop(), configuration: files.configuration(), files: files.locations
            ) { _ in
                WatcherContext(report: { _ in }, warn: { _ in }, overflowed: {})
            }
            for watcher in watchers.sorted(by: { $0.aspect.rawValue < $1.aspect.rawValue }) {
                json ? printJSON(watcher) : printText(watcher)
            }
        }
    }

    private func printText(_ watcher: any Watcher) {
        let examination = watcher.examine()
        switch watcher.source {
        case .available(let source):
            Console.line(Style.bold(EventText.padded(watcher.aspect.rawValue, to: 12)) + Style.green("ok  ") + source)
        case .unavailable(let reason):
            Console.line(Style.bold(EventText.padded(watcher.aspect.rawValue, to: 12)) + Style.yellow("--  ") + reason)
        }
        let width = examination.findings.map(\.name.count).max() ?? 0
        for finding in examination.findings {
            Console.line("    " + EventText.padded(finding.name, to: width + 2) + finding.value)
        }
        for advice in examination.advice { Console.line("    " + Style.yellow("-> ") + advice) }
        Console.line("")
    }

    private func printJSON(_ watcher: any Watcher) {
        let examination = watcher.examine()
        var object: JSONObject = ["aspect": .string(watcher.aspect.rawValue)]
        switch watcher.source {
        case .available(let source):
            object["available"] = true
            object["source"] = .string(source)
        case .unavailable(let reason):
            object["available"] = false
            object["reason"] = .string(reason)
        }
        object["findings"] = .array(
            examination.findings.map { .object(["name": .string($0.name), "value": .string($0.value)]) })
        object["advice"] = .array(examination.advice.map { .string($0) })
        Console.line(JSON.object(object).description)
    }
}
