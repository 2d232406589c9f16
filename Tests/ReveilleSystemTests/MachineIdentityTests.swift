// SPDX-License-Identifier: Apache-2.0

import ReveilleHost
import ReveilleSystem
import Testing

@Suite struct MachineIdentityTests {
    private static let machine: [UInt8] =
        if case .bytes(let bytes) = FileContents.read("/etc/machine-id", limit: 64) { bytes } else { [] }

    @Test(
        "the identity for networks stays the same and does not reveal the machine's",
        .enabled(if: machine.count >= 32, "requires /etc/machine-id"))
    func identityIsStableAndItsOwn() throws {
        let identity = try MachineIdentity.forNetworks()
        #expect(try identity == MachineIdentity.forNetworks())
        #expect(identity.wholeMatch(of: #/[0-9a-f]{32}/#) != nil, "\(identity)")
        #expect(!Self.machine.starts(with: identity.utf8))
    }
}

/// Files that a program cannot do without.
@Suite struct RequiredFileTests {
    @Test(
        "a file that cannot be used is named with the reason",
        arguments: [
            ("/nowhere/file", "open /nowhere/file: No such file or directory (ENOENT)"), ("/etc", "/etc: not a file"),
            ("/etc/passwd", "/etc/passwd: longer than 1 bytes"),
        ])
    func unusableFile(path: String, description: String) {
        let error = #expect(throws: RequiredFile.Unusable.self) { try RequiredFile.read(path, limit: 1) }
        #expect(error?.description == description)
    }
}
