// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleFleetCore
import ReveilleSimulation
import ReveilleSystem
import ReveilleTesting
import Varlink

/// A process of `reveille-fleet watch`, and its output.
final class StormReader {
    private let arguments: [String]
    private let log: Int32
    private var process: ChildProcess?
    private var output: Pipe?
    private var buffer: [UInt8] = []
    private var isEnding = false
    /// Whether the process was killed, so that unsaved states may be printed again.
    private var wasKilled = false
    private(set) var states: [String: FleetPosition] = [:]
    /// The number of printed states since the start.
    private(set) var events = 0

    init(_ broker: StormBroker) throws {
        let path = broker.directory.path
        arguments = [
            ChildProcess.sibling("reveille-fleet"), "watch", "--json", "--initial", "--broker",
            "mqtt://127.0.0.1:\(broker.port)", "--state", path + "/positions",
        ]
        log = open(path + "/reader.log", O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0o600)
        try start()
    }

    deinit { close(log) }

    func start() throws {
        let output = try Pipe()
        self.output = output
        (events, buffer, isEnding) = (0, [], false)
        process = try ChildProcess(arguments, descriptors: [1: output.writable, 2: log])
        output.closeWritingEnd()
    }

    func end(by signal: Int32) throws {
        process?.signal(signal)
        isEnding = true
        // The remaining output counts, and unread output may block the process.
        try read(until: -1)
        process?.wait()
        output = nil
        wasKilled = wasKilled || signal == SIGKILL
    }

    /// Reads the output until nothing follows for a time in milliseconds.
    func read(until pause: Int32) throws {
        guard let output else {
            poll(nil, 0, pause)
            return
        }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var ready = pollfd(fd: output.readingEnd, events: Int16(POLLIN), revents: 0)
        while poll(&ready, 1, pause) > 0 {
            let count = Glibc.read(output.readingEnd, &bytes, bytes.count)
            if count <= 0, isEnding { return }
            guard count > 0 else { throw Broken("the reader has ended") }
            buffer += bytes.prefix(count)
            guard let end = buffer.lastIndex(of: UInt8(ascii: "\n")) else { continue }
            for line in buffer[..<end].split(separator: UInt8(ascii: "\n")) { try take(try JSON.parse(Array(line))) }
            buffer.removeSubrange(...end)
        }
    }

    private func take(_ line: JSON) throws(Broken) {
        guard let object = line.objectValue, let device = object["device"]?.stringValue,
            let aspect = object["aspect"]?.stringValue, let instance = object["instance"]?.stringValue,
            let generation = object["generation"]?.integerValue
        else { return }
        let last = states.updateValue(
            FleetPosition(instance: instance, generation: generation), forKey: "\(device)/\(aspect)")
        events += 1
        let known = last?.instance == instance ? last?.generation : nil
        let isExact =
            if let changes = object["changes"]?.integerValue {
                changes >= 0
                    && known.map { $0 == generation - changes || wasKilled && $0 > generation - changes } ?? wasKilled
            } else {
                known == nil || wasKilled
            }
        guard isExact else { throw Broken("a wrong number of changes since \(known ?? -1): \(line)") }
    }
}
