// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleTesting
import Testing

/// The completions that a shell offers for aspects and names.
@Suite(.blocking, .timeLimit(.minutes(10))) struct CompletionTests {
    /// Returns the completions of the last word of a command line in bash.
    private func completions(of line: [String], on bus: BusProcess) throws -> [Substring] {
        let script = """
            set -e
            script=$("$1" --generate-completion-script bash)
            eval "$script"
            shift
            COMP_WORDS=("$0" "$@") COMP_CWORD=$# COMP_LINE="$0 $*" COMP_POINT=1000
            _reveille "$0" "${@: -1}" "${@: -2:1}" || true
            printf '%s\n' "${COMPREPLY[@]}"
            """
        let run = try bus.run(
            ["-c", script, BusProcess.program, BusProcess.program] + line, program: "bash")
        #expect(run.code == 0, "\(run.errors)")
        return run.output.split(separator: "\n")
    }

    @Test func publishedNamesAreOffered() throws {
        let bus = try BusProcess()
        for name in ["org.example.player", "org.example.job"] {
            try bus.client().call("Publish", #"{"aspect":"\#(name)","value":{}}"#)
        }
        let names: [Substring] = ["org.example.job", "org.example.player"]
        #expect(
            try completions(of: ["get", ""], on: bus) == Aspect.device.map { Substring($0.name) } + names)
        #expect(try completions(of: ["watch", "battery", "org.example.j"], on: bus) == ["org.example.job"])
        for command in ["publish", "withdraw"] { #expect(try completions(of: [command, "o"], on: bus) == names) }
        #expect(try completions(of: ["get", "--address", "unix:/nowhere", "o"], on: bus) == ["orientation"])
        #expect(bus.stop() == 0)
        #expect(try completions(of: ["get", "o"], on: bus) == ["orientation"])
    }
}
