// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// Reads the attributes of an aspect's devices: on the loop, until they were slow once, and from then on by a thread.
///
/// One reading is taken at a time. A request during a reading is answered by the next one, which begins after the request.
/// The thread exists only while it reads. Loop thread only.
final class DeviceReader<Found: Sendable, Reading: Sendable> {
    typealias Outcome = Result<Reading, SystemError>
    private typealias Attempt = @Sendable (_ isPoll: Bool, inout Found) -> (Outcome, SlowRead?)

    /// Takes each reading, before its callers.
    var taken: (Outcome, ReadingPurpose) -> Void = { _, _ in }

    /// The devices that earlier readings have found.
    private(set) var found: Found
    private let nothing: Found
    private let loop: EventLoop
    private let slow: SlowDevices
    private let subsystems: Set<String>
    private let reads = AttributeReads()
    private let attempt: Attempt
    /// The last outcome of slow devices.
    private var last: Outcome?
    private var work: (any DetachedWork)?
    /// Whether the devices that the reading under way finds are outdated.
    private var isOutdated = false
    private var requested: ReadingPurpose = []
    private var waiting: [() -> Void] = []

    /// Creates a reader of subsystems; `nothing` is the value before any device was found.
    init(
        loop: EventLoop, slow: SlowDevices, of subsystems: Set<String>, nothing: Found,
        _ body: @escaping @Sendable (inout Found) throws(SystemError) -> Reading
    ) {
        self.loop = loop
        self.slow = slow
        self.subsystems = subsystems
        self.nothing = nothing
        found = nothing
        attempt = { [reads] isPoll, found in
            reads.perform(isPoll: isPoll) { Outcome { () throws(SystemError) in try body(&found) } }
        }
    }

    /// Whether the last value of an attribute stands in for one that could not be read.
    var isIncomplete: Bool { reads.areIncomplete }

    /// Whether a thread is reading.
    var isReading: Bool { work != nil }

    /// Forgets all devices, so that the next reading finds them.
    func forget() { change { $0 = nothing } }

    /// Changes the devices that were found, as events require.
    func change(_ change: (inout Found) -> Void) {
        if work == nil { change(&found) } else { isOutdated = true }
    }

    /// Takes a reading, of slow devices after this call.
    ///
    /// At a poll, an attribute that fails again loses its last value.
    func read(isPoll: Bool = false) {
        requested.formUnion(isPoll ? [.watching, .poll] : .watching)
        if work == nil { start() }
    }

    /// Takes a reading, and calls back within ``Pace/sampleTimeout``; a later reading is still taken.
    func read(then completion: @escaping () -> Void) {
        waiting.append(bounded(completion))
        requested.insert(.answer)
        if work == nil { start() }
    }

    /// Returns a function that calls a completion once, within ``Pace/sampleTimeout`` if the devices are slow.
    func bounded(_ completion: @escaping () -> Void) -> () -> Void {
        slowRead == nil ? completion : loop.once(within: Pace.sampleTimeout, completion)
    }

    private func start() {
        let (purpose, asked) = (requested, waiting)
        (requested, waiting) = ([], [])
        let isPoll = purpose.contains(.poll)
        reads.forgetMissing()
        guard slowRead != nil else { return take(attempt(isPoll, &found), purpose, asked) }
        let result = Lock<(Found, (Outcome, SlowRead?))?>(nil)
        do throws(SystemError) {
            work = try loop.detach { [attempt, found] in
                var found = found
                let outcome = attempt(isPoll, &found)
                result.withLock { $0 = (found, outcome) }
            } then: { [weak self] in
                guard let self, let (found, outcome) = result.withLock({ $0 }) else { return }
                work = nil
                self.found = isOutdated ? nothing : found
                isOutdated = false
                take(outcome, purpose, asked)
            }
        } catch {
            take((.failure(error), nil), purpose, asked)
        }
    }

    private func take(
        _ result: (outcome: Outcome, slow: SlowRead?), _ purpose: ReadingPurpose, _ asked: [() -> Void]
    ) {
        note(result)
        taken(result.outcome, purpose)
        for completion in asked { completion() }
        if work == nil, !requested.isEmpty { start() }
    }

    private var slowRead: SlowRead? {
        // Most machines have no slow device, and each wake asks several times.
        slow.reads.isEmpty ? nil : subsystems.lazy.compactMap { self.slow.reads[$0] }.first
    }

    private func note(_ result: (outcome: Outcome, slow: SlowRead?)) {
        if let slow = result.slow { for subsystem in subsystems { self.slow.reads[subsystem] = slow } }
        last = slowRead == nil ? nil : result.outcome
    }

    /// Describes the devices that are present, or those of the last reading and the slow attribute.
    func source(_ describe: (Reading) throws(SystemError) -> SourceDescription) -> SourceDescription {
        var outcome = last
        if slowRead == nil {
            var found = found
            let result = attempt(false, &found)
            note(result)
            outcome = result.0
        } else if last == nil {
            read()
        }
        let description = SourceDescription { () throws(SystemError) in
            guard let outcome else { return .unavailable("not read yet") }
            return try describe(try outcome.get())
        }
        return slowRead.map { description.adding("\($0)") } ?? description
    }
}

/// Why a reading was taken; several requests may be served by one reading.
struct ReadingPurpose: OptionSet {
    let rawValue: UInt8

    /// A caller gets it, at any pace.
    static let answer = ReadingPurpose(rawValue: 1)
    /// The watcher read after an event, or at an interval.
    static let watching = ReadingPurpose(rawValue: 2)
    static let poll = ReadingPurpose(rawValue: 4)
}

/// The devices that have blocked a reading for too long, which all of their readers leave to threads from then on.
final class SlowDevices {
    /// The last slow read, by the subsystem of the readings.
    var reads: [String: SlowRead] = [:]
}

extension SourceDescription {
    /// Adds that a device that a person chose is not there, so that the usual one is used.
    func noting(missing name: String?) -> SourceDescription {
        name.map { adding("not \($0), which was chosen and is missing") } ?? self
    }

    fileprivate func adding(_ text: String) -> SourceDescription {
        switch self {
        case .available(let names): .available("\(names), \(text)")
        case .unavailable(let reason): .unavailable("\(reason); \(text)")
        }
    }
}
