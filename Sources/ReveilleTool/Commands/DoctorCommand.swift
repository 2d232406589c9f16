// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleHost
import ReveilleService
import ReveilleSystem
import ReveilleWatchers
import ReveilleWire
import Varlink

struct DoctorCommand: GuardedCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examine the bus, the source of each aspect and the description of the device, and suggest fixes.",
        discussion: "Reads the devices and files directly: no bus is needed.")

    @Flag(help: "Print one line of JSON for each aspect, without the bus and the description of the device.")
    var json = false

    @OptionGroup var files: FileOptions

    func perform() throws {
        if !json { try printBus() }
        let locations = files.locations
        let loop = try EventLoop()
        let watchers = try Service.watchers(
            loop: loop, configuration: files.configuration(), files: locations,
            sleep: (SystemSleep(loop: loop) { _ in }, last: nil)
        ) { _ in
            WatcherContext(report: { _ in }, warn: { _ in }, overflowed: {})
        }
        for watcher in watchers.sorted(by: { $0.aspect.rawValue < $1.aspect.rawValue }) {
            try json ? printJSON(watcher) : printText(watcher)
        }
        let reader = DeviceInfoReader(root: locations.root)
        if !json { try print("device", reader.info(forUser: 0).model, without: "unknown model", reader.examine()) }
    }

    private func printBus() throws(Failure) {
        var examination = Examination()
        let served = Result { () throws(ReveilleError) in try ServedBus(try BusAddress.resolve(nil)) }
        switch served {
        case .success(let bus):
            for (name, value) in bus.facts { examination.add(name, value) }
            // Only the bus itself knows which folders it has left.
            let sources = try? bus.client.call(DescribeAspects())
            if let settings = sources?.first(where: { $0.aspect == .defaults }) {
                examination.add("settings", settings.source)
            }
            try print("bus", "answers", examination)
        case .failure(let error):
            try print("bus", without: "\(error)", examination)
        }
    }

    private func printText(_ watcher: any Watcher) throws(Failure) {
        switch watcher.source {
        case .available(let source): try print("\(watcher.aspect)", source, watcher.examine())
        case .unavailable(let reason): try print("\(watcher.aspect)", without: reason, watcher.examine())
        }
    }

    /// Prints a source, or the reason why there is none, with the findings.
    private func print(
        _ name: StyledText, _ source: String? = nil, without reason: String = "", _ examination: Examination
    ) throws(Failure) {
        let state = source.map { Style.green("ok  ") + StyledText($0) } ?? Style.yellow("--  ") + StyledText(reason)
        try Console.line(Style.bold(name).padded(to: 12) + state)
        let names = examination.findings.map { StyledText($0.name) }
        let width = names.map(\.width).max() ?? 0
        for (name, finding) in zip(names, examination.findings) {
            try Console.line("    " + name.padded(to: width + 2) + "\(finding.value)")
        }
        for advice in examination.advice { try Console.line("    " + Style.yellow("-> ") + "\(advice)") }
        try Console.line("")
    }

    private func printJSON(_ watcher: any Watcher) throws(Failure) {
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
        try Console.json(.object(object))
    }
}
