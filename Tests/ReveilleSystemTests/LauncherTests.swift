// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleHost
import ReveilleSystem
import ReveilleTesting
import Testing

private actor LauncherOnThread {
    private let thread: LoopThread
    private let launcher: SystemLauncher
    private var waiting: [CheckedContinuation<String, Never>] = []
    private var ends: [String] = []
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(address: String) async throws {
        thread = try LoopThread()
        launcher = SystemLauncher(
            loop: thread.loop, manager: ServiceManager(loop: thread.loop, address: address))
        launcher.ended = { [weak self] arguments, result in
            self?.assumeIsolated { $0.add("\(arguments[0]) \(result)") }
        }
    }

    // The loop and what uses it are released on its thread.
    isolated deinit {}

    private func add(_ end: String) {
        if waiting.isEmpty { ends.append(end) } else { waiting.removeFirst().resume(returning: end) }
    }

    func launch(_ arguments: [String], adding additions: [String: String] = [:]) async -> Launch {
        await withCheckedContinuation { done in
            var hasReturned = false
            launcher.launch(arguments, adding: additions) { result in
                #expect(hasReturned, "the completion was called too early")
                done.resume(returning: result)
            }
            hasReturned = true
        }
    }

    func adopt(_ process: ProcessIdentity, running arguments: [String]) throws(SystemError) -> Bool {
        try launcher.adopt(process, running: arguments)
    }

    /// Launches a command while it is being launched, and returns the results in the order of their arrival.
    func launchTwice(_ arguments: [String], adding additions: [String: String]) async -> [Launch] {
        await withCheckedContinuation { done in
            var results: [Launch] = []
            for _ in 0..<2 {
                launcher.launch(arguments, adding: additions) { result in
                    results.append(result)
                    if results.count == 2 { done.resume(returning: results) }
                }
            }
        }
    }

    /// Waits for the end of a launched program, and returns its program and result.
    func end() async -> String {
        if !ends.isEmpty { return ends.removeFirst() }
        return await withCheckedContinuation { waiting.append($0) }
    }
}

/// Programs that are launched without a service manager.
@Suite(.timeLimit(.minutes(10))) struct SpawningLauncherTests {
    private let directory: TemporaryDirectory
    private let launcher: LauncherOnThread

    init() async throws {
        directory = try TemporaryDirectory()
        launcher = try await LauncherOnThread(address: "unix:path=\(directory.path)/nobody")
    }

    @Test func runningProgramIsNotStartedAgainAndItsEndIsReported() async throws {
        let fifo = directory.path + "/fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        let command = ["sh", "-c", "read line <\(fifo); exit 7"]
        #expect(await launcher.launch(command).isStarted)
        #expect(await launcher.launch(command) == .alreadyRunning)
        #expect(await launcher.launch(["true"]).isStarted)
        #expect(await launcher.end() == "true exited with code 0")
        try TemporaryDirectory.writeLine(to: fifo)
        #expect(await launcher.end() == "sh exited with code 7")
        #expect(await launcher.launch(["sh", "-c", "kill -TERM $$"]).isStarted)
        #expect(await launcher.end() == "sh was ended by signal 15")
    }

    @Test func runningProgramOfAnEarlierLauncherIsNotStartedAgain() async throws {
        let fifo = directory.path + "/fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        let command = ["sh", "-c", "read line <\(fifo)"]
        var first: LauncherOnThread? = try await LauncherOnThread(address: "unix:path=\(directory.path)/nobody")
        guard case .started(let identity?) = await first?.launch(command) else {
            Issue.record("not started")
            return
        }
        first = nil
        #expect(await launcher.launch(["true"]).isStarted)
        #expect(await launcher.end() == "true exited with code 0")
        #expect(try await launcher.adopt(identity, running: command))
        let other = ProcessIdentity(pid: identity.pid, start: identity.start + 1, boot: identity.boot)
        #expect(try await launcher.adopt(other, running: ["sh"]) == false)
        let reused = ProcessIdentity(pid: identity.pid, start: identity.start, boot: "another boot")
        #expect(try await launcher.adopt(reused, running: ["sh"]) == false)
        #expect(await launcher.launch(command) == .alreadyRunning)
        try TemporaryDirectory.writeLine(to: fifo)
        // The result belongs to the parent.
        #expect(await launcher.end().hasPrefix("sh e"))
        #expect(try await launcher.adopt(identity, running: command) == false)
    }

    @Test func startOfAProcessIsFoundWhateverItsName() {
        let rest = (4...60).map { "\($0)" }.joined(separator: " ")
        #expect(ProcessIdentity.start(inStat: Array("7 (a) b (c)) S \(rest)".utf8)) == 22)
        for text in ["", "7 (a", "7 (a) S 1 2"] { #expect(ProcessIdentity.start(inStat: Array(text.utf8)) == nil) }
    }

    @Test func programHasASessionAndTheAddedVariablesAndNoInput() async throws {
        let script = """
            read line || line=none
            echo "$REVEILLE_X $line $(cut -d' ' -f6 /proc/$$/stat) $$ $(ls /proc/self/fd | wc -l)" >"$0~"
            mv "$0~" "$0"
            """
        let output = directory.path + "/output"
        #expect(await launcher.launch(["sh", "-c", script, output], adding: ["REVEILLE_X": "a b"]).isStarted)
        #expect(await launcher.end() == "sh exited with code 0")
        let words = directory.read("output").split { $0 == " " || $0 == "\n" }.map(String.init)
        #expect(words.prefix(3) == ["a", "b", "none"])
        #expect(words[3] == words[4], "the program does not lead a session")
        // 0 to 2, and the directory that ls reads.
        #expect(words[5] == "4")
    }

    @Test func programThatCannotBeStartedIsReportedWithTheReason() async throws {
        #expect(
            await launcher.launch(["reveille-no-such-program"])
                == .failed("exec reveille-no-such-program: No such file or directory (ENOENT)"))
        #expect(await launcher.launch(["/etc/passwd"]) == .failed("exec /etc/passwd: Permission denied (EACCES)"))
        #expect(await launcher.launch([""]) == .failed("exec: Invalid argument (EINVAL)"))
        #expect(await launcher.launch([]) == .failed("exec: Invalid argument (EINVAL)"))
        #expect(await launcher.launch(["true", "a\0b"]) == .failed("exec true: Invalid argument (EINVAL)"))
    }
}

