// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ReveilleConsole
import ReveilleCore
import ReveilleSystem

struct WatchCommand: GuardedCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print each change as it occurs.",
        discussion: """
            Reconnects when the bus restarts, and prints what changed in the meantime. A pattern prints the changes of \
            each name, also of names that are published later. A line begins with the time of the last change. After \
            a wake, that is a time at which the program slept: the line came later. On a terminal, b sends the \
            subscription to the background, f returns it to the foreground, q quits, and values of published names \
            are truncated to the width of the terminal. Ctrl-Z and fg work too, but a change that was already under \
            way is then printed before the merged ones.

            EXAMPLES
              reveille watch
              reveille watch --all
              reveille watch battery orientation --initial --json
              reveille watch battery --count 1 --timeout 60 && notify-send changed
              reveille watch --state ~/.cache/watched --count 1
              reveille watch 'org.example.*' --interval 0.5
              reveille watch defaults --domain dconf:/org/gnome/desktop/interface/
            """)

    @Argument(
        help: Aspect.argumentHelp("watch"), completion: Aspect.completion,
        transform: Aspect.init(argument:))
    var aspects: [Aspect] = []

    @Flag(
        help: """
            Print the changes of all aspects of the device except motion, and of all names that begin with the first word \
            of a published name, or with \(WatchedAspects.firstWordsText).
            """)
    var all = false

    @Flag(
        help: """
            Print the current state first, and count it towards --count. On a terminal the state is always printed, \
            but counted only with this option.
            """)
    var initial = false

    @Flag(help: "Start in the background.")
    var background = false

    @Flag(help: "Print each event as a line of JSON, an Event of the interface.")
    var json = false

    @Flag(help: "Print the date as well as the time.")
    var date = false

    @Flag(help: "Print the source of each state.")
    var source = false

    @Flag(help: "Exit with 69 when the bus ends.")
    var once = false

    @Flag(help: "Wait for a bus if there is none.")
    var wait = false

    @Option(help: "The name of the subscription in 'reveille status'. Default: $REVEILLE_NAME, else 'reveille watch'.")
    var name: String?

    @Option(
        parsing: .unconditional,
        help: """
            Print at most one event of each aspect in this many seconds. Earlier changes are merged into the next event.
            """,
        transform: Seconds.parse)
    var interval: Double?

    @OptionGroup var domains: DomainOptions

    @OptionGroup var limits: LimitOptions

    @Option(
        help: """
            A file that stores the position in the stream, of at most \(CommandState.sizeText), for one run at a time. The \
            next run with this file first prints what changed since then. Events that were being printed when the run was killed are printed \
            again.
            """, completion: .file())
    var state: String?

    @OptionGroup var bus: BusOptions

    func validate() throws {
        if all && !aspects.isEmpty { throw ValidationError("--all cannot be combined with aspects") }
        _ = try domains.selection(for: all ? .device : AspectSet(naming: aspects))
        if state?.isEmpty == true { throw ValidationError("--state must not be empty") }
        if json && (date || source) {
            throw ValidationError("--date and --source cannot be combined with --json")
        }
    }

    func perform() throws {
        Aspect.warnOfExpansion(aspects)
        let lock = try state.map { path throws(Failure) in try CommandState(path, of: "watch").alone() }
        let stream = try WatchStream(self)
        let run = try EventRun(limits, counting: stream.counted)
        let job = stream.isInteractive ? TerminalJob(run.loop) : nil
        job?.onEnter = { stream.prompt.show() }
        job?.onLeave = { stream.prompt.hide(isOurs: $0) }
        job?.onKeys = { keys in keys.forEach { Self.press($0, stream, run) } }
        job?.onEnd = { error in run.end(error.map { Failure(.failure, "\($0)") }) }
        try job?.start()
        do {
            defer { job?.leave() }
            try run.follow { try await stream.run() }
        }
        withExtendedLifetime(lock) {}
        try run.checkEnd()
    }

    private static func press(_ key: UInt8, _ stream: WatchStream, _ run: EventRun) {
        let isBackground: Bool
        switch key {
        case UInt8(ascii: "b"): isBackground = true
        case UInt8(ascii: "f"): isBackground = false
        case UInt8(ascii: "q"), 4: return run.end()
        default: return
        }
        Task { [task = run.task] in
            do {
                try await stream.setState(isBackground: isBackground)
            } catch {
                task.fail(error)
            }
        }
    }
}
