// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

/// The real dconf, with a message bus of its own: `dconf write` changes the settings of a scene's user.
final class Dconf {
    struct Missing: Error {}

    private static let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    static let corpus = root + "/Tests/Fuzzing/Corpus/dconf/"
    private static let packages = root + "/.build-dconf"
    private static let program = packages + "/usr/bin/dconf"
    private static let daemon = "/usr/bin/dbus-daemon"
    static let isThere = access(packages + "/complete", R_OK) == 0 && access(daemon, X_OK) == 0
    /// Whether its absence is a failure.
    static let isRequired = getenv("CI") != nil

    private let environment: [String: String]
    private let processes: [ChildProcess]

    /// Starts it for the user of a scene, whose home directory exists.
    init(in scene: Scene) throws {
        let address = "unix:path=" + scene.at("/dbus")
        scene.makeDirectory("/run")
        environment = Self.libraries.merging([
            "HOME": scene.at("/home/u"), "XDG_RUNTIME_DIR": scene.at("/run"), "DBUS_SESSION_BUS_ADDRESS": address,
            "PATH": "/usr/bin:/bin",
        ]) { $1 }
        scene.write(
            "/dbus.conf",
            """
            <busconfig>
              <type>session</type><listen>\(address)</listen>
              <policy context="default">
                <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
              </policy>
            </busconfig>
            """)
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        let bus = try ChildProcess(
            [Self.daemon, "--nofork", "--nopidfile", "--print-address=1", "--config-file=" + scene.at("/dbus.conf")],
            environment: environment, descriptors: [1: ends[1]])
        close(ends[1])
        // It prints its address once it listens.
        var byte: UInt8 = 0
        #expect(read(ends[0], &byte, 1) == 1)
        close(ends[0])
        processes = [bus, try ChildProcess([Self.packages + "/usr/libexec/dconf-service"], environment: environment)]
        // The service has its name once it answers.
        while try Self.run(["write", "/reveille/ready", "true"], environment) != 0, !processes[1].hasEnded {}
    }

    /// Runs `dconf`, as in `write /org/a "'x'"`.
    func run(_ arguments: String...) {
        #expect((try? Self.run(arguments, environment)) == 0, "dconf \(arguments)")
    }

    /// Makes a database of the keyfiles in a directory, as for a profile of the system.
    static func compile(_ directory: String, to file: String) throws {
        #expect(try run(["compile", file, directory], libraries) == 0)
    }

    private static func run(_ arguments: [String], _ environment: [String: String]) throws -> Int32 {
        let null = Glibc.open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        return try ChildProcess([program] + arguments, environment: environment, descriptors: [1: null, 2: null]).wait()
    }

    private static var libraries: [String: String] {
        let names = ["x86_64", "aarch64"].map { "\(packages)/usr/lib/\($0)-linux-gnu" }
        return ["LD_LIBRARY_PATH": names.joined(separator: ":")]
    }
}
