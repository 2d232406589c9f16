// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleMQTT
import ReveilleSystem
import ReveilleTesting
import Testing

@Suite(
    "A bridge and its certificate", .enabled(if: MosquittoBroker.isAvailable, "needs mosquitto"),
    .timeLimit(.minutes(5)))
struct BridgeCertificateTests {
    @Test("a bridge whose certificate has expired says so, continues to try, and connects with a new one")
    func expired() throws {
        let authority = try Certificates()
        let broker = try MosquittoBroker(.tls(try authority.broker(), requiresCertificate: true))
        let device = try authority.client("kiosk-7", isExpired: true)
        let directory = authority.directory
        let address = "mqtts://localhost:\(broker.port)"
        try directory.write(
            """
            { device: "kiosk-7", broker: "\(address)", ca: "\(authority.ca)", certificate: "\(device.certificate ?? "")",
              key: "\(device.key ?? "")" }
            """, to: "bridge.json5")
        let bridge = try FleetProgram(
            [
                "bridge", "--config", directory.path + "/bridge.json5", "--state", directory.path + "/bridge.json",
                "--address", "unix:\(directory.path)/no-bus",
            ], on: address, in: directory)
        defer {
            bridge.process.signal(SIGTERM)
            bridge.process.wait()
        }
        try wait(for: "the reason: \(bridge.errors)") {
            bridge.errors.contains("certificate") && bridge.errors.contains("expired")
        }
        #expect(!bridge.errors.contains("connected to \(address)"))
        // The bridge reads its files at each attempt.
        _ = try authority.client("kiosk-7")
        try wait(for: "the connection: \(bridge.errors)") { bridge.errors.contains("connected to \(address)") }
    }
}
