// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import Testing

@Suite("Addresses of brokers")
struct BrokerAddressTests {
    @Test(
        "an address has the usual port, and TLS unless it is this machine",
        arguments: [
            ("mqtts://broker.example", "mqtts://broker.example:8883"),
            ("broker.example", "mqtts://broker.example:8883"),
            ("broker.example:443", "mqtts://broker.example:443"), ("localhost", "mqtt://localhost:1883"),
            ("127.0.0.2:2000", "mqtt://127.0.0.2:2000"), ("mqtts://localhost", "mqtts://localhost:8883"),
            ("mqtt://[::1]", "mqtt://[::1]:1883"), ("[::1]:9", "mqtt://[::1]:9"),
            ("[2001:db8::1]", "mqtts://[2001:db8::1]:8883"),
            ("unix:/run/mosquitto.sock", "unix:/run/mosquitto.sock"),
        ])
    func valid(text: String, complete: String) throws {
        let address = try BrokerAddress(text)
        #expect(address.description == complete)
        #expect(try BrokerAddress(complete) == address)
    }

    @Test(
        "an invalid address is refused with the reason",
        arguments: [
            ("mqtt://broker.example", "over TLS only"), ("mqtt://127.example.org", "over TLS only"),
            ("mqtt://127.0.0.1.example.org", "over TLS only"),
            ("mqtt://0127.0.0.1", "over TLS only"), ("mqtt://127.0.0.01", "over TLS only"),
            ("http://broker", "must begin with mqtts://"),
            ("mqtts://me:secret@broker", "must not name a user"), ("", "must have a host"),
            ("mqtts://", "must have a host"), ("mqtts://a b", "must have a host"), ("::1", "must have a host"),
            ("[::1", "must have a host"), ("[::1]x", "must have a host"), ("broker:0", "invalid port '0'"),
            ("broker:65536", "invalid port"), ("broker:+1", "invalid port"), ("broker:", "invalid port ''"),
            ("unix:socket", "absolute path"), ("mqtts://broker/topic", "must have a host"),
        ])
    func invalid(text: String, reason: String) {
        let error = #expect(throws: FleetError.self) { try BrokerAddress(text) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }
}
