// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore
import ReveilleSystem
import Varlink

/// One run of `reveille watch`: the stream, the keys, and what ends it.
final class WatchSession {
    private let command: WatchCommand
    private let address: UnixAddress
    private let loop: EventLoop
    private let client: BusClient
    private var subscription = ""
    private var sources: [EventSource] = []
    private var printed = 0
    private var failure: Failure?
    private let terminal: RawTerminal?

    init(_ command: WatchCommand, address: UnixAddress) throws {
        self.command = command
        self.address = address
        loop = try EventLoop()
        client = try BusClient(address)
        terminal = Console.isInteractive && !command.json ? RawTerminal() : nil
    }

    /// Prints until the count is reached, time is up, the bus ends or a person ends it.
    func run() throws {
        var parameters = Aspect.parameters(command.aspects)
        parameters["state"] = command.background ? "background" : nil
        parameters["name"] = .string(command.name ?? "reveille watch")
        parameters["initial"] = command.initial || terminal != nil ? true : nil
        try client.send("Subscribe", parameters, mode: .more)
        let first = try client.receive(atMost: BusClient.patience).parameters
        subscription = first["subscription"]?.stringValue ?? ""
        if terminal != nil { showKeys(isBackground: command.background) }
        try show(first)
        try watchSources()
        if isDone { return }
        handle()
        try loop.run()
        if let failure { throw failure }
    }

    private func watchSources() throws(SystemError) {
        sources.append(try loop.watch(client.descriptor, for: .readable) { [unowned self] _ in handle() })
        for signal in [SIGINT, SIGTERM] {
            sources.append(try loop.onSignal(signal) { [unowned self] in loop.exit() })
        }
        if terminal != nil {
            sources.append(try loop.watch(STDIN_FILENO, for: .readable) { [unowned self] _ in readKey() })
        }
        if let timeout = command.timeout {
            let timer = try loop.timer { [unowned self] in
                end(Failure(.timeout, "nothing more within \(timeout) seconds"))
            }
            timer.fire(after: .seconds(timeout))
            sources.append(timer)
        }
    }

    private var isDone: Bool {
        command.count.map { printed >= $0 } ?? false
    }

    private func end(_ failure: Failure? = nil) {
        self.failure = self.failure ?? failure
        loop.exit()
    }

    /// Prints what has come.
    private func handle() {
        do throws(Failure) {
            while !isDone, let reply = try client.next() {
                try show(reply.parameters)
                if !reply.continues { throw Failure(.noBus, "the bus ended the stream") }
            }
            if isDone { end() }
        } catch {
            end(error)
        }
    }

    private func show(_ parameters: JSONObject) throws(Failure) {
        for (json, event) in try Events.of(parameters) where !isDone {
            Console.line(command.json ? json.description : time(event) + EventText.line(event))
            printed += 1
        }
    }

    private func time(_ event: Event) -> String {
        Style.dim(event.changes == 0 ? "now       " : LocalTime.text(event.changedAt) + "  ")
    }

    private func showKeys(isBackground: Bool) {
        let state = isBackground ? Style.yellow("background") : Style.green("foreground")
        Console.error(state + Style.dim("   b background, f foreground, q quit"))
    }

    private func readKey() {
        var key: UInt8 = 0
        guard read(STDIN_FILENO, &key, 1) == 1 else { return end() }
        switch key {
        case UInt8(ascii: "b"): setState("background")
        case UInt8(ascii: "f"): setState("foreground")
        case UInt8(ascii: "q"), 4: end()
        default: break
        }
    }

    private func setState(_ state: String) {
        do throws(Failure) {
            // A connection that streams takes no calls.
            let control = try BusClient(address)
            _ = try control.call("SetState", ["subscription": .string(subscription), "state": .string(state)])
            showKeys(isBackground: state == "background")
        } catch {
            end(error)
        }
    }
}
