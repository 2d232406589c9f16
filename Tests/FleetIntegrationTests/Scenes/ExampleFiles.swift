// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// The packaged configuration and rules of mosquitto, with files and ports of a test.
struct ExampleFiles {
    let broker: TLSFiles
    let readers: String
    let revoked: String

    init(devices: Certificates, readers: Certificates) throws {
        broker = try devices.broker()
        self.readers = readers.ca
        revoked = try devices.revoked(by: Self.read("revoked.cnf"))
    }

    /// Returns the configuration of the broker, with the ports for devices and readers, and a socket without rules.
    func configuration(_ ports: (devices: UInt16, readers: UInt16), socket: String) throws -> String {
        let certificates = "/etc/mosquitto/certs/"
        return try Self.read("mosquitto.conf").split(separator: "\n").map { line in
            switch line {
            case "per_listener_settings true": "\(line)\nlistener 0 \(socket)\nallow_anonymous true"
            case "listener 8883": "listener \(ports.devices) 127.0.0.1"
            case "listener 8884": "listener \(ports.readers) 127.0.0.1"
            case "certfile \(certificates)broker.pem": "certfile \(broker.certificate ?? "")"
            case "keyfile \(certificates)broker.key": "keyfile \(broker.key ?? "")"
            case "cafile \(certificates)ca.pem": "cafile \(broker.ca ?? "")"
            case "cafile \(certificates)readers.pem": "cafile \(readers)"
            case "crlfile \(certificates)revoked.pem": "crlfile \(revoked)"
            case "acl_file /etc/mosquitto/mosquitto-devices.acl": "acl_file \(Self.folder)mosquitto-devices.acl"
            case "acl_file /etc/mosquitto/mosquitto-readers.acl": "acl_file \(Self.folder)mosquitto-readers.acl"
            default: String(line)
            }
        }.joined(separator: "\n") + "\n"
    }

    private static let folder = FleetScene.root + "/Scripts/packaging/debian/examples/"

    private static func read(_ name: String) throws -> String {
        let path = folder + name
        guard case .bytes(let bytes) = FileContents.read(path, limit: 1 << 20) else { throw Trouble("no \(path)") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
