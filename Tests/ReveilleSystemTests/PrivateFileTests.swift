// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

/// Atomic replacement of a file.
@Suite(.timeLimit(.minutes(10))) struct PrivateFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/state" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test("an existing file at the temporary path neither blocks nor is written to")
    func existingTemporaryFileIsRemoved() throws {
        #expect(mkfifo(path + ".new", 0o600) == 0)
        try PrivateFile.replace(path, with: Array("one".utf8))
        #expect(directory.read("state") == "one")
        try directory.write("precious", to: "other")
        #expect(symlink(directory.path + "/other", path + ".new") == 0)
        try PrivateFile.replace(path, with: Array("two".utf8))
        #expect(directory.read("state") == "two" && directory.read("other") == "precious")
        #expect(access(path + ".new", F_OK) != 0)
    }

    @Test("a failed replacement leaves the old contents and no other file")
    func failuresLeaveNothing() throws {
        try PrivateFile.replace(path, with: [1])
        #expect(throws: SystemError("write", on: path, code: EFBIG)) {
            try PrivateFile.replace(path, with: Array(repeating: 1, count: PrivateFile.limit + 1))
        }
        #expect(try PrivateFile.read(path) == [1])
        #expect(mkdir(directory.path + "/directory", 0o700) == 0)
        #expect(throws: SystemError.self) { try PrivateFile.replace(directory.path + "/directory", with: [1]) }
        #expect(access(directory.path + "/directory.new", F_OK) != 0)
    }
}
