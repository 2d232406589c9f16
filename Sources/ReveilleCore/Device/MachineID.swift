// SPDX-License-Identifier: Apache-2.0

/// The ID of the installed operating system (machine-id(5)), which must not leave the machine.
struct MachineID {
    private let bytes: [UInt8]

    /// Reads the file `machine-id`; `nil` if it has no ID, as before the first boot and in some containers.
    init?(_ file: [UInt8]) {
        let digits = file.trimmed(\.isSpace).compactMap(\.hexadecimalValue)
        guard file.trimmed(\.isSpace).count == 32, digits.count == 32, digits.contains(where: { $0 != 0 }) else {
            return nil
        }
        bytes = stride(from: 0, to: 32, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Returns the identifier of the machine for a user, in the form of a UUID of version 4.
    ///
    /// It is computed as in sd_id128_get_machine_app_specific(3), with an application ID that ends in the user ID. The
    /// machine ID, and the identifiers of other users, cannot be derived from it.
    func identifier(forUser user: UInt32) -> String {
        let application = Self.application + (0..<4).map { UInt8(truncatingIfNeeded: user >> (24 - 8 * $0)) }
        var code = Array(SHA256.authenticationCode(of: application, key: bytes)[..<16])
        code[6] = code[6] & 0x0F | 0x40
        code[8] = code[8] & 0x3F | 0x80
        let digits = code.map { [String($0 >> 4, radix: 16), String($0 & 0x0F, radix: 16)].joined() }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
    }

    /// The first bytes of the application ID: random, and never changed, since identifiers would change with them.
    private static let application: [UInt8] = [
        0xa4, 0xa9, 0xee, 0x68, 0xb7, 0x65, 0xa9, 0x78, 0x60, 0xc8, 0x88, 0xc2,
    ]
}
