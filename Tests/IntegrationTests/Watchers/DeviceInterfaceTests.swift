// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// `org.reveille.Device`, served by the real program, and its commands.
@Suite(.blocking, .timeLimit(.minutes(10))) struct DeviceInterfaceTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    private func check(_ capability: String, on bus: BusProcess) throws -> JSONObject {
        let reply = try bus.client().call("org.reveille.Device.Check", "{\"capabilities\":[\"\(capability)\"]}")
        return try #require(reply.parameters.objects("answers").first)
    }

    @Test("B165, B167: the reply has the facts of the files below the root, and no serial number or ID for any user")
    func replyHasNoIdentifiersOfTheHardware() throws {
        let phone = try SyntheticPhone()
        let secrets = [
            "/sys/class/dmi/id/product_serial": "SERIAL1", "/sys/class/dmi/id/board_serial": "SERIAL2",
            "/sys/class/dmi/id/chassis_serial": "SERIAL3", "/proc/device-tree/serial-number": "SERIAL4",
            "/sys/class/dmi/id/product_uuid": "11111111-2222-3333-4444-555555555555", "/etc/machine-id": Self.secret,
        ]
        for (path, text) in secrets { try phone.write(text + "\n", to: path) }
        try phone.write("PinePhone\n", to: "/sys/class/dmi/id/product_name")
        try phone.write("NAME=postmarketOS\nVERSION_ID=v24.06\n", to: "/etc/os-release")
        let bus = try BusProcess(on: phone)
        let json = try bus.run(["info", "--json"]).output
        let info = try #require(try JSON.parse(Array(json.utf8)).objectValue)
        #expect(info["model"] == "PinePhone")
        #expect(info["system"] == "postmarketOS")
        #expect(info["systemVersion"] == "v24.06")
        #expect(info["vendor"] == .null)
        let outputs = [
            json, try bus.run(["info"]).output, try doctor(phone, ["doctor"]),
            try bus.run(["call", "DescribeAspects"]).output, bus.log,
        ]
        for output in outputs {
            #expect(!output.isEmpty)
            for secret in secrets.values { #expect(!output.contains(secret)) }
        }
    }

    private func doctor(_ phone: SyntheticPhone, _ arguments: [String]) throws -> String {
        try ProgramRun(
            arguments + ["--root", phone.files], in: TemporaryDirectory(),
            environment: phone.environment.merging(["HOME": phone.home]) { $1 }
        ).output
    }

    @Test("B160: a sensor that is plugged in is an event of its subscribers, and Check answers yes")
    func sensorThatIsPluggedInIsACapability() throws {
        let phone = try SyntheticPhone(hasProximitySensor: false)
        let bus = try BusProcess(on: phone)
        let subscriber = try bus.subscribe(#"{"aspects":["proximity"],"initial":true}"#)
        #expect(subscriber.initialEvents.map { $0["proximity"] } == [["state": "unknown"]])
        let answer = try check("proximity", on: bus)
        #expect(answer["answer"] == "no")
        #expect(answer["reason"]?.stringValue?.isEmpty == false)
        try phone.proximitySensor.insert()
        #expect(try subscriber.next().map { $0["proximity"] } == [["state": "far"]])
        #expect(try check("proximity", on: bus) == ["capability": "proximity", "answer": "yes", "reason": .null])
    }

    @Test("B163: DescribeAspects, Check and doctor have one answer", arguments: [true, false])
    func sourcesAgree(hasSensors: Bool) throws {
        let phone = try SyntheticPhone(
            batteries: hasSensors ? 1 : 0, hasCharger: hasSensors, hasAccelerometer: hasSensors,
            hasProximitySensor: hasSensors)
        let bus = try BusProcess(on: phone)
        let lines = try doctor(phone, ["doctor", "--json"]).split(separator: "\n").map {
            try JSON.parse(Array($0.utf8)).objectValue ?? [:]
        }
        #expect(lines.count == Aspect.device.count)
        for line in lines {
            let description = try bus.description(of: line.aspect)
            let answer = try check(line.aspect, on: bus)
            #expect(description["available"] == line["available"], "\(line)")
            #expect((answer["answer"] == "yes") == (line["available"] == true), "\(line)")
            #expect(description["reason"] == line["reason"] ?? .null)
            #expect(answer["reason"] == line["reason"] ?? .null)
        }
    }

    @Test("the exit code of check follows from its answers") func exitCodeOfCheck() throws {
        let phone = try SyntheticPhone(hasProximitySensor: false)
        let bus = try BusProcess(on: phone)
        let yes = try bus.run(["check", "battery", "multitasking"])
        #expect(yes.code == 0, "\(yes.errors)")
        #expect(yes.output == "battery       yes\nmultitasking  yes\n")
        let no = try bus.run(["check", "battery", "proximity"])
        #expect(no.code == 1)
        #expect(no.output.hasPrefix("battery     yes\nproximity   no   "))
        #expect(no.errors.isEmpty)
        let unknown = try bus.run(["check", "batery", "proximity", "--json"])
        #expect(unknown.code == 64)
        #expect(unknown.output.hasPrefix(#"{"capability":"batery","answer":"unknown","reason":null}"# + "\n"))
        #expect(unknown.errors == "reveille: there is no capability \"batery\"; did you mean battery?\n")
        let all = try bus.run(["check"])
        #expect(
            all.output.split(separator: "\n").count == Aspect.device.count + Capability.Word.allCases.count)
    }
}
