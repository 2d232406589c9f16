// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension Scene {
    func at(_ path: String) -> String { root + path }

    func makeDirectory(_ path: String) {
        var made = root
        for name in path.split(separator: "/") {
            made += "/" + name
            mkdir(made, 0o755)
        }
    }

    func write(_ path: String, _ text: String) {
        write(path, Array(text.utf8))
    }

    func write(_ path: String, _ bytes: [UInt8]) {
        close(open(path, writing: bytes))
    }

    /// Opens, truncates and writes a file; the caller must close the file descriptor.
    func open(_ path: String, writing bytes: [UInt8]) -> Int32 {
        let descriptor = Glibc.open(at(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        #expect(descriptor >= 0, "\(path)")
        append(bytes, to: descriptor)
        return descriptor
    }

    func append(_ bytes: [UInt8], to descriptor: Int32) {
        if !bytes.isEmpty { #expect(Glibc.write(descriptor, bytes, bytes.count) == bytes.count) }
    }

    func replace(_ path: String, _ text: String) {
        write(path + ".tmp123", text)
        move(path + ".tmp123", path)
    }

    func move(_ path: String, _ other: String) {
        #expect(rename(at(path), at(other)) == 0, "\(path)")
    }

    func remove(_ path: String) {
        #expect(unlink(at(path)) == 0, "\(path)")
    }

    /// Creates a link or atomically replaces it.
    func link(_ path: String, to target: String) {
        #expect(symlink(target, at(path) + ".tmp123") == 0)
        move(path + ".tmp123", path)
    }

    func touch(_ path: String) {
        #expect(utimensat(AT_FDCWD, at(path), nil, 0) == 0)
    }

    func changeMode(_ path: String, _ mode: mode_t) {
        #expect(chmod(at(path), mode) == 0)
    }
}
