// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// What a program on the phone is told by the phone's bus.
struct PhoneObserver {
    let phone: SyntheticPhone

    /// The program under test, built beside the test bundle.
    private static var program: String {
        let bundle = realpath("/proc/self/exe", nil).map { String(cString: $0) } ?? ""
        return bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/reveille"
    }

    /// Runs `reveille` on the phone.
    func reveille(_ arguments: String...) throws -> ProgramResult {
        let result = try phone.run([Self.program] + arguments)
        try #require(result.exitCode == 0, "\(result.errors)")
        return result
    }

    /// An aspect's state, as every source tells it now.
    func state(of aspect: String) throws -> JSONObject {
        _ = try reveille("refresh")
        let line = try reveille("get", aspect, "--json").output.split(separator: "\n").first ?? ""
        let event = try JSON.parse(Array(line.utf8)).objectValue
        return try #require(event?[aspect]?.objectValue, "\(line)")
    }
}
