// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleFleetCore
import ReveilleTesting

/// The files of TLS of a broker or a client.
struct TLSFiles {
    var ca: String?
    var certificate: String?
    var key: String?
}

extension FleetBroker {
    init(_ endpoint: BrokerAddress.Endpoint) { self.init(address: BrokerAddress(endpoint)) }

    /// A port of this machine, over TLS if there are files.
    init(port: UInt16, _ tls: TLSFiles? = nil, host: String = "127.0.0.1") {
        self.init(.tcp(host: host, port: port, isTLS: tls != nil))
        (ca, certificate, key) = (tls?.ca, tls?.certificate, tls?.key)
    }
}

final class Certificates {
    let directory: TemporaryDirectory
    let name: String
    var ca: String { file(name + ".crt") }

    /// Creates an authority, in the directory of another one if they are used together.
    init(_ name: String = "ca", beside other: Certificates? = nil) throws {
        directory = try other?.directory ?? TemporaryDirectory()
        self.name = name
        try request(name, ["-x509", "-days", "2", "-addext", "basicConstraints=critical,CA:TRUE"])
    }

    private func file(_ name: String) -> String { directory.path + "/" + name }

    /// Makes the certificate of a broker on this machine: `localhost`, or other names such as `DNS:broker.example`.
    func broker(
        _ name: String = "broker", names: String = "IP:127.0.0.1,DNS:localhost", isExpired: Bool = false
    ) throws -> TLSFiles {
        try sign(name, ["-addext", "subjectAltName=\(names)"], isExpired: isExpired)
    }

    func client(_ identity: String, isExpired: Bool = false) throws -> TLSFiles {
        try sign(identity, [], isExpired: isExpired)
    }

    private func sign(_ name: String, _ options: [String], isExpired: Bool) throws -> TLSFiles {
        let signer = ["-CA", ca, "-CAkey", file(self.name + ".key")]
        if isExpired {
            // Only this command accepts an end in the past.
            try request(name, options)
            try openssl(
                ["x509", "-req", "-in", file(name + ".crt"), "-out", file(name + ".crt"), "-days", "-1"]
                    + ["-copy_extensions", "copy", "-CAcreateserial"] + signer)
        } else {
            try request(name, ["-x509", "-days", "2"] + signer + options)
        }
        return TLSFiles(ca: ca, certificate: file(name + ".crt"), key: file(name + ".key"))
    }

    private func request(_ name: String, _ options: [String]) throws {
        try openssl(
            ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)"]
                + ["-keyout", file(name + ".key"), "-out", file(name + ".crt")] + options)
    }

    /// Makes a list of revoked certificates, which is empty, with the example of a configuration of OpenSSL.
    func revoked(by configuration: String) throws -> String {
        try directory.write(configuration, to: "revoked.cnf")
        try directory.write("", to: "index.txt")
        try openssl(
            ["ca", "-gencrl", "-config", "revoked.cnf", "-cert", ca, "-keyfile", file(name + ".key")]
                + ["-out", file("revoked.pem")])
        return file("revoked.pem")
    }

    func encrypt(_ tls: TLSFiles) throws {
        let key = tls.key ?? ""
        try openssl(["ec", "-in", key, "-out", key, "-aes256", "-passout", "pass:secret"])
    }

    private func openssl(_ arguments: [String]) throws {
        let log = try directory.open("openssl.log")
        defer { close(log) }
        // The paths in a configuration are relative.
        let process = try ChildProcess(
            ["sh", "-c", "cd \"$0\" && exec openssl \"$@\"", directory.path] + arguments, descriptors: [1: log, 2: log])
        guard process.wait() == 0 else { throw Trouble("openssl: \(directory.read("openssl.log"))") }
    }
}
