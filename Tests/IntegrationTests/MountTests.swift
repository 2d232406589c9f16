// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// Mounts on the way to watched files, in a mount namespace that is the bus's alone and goes with it.
@Suite(.timeLimit(.minutes(10)), .enabled(if: MountNamespace.canBeMade, "no mount can be made here"))
struct MountTests {
    private let phone: SyntheticPhone
    private let bus: BusProcess
    private let subscriber: Subscriber

    init() throws {
        phone = try SyntheticPhone()
        try phone.write(#"{"a": 1}"#, to: phone.home + "/.config/settings.json")
        try phone.write(#"{"b": 1}"#, to: "/other/settings.json")
        bus = try BusProcess(phone: phone, launcher: MountNamespace.launcher)
        subscriber = try bus.subscribe(#"{"aspects":["defaults"]}"#)
    }

    /// Runs a command where the bus is.
    private func run(_ command: String...) throws {
        let directory = try TemporaryDirectory()
        let arguments = ["--target", "\(bus.process.pid)", "--mount"] + command
        let run = try ProgramRun(arguments, program: "nsenter", in: directory)
        try #require(run.code == 0, "\(command): \(run.errors)")
    }

    /// The keys of the next event, by domain.
    private func keys() throws -> [String: JSON] {
        let domains = try subscriber.next().first?["defaults"]?.objectValue?["domains"]?.arrayValue ?? []
        return Dictionary(
            domains.compactMap(\.objectValue).map { ($0["domain"]?.stringValue ?? "", $0["keys"] ?? .null) }
        ) { $1 }
    }

    @Test(
        "a mount over a directory of settings, or over one above it, and its end are noticed",
        arguments: ["/.config", ""])
    func mountsOverDirectoriesAreNoticed(name: String) throws {
        let place = phone.files + phone.home + name
        try run("mount", "-t", "tmpfs", "none", place)
        #expect(try keys() == ["settings": ["a"]])
        try run("umount", place)
        #expect(try keys() == ["settings": ["a"]])
    }

    @Test("a file that is mounted over another, and its end are noticed") func mountsOverFilesAreNoticed() throws {
        let file = phone.files + phone.home + "/.config/settings.json"
        try run("mount", "--bind", phone.files + "/other/settings.json", file)
        #expect(try keys() == ["settings": ["a", "b"]])
        try run("umount", file)
        #expect(try keys() == ["settings": ["a", "b"]])
    }

    @Test("files in what was mounted are watched") func whatWasMountedIsWatched() throws {
        let place = phone.files + phone.home + "/.config"
        try run("mount", "-t", "tmpfs", "none", place)
        #expect(try keys() == ["settings": ["a"]])
        try run("sh", "-c", #"printf '{"c": 1}' >"$0/new.json""#, place)
        #expect(try keys() == ["new": ["c"]])
    }
}

private enum MountNamespace {
    static let launcher = ["unshare", "--mount", "--propagation", "private"]

    /// Root may make one, but not in every container.
    static var canBeMade: Bool {
        guard geteuid() == 0, let directory = try? TemporaryDirectory() else { return false }
        let mount = ["sh", "-c", "mount -t tmpfs none '\(directory.path)'"]
        let run = try? ProgramRun(Array(launcher.dropFirst()) + mount, program: launcher[0], in: directory)
        return run?.code == 0
    }
}
