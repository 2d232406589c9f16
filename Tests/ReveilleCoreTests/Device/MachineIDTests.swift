// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

/// The identifier of a machine for a user.
@Suite struct MachineIDTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    private func identifier(_ file: String, user: UInt32 = 1_000) -> String? {
        MachineID(Array(file.utf8))?.identifier(forUser: user)
    }

    @Test("the identifier is the result of sd_id128_get_machine_app_specific for the application ID of the user")
    func identifierIsThatOfSystemd() throws {
        // systemd-id128 machine-id --app-specific=a4a9ee68b765a97860c888c2000003e8, on a machine with this ID.
        #expect(identifier(Self.secret + "\n") == "c632fa55-2475-475a-af33-89ffa2f95679")
        #expect(identifier(Self.secret.uppercased()) == identifier(Self.secret))
    }

    @Test("the identifier differs for each user and contains nothing of the machine ID")
    func identifierDiffersForEachUser() throws {
        let users: [UInt32] = [0, 1, 1_000, 1_001, 65_536, .max]
        let all = users.compactMap { identifier(Self.secret, user: $0) }
        #expect(Set(all).count == users.count)
        #expect(all.allSatisfy { $0.utf8.count == 36 && !$0.contains("01234567") && !$0.contains("89abcdef") })
        #expect(users.compactMap { identifier(Self.secret, user: $0) } == all)
    }

    @Test(arguments: [
        "", "\n", "uninitialized\n", "0123456789abcdef", "0123456789abcdef0123456789abcdef0",
        "00000000000000000000000000000000",
        "0123456789abcdef0123456789abcdeg", "01234567-89ab-cdef-0123-456789abcdef", "0123456789abcdef\0123456789abcdef",
    ])
    func invalidMachineIDHasNoIdentifier(file: String) {
        #expect(identifier(file) == nil)
    }

    @Test(
        "SHA-256 has the values of FIPS 180-4",
        arguments: [
            (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            (63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
            (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            (65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
            (1_000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
        ])
    func hashOfRepeatedLetters(count: Int, hash: String) {
        let bytes = SHA256.hash([UInt8](repeating: UInt8(ascii: "a"), count: count))
        #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == hash)
    }
}
