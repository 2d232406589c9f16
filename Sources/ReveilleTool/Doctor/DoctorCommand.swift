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
        discussion: """
            Reads the devices and files directly: no bus is needed. If there is one, the devices are examined with its \
            configuration, unless another one is named. At the end are the answers of the page on troubleshooting, and \
            where that page is.
            """)

    @Flag(
        help: """
            Print one line of JSON for each aspect, without the bus and the description of the device. Its 'symptom' is \
            the section of the page on troubleshooting that concerns it, or null.
            """)
    var json = false

    @OptionGroup var files: FileOptions

    func perform() throws {
        var bus = BusExamination(isAsked: !json)
        let configuration = try chosenConfiguration(&bus)
        var causes = bus.symptoms.sorted { $0.rawValue < $1.rawValue }.map { (symptom: $0, of: "bus") }
        if !json {
            let source = bus.problem.map { SourceDescription.unavailable("\($0)") } ?? .available("answers")
            try print("bus", source, bus.findings, causes.map(\.symptom))
        }
        let locations = files.locations
        let loop = try EventLoop()
        let watchers = try Service.watchers(
            loop: loop, configuration: configuration, files: locations,
            sleep: (SystemSleep(loop: loop) { _ in }, last: nil)
        ) { _ in
            WatcherContext(report: { _ in }, warn: { _ in }, overflowed: {})
        }
        for watcher in watchers.sorted(by: { $0.aspect.rawValue < $1.aspect.rawValue }) {
            let (source, examination) = (watcher.source, watcher.examine())
            let symptom = Symptom(of: watcher.aspect, isKnown: source.isAvailable && !examination.isUnknown)
            if let symptom { causes.append((symptom, "\(watcher.aspect)")) }
            try json
                ? printJSON(watcher.aspect, source, examination, symptom)
                : print("\(watcher.aspect)", source, examination, symptom.map { [$0] } ?? [])
        }
        if json { return }
        let reader = DeviceInfoReader(root: locations.root)
        let model = reader.info(forUser: 0).model
        try print("device", model.map { .available($0) } ?? .unavailable("unknown model"), reader.examine())
        try printAnswers(causes)
    }

    /// Returns the named configuration, or else that of the bus, and notes which it is.
    private func chosenConfiguration(_ bus: inout BusExamination) throws(Failure) -> Configuration {
        guard files.file == nil, let file = bus.configuration else {
            bus.findings.add("aspects", "examined with \(files.file?.description ?? "the defaults")")
            return try files.configuration()
        }
        do throws(ConfigurationError) {
            let configuration = try file.read()
            bus.findings.add("aspects", "examined with \(file)")
            return configuration
        } catch {
            bus.findings.add("aspects", "examined with the defaults, since the bus's file is not valid: \(error)")
            return Configuration()
        }
    }

    /// Prints a source, or the reason why there is none, with the findings.
    private func print(
        _ name: StyledText, _ source: SourceDescription, _ examination: Examination, _ symptoms: [Symptom] = []
    ) throws(Failure) {
        let state =
            switch source {
            case .available(let source): Style.green("ok  ") + StyledText(source)
            case .unavailable(let reason): Style.yellow("--  ") + StyledText(reason)
            }
        try Console.line(Style.bold(name).padded(to: 12) + state)
        let names = examination.findings.map { StyledText($0.name) }
        let width = names.map(\.width).max() ?? 0
        for (name, finding) in zip(names, examination.findings) {
            try Console.line("    " + name.padded(to: width + 2) + "\(finding.value)")
        }
        let advice = examination.advice + symptoms.map { "see '\($0.rawValue)' below" }
        for advice in advice { try Console.line("    " + Style.yellow("-> ") + "\(advice)") }
        try Console.line("")
    }

    /// Prints the answers to what was found, once for all that have it.
    private func printAnswers(_ causes: [(symptom: Symptom, of: String)]) throws(Failure) {
        for symptom in Symptom.allCases {
            let names = causes.filter { $0.symptom == symptom }.map(\.of)
            if names.isEmpty { continue }
            try Console.line(Style.bold(StyledText(symptom.rawValue)) + ": \(names.joined(separator: ", "))")
            for answer in symptom.answers { try Console.line("    " + Style.yellow("-> ") + "\(answer)") }
            try Console.line("")
        }
        let others = Symptom.allCases.filter(\.answers.isEmpty).map { "'\($0.rawValue)'" }.joined(separator: ", ")
        try Console.line("More, and what nothing shows here (\(others)): \(Symptom.page)")
    }

    private func printJSON(
        _ aspect: BuiltInAspect, _ source: SourceDescription, _ examination: Examination, _ symptom: Symptom?
    ) throws(Failure) {
        var object: JSONObject = ["aspect": .string(aspect.rawValue), "available": .bool(source.isAvailable)]
        switch source {
        case .available(let source): object["source"] = .string(source)
        case .unavailable(let reason): object["reason"] = .string(reason)
        }
        object["findings"] = .array(
            examination.findings.map { .object(["name": .string($0.name), "value": .string($0.value)]) })
        object["advice"] = .array(examination.advice.map { .string($0) })
        object["symptom"] = symptom.map { .string($0.section) } ?? .null
        try Console.json(.object(object))
    }
}
