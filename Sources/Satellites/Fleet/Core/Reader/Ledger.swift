// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a reader has seen of a fleet, and the rule by which it counts.
///
/// For each aspect of each device there is a position: the instance of the device's bus, and the generation of its last
/// state. A state of the same instance has as many changes as its generation is ahead; one that is not ahead is a
/// duplicate. The first state of an aspect, or of another instance, has an unknown number. Numbers of changes in
/// messages are never added up.
///
/// Pure: times are arguments, in seconds of any clock that does not go back.
package struct Ledger: Sendable {
    /// What a message means for the consumer.
    package struct Outcome: Sendable, Hashable {
        /// The event; `nil` for a duplicate, and for a message that was ignored.
        package var event: FleetEvent?
        /// The problem, if it has not been reported yet.
        package var problem: FleetProblem?

        package init(_ event: FleetEvent? = nil, problem: FleetProblem? = nil) {
            self.event = event
            self.problem = problem
        }
    }

    /// The most devices and states: a million devices with five states each, twice.
    package static let entryLimit = 12_000_000
    /// The most bytes of names, which a fleet of this size does not have.
    private static let textLimit = 1 << 30

    private let limit: Int
    var places: [DeviceID: UInt32] = [:]
    var records: ContiguousArray<DeviceRecord?> = []
    private var freePlaces: ContiguousArray<UInt32> = []
    var texts = SharedTexts()
    var suspects = Suspects()
    private var problems = ProblemReports()
    /// The number of the connection to the broker; 0 before the first.
    private(set) var connection: UInt32 = 0
    /// The number of aspects that have a position or had a message.
    package private(set) var stateCount = 0
    /// The number of them that the broker no longer has.
    private var absentCount = 0

    /// Creates an empty ledger.
    package init(limit: Int = Self.entryLimit) { self.limit = limit }

    /// The number of devices that are known.
    package var deviceCount: Int { places.count }

    /// Notes a new connection to the broker, which delivers all retained messages again.
    package mutating func connect() { connection += 1 }

    /// Takes a message of the broker; its topic may be anything.
    ///
    /// - Parameters:
    ///   - payload: The payload; empty if the topic was deleted.
    ///   - topic: The topic.
    ///   - isRetained: Whether the broker had the message before this subscription.
    ///   - expiry: The seconds until the broker forgets the message.
    ///   - now: The time.
    /// - Returns: The event and the problem, if any.
    package mutating func receive(
        _ payload: [UInt8], on topic: String, isRetained: Bool, expiry: UInt32?, at now: Int64
    ) -> Outcome {
        guard let parsed = try? FleetTopic(topic) else {
            return Outcome(problem: report(.invalidTopic(topic.escaped), at: now))
        }
        do throws(FleetError) {
            switch parsed {
            case .state(let device, let aspect) where payload.isEmpty: return remove(aspect, of: device)
            case .status(let device) where payload.isEmpty: return removeStatus(of: device)
            case .state(let device, let aspect):
                return take(try StateMessage(payload), of: device, aspect: aspect, isRetained: isRetained, at: now)
            case .status(let device):
                return take(
                    try StatusMessage(payload), of: device, isRetained: isRetained, expiry: expiry, at: now)
            case .desired, .groupDesired, .mark: return Outcome()
            }
        } catch {
            // The broker has delivered the topic, although its payload is useless: it need not be asked for it again.
            switch parsed {
            case .state(let device, let aspect): _ = arrive(aspect, of: device)
            case .status(let device): _ = arrive(device)
            default: break
            }
            return Outcome(problem: report(.invalidPayload(topic: topic, reason: error.description), at: now))
        }
    }

    /// Returns a problem unless it was reported before.
    package mutating func report(_ problem: FleetProblem, at now: Int64) -> FleetProblem? {
        problems.report(problem, at: now)
    }

    // MARK: - Places

    /// Whether nothing more fits.
    private var isFull: Bool { places.count + stateCount >= limit || texts.size >= Self.textLimit }

    /// Returns the place of a device, which is new if necessary; `nil` if the ledger is full.
    mutating func place(of device: DeviceID) -> Int? {
        if let place = places[device] { return Int(place) }
        guard makeRoom() else { return nil }
        let place: Int
        if let free = freePlaces.popLast() {
            place = Int(free)
            records[place] = DeviceRecord(device)
        } else {
            place = records.count
            records.append(DeviceRecord(device))
        }
        places[device] = UInt32(place)
        return place
    }

    /// Returns the places of a device and of its aspect, which are new if necessary; `nil` if the ledger or the device is
    /// full.
    mutating func place(of aspect: String, of device: DeviceID) -> (Int, Int)? {
        if let place = places[device], let index = index(of: aspect, in: Int(place)) { return (Int(place), index) }
        guard makeRoom(in: device), makeRoom(), let place = place(of: device) else { return nil }
        let record = DeviceRecord.Aspect(name: texts.use(aspect))
        let index = records[place]?.append(record) ?? 0
        stateCount += 1
        return (place, index)
    }

    /// Returns the index of an aspect in the record of a device.
    func index(of aspect: String, in place: Int) -> Int? {
        guard let name = texts.index(of: aspect) else { return nil }
        return records[place]?.aspects.firstIndex { $0.name == name }
    }

    /// Notes that a status arrived in this connection.
    mutating func arrive(_ device: DeviceID) -> Int? {
        guard let place = place(of: device) else { return nil }
        records[place]?.statusConnection = connection
        return place
    }

    /// Notes that a state arrived in this connection.
    mutating func arrive(_ aspect: String, of device: DeviceID) -> (Int, Int)? {
        guard let (place, index) = place(of: aspect, of: device) else { return nil }
        setConnection(connection, of: index, in: place)
        return (place, index)
    }

    /// Notes the connection in which a state arrived, or that it is absent.
    mutating func setConnection(_ connection: UInt32, of index: Int, in place: Int) {
        guard let isAbsent = records[place]?.aspects[index].isAbsent else { return }
        absentCount += (connection == DeviceRecord.Aspect.absent ? 1 : 0) - (isAbsent ? 1 : 0)
        records[place]?.aspects[index].connection = connection
    }

    /// Removes an aspect from the record of a device, and returns its last position.
    mutating func forget(_ index: Int, in place: Int) -> FleetPosition? {
        guard let old = records[place]?.aspects.remove(at: index) else { return nil }
        let position = texts[old.instance].map { FleetPosition(instance: $0, generation: old.generation) }
        for text in [old.name, old.instance, old.previousInstance] { texts.release(text) }
        suspects.forget(Suspects.Key(place: place, aspect: old.name))
        stateCount -= 1
        if old.isAbsent { absentCount -= 1 }
        return position
    }

    /// Removes a device without status and aspects.
    mutating func forgetIfEmpty(_ place: Int) {
        guard let record = records[place], record.aspects.isEmpty, record.status == nil else { return }
        for text in [record.instance, record.listed, record.version, record.bus, record.previousBus] {
            texts.release(text)
        }
        places[record.device] = nil
        records[place] = nil
        freePlaces.append(UInt32(place))
    }

    /// Returns why a device has no place for a further state.
    func tooLarge(_ device: DeviceID) -> FleetProblem {
        isFull(device) ? .tooManyStates(device, limit: StatusMessage.aspectLimit) : .tooLarge(device, limit: limit)
    }

    private func isFull(_ device: DeviceID) -> Bool {
        places[device].flatMap { records[Int($0)] }.map { $0.aspects.count >= StatusMessage.aspectLimit } ?? false
    }

    /// Forgets absent states of all devices if the ledger is full, and returns whether it has room for another state.
    private mutating func makeRoom() -> Bool {
        guard isFull, absentCount > 0 else { return !isFull }
        for place in records.indices {
            forgetAbsent(in: place)
            forgetIfEmpty(place)
        }
        return !isFull
    }

    /// Forgets absent states of a device that is full, and returns whether it has room for another state.
    private mutating func makeRoom(in device: DeviceID) -> Bool {
        guard isFull(device), absentCount > 0, let place = places[device] else { return !isFull(device) }
        forgetAbsent(in: Int(place))
        return !isFull(device)
    }

    private mutating func forgetAbsent(in place: Int) {
        while let index = records[place]?.aspects.lastIndex(where: \.isAbsent) { _ = forget(index, in: place) }
    }
}

extension DeviceRecord {
    /// Appends an aspect without room for further ones, because a fleet has many such arrays.
    fileprivate mutating func append(_ aspect: Aspect) -> Int {
        aspects.reserveCapacity(aspects.count + 1)
        aspects.append(aspect)
        return aspects.count - 1
    }
}
