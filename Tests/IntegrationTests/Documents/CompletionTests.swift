// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

/// What bash, zsh and fish offer with the completions that `Scripts/packaging/manual` writes.
@Suite(.blocking, .timeLimit(.minutes(10))) struct CompletionTests {
    /// Each prints what the shell offers for a line, `$2`, with the completions in the directory `$1`.
    private static let shells = [
        (
            ["bash", "--norc", "-c"],
            """
            source "$1/reveille.bash"
            read -ra COMP_WORDS <<<"$2"
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$2 COMP_POINT=${#2}
            _reveille reveille "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
            printf '<%s>\\n' "${COMPREPLY[@]}"
            """
        ),
        (
            // Completion needs a terminal. A function in the place of compadd prints what it adds.
            ["zsh", "-f", "-c"],
            """
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell "unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source $1/_reveille"
            zpty -w shell 'offer() { compadd() { if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi; typeset -a hits; builtin compadd -A hits "$@"; print -rl -- "<"${^hits}">"; builtin compadd "$@" }; _main_complete; exit }'
            zpty -w shell 'zle -C offer complete-word offer; bindkey "^X" offer; print READY'
            zpty -r -m shell line '*READY*'
            zpty -n -w shell "$2"$'\\x18'
            while zpty -r shell line; do print -rn -- "$line"; done
            """
        ),
    ]
    private static let lines = [
        ("reveille help wat", "watch"), ("reveille pos", "post"), ("reveille simulate day.sc", "day.scenario"),
        ("reveille rules --state sta", "state.json"), ("reveille schedule cancel te", "tea"),
        ("reveille get org.example.pl", "org.example.player"),
        ("reveille plot org.example.player tra", "track.length"), ("reveille on battery x -- ech", "echo"),
        ("reveille publish org.example.x - --needed ech", "echo"),
    ]

    private let bus: BusProcess
    private let pages: String

    init() throws {
        bus = try BusProcess()
        pages = bus.directory.path + "/pages"
        let manual = try bus.run(
            [Package.root + "/Scripts/packaging/manual", "--programs", ChildProcess.sibling("."), pages],
            program: "python3")
        #expect(manual.code == 0, "\(manual.errors)")
        for file in ["day.scenario", "state.json"] { try bus.directory.write("", to: file) }
        let published = try bus.run(["publish", "org.example.player", #"{"volume":7,"track":{"length":180}}"#])
        #expect(published.code == 0)
        #expect(try bus.run(["schedule", "add", "tea", "--in", "1h"]).code == 0)
    }

    @Test("bash and zsh offer files, entries, numbers, the commands after help, and those of the system after --")
    func shellsOffer() throws {
        for (shell, script) in Self.shells {
            let isThere = try ProgramRun(["-c", "command -v \(shell[0])"], program: "sh", in: bus.directory).code == 0
            #expect(isThere || getenv("CI") == nil, "\(shell[0]) is not installed")
            for (line, word) in Self.lines where isThere {
                let command = #"cd "$0" && PATH="$1:$PATH" && shift && exec "$@""#
                let run = try bus.run(
                    ["-c", command, bus.directory.path, ChildProcess.sibling(".")] + shell
                        + [script, shell[0], pages + "/reveille", line], program: "sh")
                #expect(run.output.contains("<\(word)>"), "\(shell[0]): \(line): \(run.output)\(run.errors)")
            }
        }
    }

    // fish knows its command line on a terminal only, and takes a command after an option for the option's value.
    @Test("fish completes the same", .enabled(if: Tmux.isAvailable, "tmux is not installed"))
    func fishCompletes() throws {
        let path = "\(ChildProcess.sibling(".")):\(Environment["PATH"] ?? "")"
        let tmux = try Tmux(
            columns: 100, rows: 24, in: bus.directory, environment: ["REVEILLE_ADDRESS": bus.address, "PATH": path])
        try tmux.press("fish --no-config -C 'source \(pages)/reveille/reveille.fish; echo ready'", "Enter")
        try tmux.wait(for: "fish") { $0 == "ready" }
        for (line, word) in Self.lines where !line.contains("--needed") {
            let start = line.split(separator: " ").dropLast().joined(separator: " ")
            try tmux.press("-l", line)
            try tmux.press("Tab")
            try tmux.wait(for: "\(start) \(word)")
            try tmux.press("C-u")
        }
    }
}
