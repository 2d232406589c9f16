// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// The state of a phone as reported to a program by its bus.
struct PhoneObserver {
    let phone: SyntheticPhone

    /// The directory of the test bundle, which contains the program under test.
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

    /// Returns an aspect's state after a fresh sample.
    func state(of aspect: String) throws -> JSONObject {
        _ = try reveille("refresh")
        let line = try reveille("get", aspect, "--json").output.split(separator: "\n").first ?? ""
        let event = try JSON.parse(Array(line.utf8)).objectValue
        return try #require(event?[aspect]?.objectValue, "\(line)")
    }
}
