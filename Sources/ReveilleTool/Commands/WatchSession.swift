// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole
import ReveilleSystem

/// One run of `reveille watch`: its subscription and its keys.
///
/// An event is taken only when it can be printed, so changes remain merged while stdout is blocked.
final class WatchSession {
    private let run: EventRun
    /// The terminal, if keys are read.
    private let job: TerminalJob?
    private let stream: WatchStream

    init(_ command: WatchCommand) throws {
        stream = try WatchStream(command)
        run = try EventRun(command.limits, counting: stream.counted)
        job = stream.isInteractive ? TerminalJob(run.loop) : nil
    }

    func follow() throws {
        try takeTerminal()
        do {
            defer { job?.leave() }
            try run.follow { [stream] in try await stream.run() }
        }
        try run.checkEnd()
    }

    private func takeTerminal() throws(SystemError) {
        job?.onEnter = { [stream] in stream.prompt.show() }
        job?.onLeave = { [stream] in stream.prompt.hide(isOurs: $0) }
        job?.onKeys = { [unowned self] keys in keys.forEach(press) }
        job?.onEnd = { [run] error in run.end(error.map { Failure(.failure, "\($0)") }) }
        try job?.start()
    }

    private func press(_ key: UInt8) {
        switch key {
        case UInt8(ascii: "b"): setState(isBackground: true)
        case UInt8(ascii: "f"): setState(isBackground: false)
        case UInt8(ascii: "q"), 4: run.end()
        default: break
        }
    }

    private func setState(isBackground: Bool) {
        Task { [stream, task = run.task] in
            do {
                try await stream.setState(isBackground: isBackground)
            } catch {
                task.fail(error)
            }
        }
    }
}
