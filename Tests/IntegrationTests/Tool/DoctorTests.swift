// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

@testable import ReveilleTool

/// What `reveille doctor` finds, and which answers it names.
@Suite(.blocking, .timeLimit(.minutes(10))) struct DoctorTests {
    private func doctor(_ bus: BusProcess, _ phone: SyntheticPhone, _ options: [String] = []) throws -> String {
        let environment = phone.testbed.environment.merging(["REVEILLE_ADDRESS": bus.address]) { $1 }
        let run = try ProgramRun(["doctor"] + options, in: bus.directory, environment: environment)
        #expect(run.code == 0, "\(run.errors)")
        return run.output
    }

    @Test("doctor names what it finds beside it, and once its answers and their page") func findingsHaveAnswers() throws
    {
        let phone = try SyntheticPhone(batteries: 0, hasAccelerometer: false, hasProximitySensor: false)
        let bus = try BusProcess(phone: phone)
        let sleeper = try bus.subscribe(#"{"name":"player","state":"background"}"#)
        let output = try doctor(bus, phone)
        #expect(output.contains("    which one      the one at REVEILLE_ADDRESS\n"))
        #expect(output.contains("    held: app      player\n"))
        #expect(output.contains("-> see 'Nothing arrives' below\n"))
        #expect(output.contains("\nNothing arrives: bus\n    -> held: app: the program entered the background."))
        #expect(output.contains("\nThe sensor is missing: orientation, proximity, shake\n"), "\(output)")
        #expect(output.contains("\nThe battery says unknown: battery, power\n"))
        #expect(output.contains("\nThe bus is another one: bus\n"))
        #expect(!output.contains("QuotaExceeded") && !output.contains("\nThe screen turns"))
        #expect(output.hasSuffix("('Counts look wrong'): \(Symptom.page)\n"), "\(output)")
        withExtendedLifetime(sleeper) {}
    }

    @Test("a line of JSON has the section of the page as a stable word") func symptomIsAStableWord() throws {
        let phone = try SyntheticPhone(hasProximitySensor: false)
        let bus = try BusProcess(phone: phone)
        let lines = try doctor(bus, phone, ["--json"]).split(separator: "\n").map {
            try #require(try JSON.parse(Array($0.utf8)).objectValue)
        }
        let symptoms = lines.reduce(into: [:]) { $0[$1.aspect] = $1["symptom"] }
        #expect(symptoms["battery"] == .null)
        #expect(symptoms["orientation"] == "the-screen-turns-the-wrong-way")
        #expect(symptoms["proximity"] == "the-sensor-is-missing")
    }

    @Test("the machine is examined with the configuration of the bus, unless another is named")
    func configurationIsThatOfTheBus() throws {
        let phone = try SyntheticPhone()
        let bus = try BusProcess(configuration: #"{ orientation: { sensor: "none" } }"#, phone: phone)
        let own = try doctor(bus, phone)
        #expect(own.contains("    aspects        examined with \(bus.directory.path)/config.json5\n"), "\(own)")
        #expect(own.contains("chosen, but not found"), "\(own)")
        try bus.directory.write("{}", to: "other.json5")
        let other = try doctor(bus, phone, ["--config", bus.directory.path + "/other.json5"])
        #expect(other.contains("    configuration  \(bus.directory.path)/config.json5\n"))
        #expect(other.contains("    aspects        examined with \(bus.directory.path)/other.json5\n"))
        #expect(!other.contains("chosen, but not found"))
        bus.process.signal(SIGSTOP)
        let silent = try doctor(bus, phone, ["--json"])
        bus.process.signal(SIGCONT)
        #expect(silent.contains("chosen, but not found"), "\(silent)")
        try bus.directory.write("{ broken", to: "config.json5")
        #expect(try doctor(bus, phone).contains("examined with the defaults, since the bus's file is not valid"))
    }

    @Test("a file that the environment of the bus names is found from the directory of the bus")
    func relativeFileIsThatOfTheBus() throws {
        let phone = try SyntheticPhone()
        // Starts the bus in the directory of its file, without its last two arguments, which name the file.
        let script = #"cd "${7%/*}" && exec "$0" "$1" "$2" "$3" "$4" "$5""#
        let bus = try BusProcess(
            phone: phone, environment: ["REVEILLE_CONFIG": "config.json5"], launcher: ["sh", "-c", script])
        let output = try doctor(bus, phone)
        #expect(output.contains(#/ examined with \/\S+\/config\.json5\n/#), "\(output)")
    }

    @Test("only the lack of a bus is explained with another one") func otherBusExplainsAnAbsence() throws {
        let directory = try TemporaryDirectory()
        for (address, isExplained) in [("unix:\(directory.path)/none", true), ("none", false)] {
            let run = try ProgramRun(["doctor"], in: directory, environment: ["REVEILLE_ADDRESS": address])
            #expect(run.output.contains("The bus is another one: bus\n") == isExplained, "\(run.output)\(run.errors)")
        }
    }
}
