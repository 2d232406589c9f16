// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting

/// Attributes whose reads fail, take long or wait, in programs that have the environment: see `Tests/DeviceFaults`.
///
/// A file is named by its directory and its name, as in `battery/capacity`.
final class DeviceFaults {
    private let directory: TemporaryDirectory
    private var writer: Int32?

    init() throws {
        directory = try TemporaryDirectory()
        let source = Package.root + "/Tests/DeviceFaults/shim.c"
        let compiler = try ProgramRun(
            ["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", directory.path + "/shim.so", source], program: "gcc",
            in: directory)
        guard compiler.code == 0 else { throw Trouble("gcc \(source): \(compiler.errors)") }
    }

    deinit {
        if let writer { close(writer) }
    }

    var environment: [String: String] {
        [
            "LD_PRELOAD": "libumockdev-preload.so.0:\(directory.path)/shim.so",
            "DEVICE_FAULTS": directory.path,
        ]
    }

    private func control(_ file: String) -> String { directory.path + "/" + file.replacing("/", with: "_") }

    private func set(_ text: String, _ file: String) throws {
        try directory.write(text, to: "next")
        guard rename(directory.path + "/next", control(file)) == 0 else { throw Trouble("rename: error \(errno)") }
    }

    func fail(_ file: String, with error: Int32) throws { try set("\(error)", file) }

    func delay(_ file: String, milliseconds: Int) throws { try set("+\(milliseconds)", file) }

    /// Lets the reads of a file wait until ``heal(_:)``.
    func block(_ file: String) throws {
        heal(file)
        guard mkfifo(control(file), 0o600) == 0 else { throw Trouble("mkfifo \(file): error \(errno)") }
    }

    func waitForRead(of file: String) throws {
        try wait(for: "a read of \(file)") {
            let descriptor = open(control(file), O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            if descriptor >= 0 { writer = descriptor }
            return descriptor >= 0
        }
    }

    func heal(_ file: String) {
        unlink(control(file))
        if let writer { close(writer) }
        writer = nil
    }
}
