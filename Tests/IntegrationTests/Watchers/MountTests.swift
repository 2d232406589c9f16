// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Mounts on the path of watched files, in a mount namespace of the bus that ends with it.
@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: MountNamespace.canBeMade, "mounting is not permitted here"))
struct MountTests {
    private let phone: SyntheticPhone
    private let bus: BusProcess
    private let subscriber: Subscriber

    init() throws {
        phone = try SyntheticPhone()
        try phone.writeSettings(#"{"a": 1}"#)
        try phone.write(#"{"b": 1}"#, to: "/other/settings.json")
        bus = try BusProcess(phone: phone, launcher: MountNamespace.launcher)
        subscriber = try bus.subscribe(#"{"aspects":["defaults"]}"#)
    }

    private func run(_ command: String...) throws {
        let run = try bus.run(["--target", "\(bus.process.pid)", "--mount"] + command, program: "nsenter")
        try #require(run.code == 0, "\(command): \(run.errors)")
    }

    private func keys() throws -> [String: JSON] {
        let domains = try subscriber.next().first?["defaults"]?.objectValue?.objects("domains") ?? []
        return Dictionary(domains.map { ($0["domain"]?.stringValue ?? "", $0["keys"] ?? .null) }) { $1 }
    }

    @Test(
        "mounting and unmounting over a settings directory or its parent is detected",
        arguments: ["/.config", ""])
    func mountsOverDirectoriesAreDetected(name: String) throws {
        let place = phone.files + phone.home + name
        try run("mount", "-t", "tmpfs", "none", place)
        #expect(try keys() == ["settings": ["a"]])
        try run("umount", place)
        #expect(try keys() == ["settings": ["a"]])
    }

    @Test("mounting and unmounting over a file is detected") func mountsOverFilesAreDetected() throws {
        let file = phone.files + phone.home + "/.config/settings.json"
        try run("mount", "--bind", phone.files + "/other/settings.json", file)
        #expect(try keys() == ["settings": ["a", "b"]])
        try run("umount", file)
        #expect(try keys() == ["settings": ["a", "b"]])
    }

    @Test("files in a mounted file system are watched") func mountedFilesAreWatched() throws {
        let place = phone.files + phone.home + "/.config"
        try run("mount", "-t", "tmpfs", "none", place)
        #expect(try keys() == ["settings": ["a"]])
        try run("sh", "-c", #"printf '{"c": 1}' >"$0/new.json""#, place)
        #expect(try keys() == ["new": ["c"]])
    }
}

enum MountNamespace {
    static let launcher = ["unshare", "--mount", "--propagation", "private"]

    /// Whether mounting is permitted: for root, but not in every container.
    static var canBeMade: Bool {
        guard geteuid() == 0, let directory = try? TemporaryDirectory() else { return false }
        let mount = ["sh", "-c", "mount -t tmpfs none '\(directory.path)'"]
        let run = try? ProgramRun(Array(launcher.dropFirst()) + mount, program: launcher[0], in: directory)
        return run?.code == 0
    }
}
