// SPDX-License-Identifier: Apache-2.0

/// Whether a cgroup is frozen; a change takes time and may fail, and the decision may change meanwhile.
///
/// One request is under way at a time. A freeze that failed or was not answered is followed by a thaw: it may succeed.
package struct FreezeState: Sendable, Hashable {
    /// A request to the system, with the number that its answer must have.
    package struct Request: Sendable, Hashable {
        /// Whether to freeze the cgroup, or else to thaw it.
        package let freezes: Bool
        /// The number, different for each request.
        package let number: Int
    }

    /// The known state of the cgroup after an answer.
    package enum Outcome: Sendable, Hashable {
        case frozen
        case thawed
        /// The cgroup was not frozen in time, or at all.
        case notFrozen(reason: String)
        /// The cgroup may still be frozen.
        case notThawed(reason: String)
    }

    /// How long the system may take, in microseconds; its own limits are shorter, so that its reasons are reported.
    ///
    /// The kernel freezes in milliseconds, unless a process waits for a device or a network file system. A service
    /// manager answers in milliseconds too, unless it is reloading its units.
    package static let answerTime: UInt64 = 15_000_000

    /// The number of requests whose late answers are recognized: a few minutes' worth.
    private static let expiredLimit = 16

    /// Whether the cgroup is frozen, as far as is known.
    package private(set) var isFrozen = false
    /// When the request under way counts as failed, or a failed thaw is tried again; `nil` if there is neither.
    package private(set) var deadline: UInt64?
    package private(set) var wantsFrozen = false
    private var request: Request?
    /// The last requests whose time was over.
    private var expired: [Request] = []
    /// Whether a freeze has succeeded late, perhaps after the thaw under way.
    private var isDoubtful = false
    private var lastNumber = 0

    /// Creates the state of a cgroup that runs, or of one that was left frozen and is thawed by ``expire(at:)``.
    package init(isFrozen: Bool = false) {
        self.isFrozen = isFrozen
        deadline = isFrozen ? 0 : nil
    }

    /// Whether nothing is under way, and the cgroup is as it should be.
    package var isSettled: Bool { request == nil && isFrozen == wantsFrozen }

    /// Whether answers to requests whose time was over may follow.
    package var expectsAnswers: Bool { !expired.isEmpty }

    /// Decides whether the cgroup is to be frozen, and returns the request to make now, if any.
    ///
    /// While a request is under way, the next request follows its answer.
    package mutating func want(frozen: Bool, at now: UInt64) -> Request? {
        wantsFrozen = frozen
        if request == nil { deadline = nil }
        return request == nil && isFrozen != frozen ? begin(freezes: frozen, at: now) : nil
    }

    /// Takes an answer of the system to a request: why it failed, or `nil` for a success.
    ///
    /// There is an outcome if the answer settles the state of the cgroup.
    package mutating func answered(
        _ number: Int, failure: String?, at now: UInt64
    ) -> (outcome: Outcome?, next: Request?) {
        if let request, request.number == number { return end(request, failure: failure, at: now) }
        guard let index = expired.firstIndex(where: { $0.number == number }) else { return (nil, nil) }
        let late = expired.remove(at: index)
        guard failure == nil else { return (nil, nil) }
        // The thaw that followed an expired freeze may have been first.
        guard !late.freezes else {
            isDoubtful = request?.freezes == false
            return (nil, request == nil && !isFrozen ? begin(freezes: false, at: now) : nil)
        }
        guard request == nil, !wantsFrozen else { return (nil, nil) }
        isFrozen = false
        wantsFrozen = false
        deadline = nil
        return (.thawed, nil)
    }

    /// Ends the request under way if its time is over, or tries a thaw again.
    package mutating func expire(at now: UInt64) -> (outcome: Outcome?, next: Request?) {
        guard let deadline, deadline <= now else { return (nil, nil) }
        guard let request else { return (nil, begin(freezes: false, at: now)) }
        expired = expired.suffix(Self.expiredLimit - 1) + [request]
        return end(request, failure: "there was no answer within \(Self.answerTime / 1_000_000) s", at: now)
    }

    private mutating func begin(freezes: Bool, at now: UInt64) -> Request {
        lastNumber += 1
        let request = Request(freezes: freezes, number: lastNumber)
        self.request = request
        deadline = now + Self.answerTime
        return request
    }

    private mutating func end(
        _ ended: Request, failure: String?, at now: UInt64
    ) -> (outcome: Outcome?, next: Request?) {
        request = nil
        deadline = nil
        switch (ended.freezes, failure) {
        case (true, nil):
            isFrozen = true
            return (.frozen, wantsFrozen ? nil : begin(freezes: false, at: now))
        case (true, let reason?):
            wantsFrozen = false
            return (.notFrozen(reason: reason), begin(freezes: false, at: now))
        case (false, nil) where isDoubtful && !wantsFrozen:
            isDoubtful = false
            return (nil, begin(freezes: false, at: now))
        case (false, nil):
            isFrozen = false
            return (.thawed, wantsFrozen ? begin(freezes: true, at: now) : nil)
        // It may be thawing all the same.
        case (false, _) where wantsFrozen: return (nil, begin(freezes: true, at: now))
        case (false, let reason?):
            // Another attempt now would fail too.
            isFrozen = true
            deadline = now + Self.answerTime
            return (.notThawed(reason: reason), nil)
        }
    }
}