@Suite(
    .timeLimit(.minutes(10)), .enabled(if: PrivateServiceManager.obstacle == nil, "no systemd can be started here"))
struct ServiceLauncherTests {
    private let real: PrivateServiceManager
    private let directory: TemporaryDirectory
    private let launcher: LauncherOnThread

    init() async throws {
        real = try PrivateServiceManager()
        directory = try TemporaryDirectory()
        launcher = try await LauncherOnThread(address: real.address)
    }

    @Test func programIsAServiceThatIsNotStartedTwice() async throws {
        let fifo = directory.path + "/fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        // A percent sign, a dollar sign and a quote mean something in a unit file.
        let command = [
            "sh", "-c", #"printf "%s %s\n" "$REVEILLE_X" "$(cat /proc/self/cgroup | grep ^0::)" >"$0""#, fifo,
        ]
        let results = await launcher.launchTwice(command, adding: ["REVEILLE_X": #"{"a": "$HOME %h"}"#])
        #expect(results == [.alreadyRunning, .started(nil)])
        let other = try await LauncherOnThread(address: real.address)
        #expect(await other.launch(command) == .alreadyRunning)
        let line = directory.read(fifo: "fifo")
        #expect(line.hasPrefix(#"{"a": "$HOME %h"} 0::/"#))
        #expect(line.contains("/app-reveille-sh@"))
    }

    @Test func programThatCannotBeExecutedIsReported() async throws {
        try directory.write("#!/nonexistent\n", to: "script")
        chmod(directory.path + "/script", 0o700)
        guard case .failed(let reason) = await launcher.launch([directory.path + "/script"]) else {
            Issue.record("started")
            return
        }
        #expect(reason.hasPrefix(directory.path + "/script: the job of app-reveille-script@"))
        #expect(reason.hasSuffix("ended as 'failed'"))
    }
}

extension Launch {
    fileprivate var isStarted: Bool {
        if case .started = self { true } else { false }
    }
}

extension TemporaryDirectory {
    fileprivate func read(fifo name: String) -> String {
        guard let stream = fopen(path + "/" + name, "r") else { return "" }
        defer { fclose(stream) }
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        return getline(&line, &size, stream) > 0 ? line.map { String(cString: $0) } ?? "" : ""
    }

    fileprivate static func writeLine(to path: String) throws {
        guard let stream = fopen(path, "w") else { throw TestbedError("open \(path)") }
        fputs("line\n", stream)
        fclose(stream)
    }
}
