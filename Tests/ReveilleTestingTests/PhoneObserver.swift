// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// The state of a phone as reported to a program by its bus.
struct PhoneObserver {
    let phone: SyntheticPhone
    let bus: PhoneBus

    func reveille(_ arguments: String...) async throws -> ProgramResult {
        let result = try await phone.run([ChildProcess.sibling("reveille")] + arguments)
        try #require(result.exitCode == 0, "\(result.errors)")
        return result
    }

    func state(of aspect: String) async throws -> JSONObject {
        _ = try await reveille("refresh")
        let line = try await reveille("get", aspect, "--json").output.split(separator: "\n").first ?? ""
        let event = try JSON.parse(Array(line.utf8)).objectValue
        return try #require(event?[aspect]?.objectValue, "\(line)")
    }
}
