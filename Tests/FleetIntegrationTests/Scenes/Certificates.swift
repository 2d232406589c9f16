// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleFleetCore
import ReveilleSystem
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

    /// An authority that copies what a request asks for, and keeps its files in the working directory.
    private static let dated = """
        [ca]
        default_ca = here
        [here]
        database = index.txt
        new_certs_dir = .
        rand_serial = yes
        default_md = sha256
        copy_extensions = copy
        policy = name
        [name]
        commonName = supplied
        """

    private func sign(_ name: String, _ options: [String], isExpired: Bool) throws -> TLSFiles {
        if isExpired {
            // Of all versions of OpenSSL, only this command takes dates.
            try directory.write(Self.dated, to: "dated.cnf")
            try directory.write("", to: "index.txt")
            try request(name, options)
            try openssl(
                ["ca", "-config", "dated.cnf", "-batch", "-notext", "-cert", ca, "-keyfile", file(self.name + ".key")]
                    + ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"]
                    + ["-in", file(name + ".crt"), "-out", file(name + ".crt")])
        } else {
            let signer = ["-CA", ca, "-CAkey", file(self.name + ".key")]
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
