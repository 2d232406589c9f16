// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Ledger {
    /// Between the names of a list of aspects; it cannot occur in a name.
    private static let separator = UInt8(ascii: "/")

    /// The seconds by which two computations of one time differ at most: brokers and clocks round.
    private static let timeTolerance: Int64 = 5

    /// Takes a status of a device.
    package mutating func take(
        _ message: StatusMessage, of device: DeviceID, isRetained: Bool, expiry: UInt32?, at now: Int64
    ) -> Outcome {
        guard let place = arrive(device), var record = records[place] else {
            return Outcome(problem: report(tooLarge(device), at: now))
        }
        let before = status(of: device)
        var problem: FleetProblem?
        if let instance = message.instance {
            let instances = [instance, texts[record.bus] ?? ""].sorted()
            if use(instance, in: place) { problem = .sharedIdentity(device, instances: instances) }
        }
        let age = expiry.flatMap { $0 <= StatusMessage.lease ? Int64(StatusMessage.lease - $0) : nil }
        record = records[place] ?? record
        let earlier = record.status?.time
        record.status = DeviceRecord.Status(
            isOnline: message.isOnline, reason: message.reason, wakeEvery: message.wakeEvery ?? -1,
            time: age.map { now - $0 } ?? Int64.min)
        if !isRetained { record.heard = now }
        // A will has no details.
        if let instance = message.instance { texts.replace(&record.instance, by: instance) }
        if let version = message.version { texts.replace(&record.version, by: version) }
        if !message.aspects.isEmpty {
            texts.replace(&record.listed, by: message.aspects.joined(separator: String(UnicodeScalar(Self.separator))))
        }
        records[place] = record
        let reported = problem.flatMap { report($0, at: now) }
        guard let status = status(of: device) else { return Outcome(problem: reported) }
        // A device that has been awake in between was seen later. One that is online is seen all the time.
        let isLater = !status.isOnline && (record.status?.time ?? .min) > (earlier ?? .min) + Self.timeTolerance
        return Outcome(status != before || isLater ? .status(status.aged(age)) : nil, problem: reported)
    }

    /// Returns the last status of a device without its age; `nil` if there is none.
    package func status(of device: DeviceID) -> DeviceStatus? {
        places[device].flatMap { records[Int($0)] }.flatMap(status)
    }

    func status(_ record: DeviceRecord) -> DeviceStatus? {
        guard let status = record.status else { return nil }
        return DeviceStatus(
            device: record.device, isOnline: status.isOnline, reason: status.reason, instance: texts[record.instance],
            aspects: listed(record) ?? [], version: texts[record.version],
            wakeEvery: status.wakeEvery < 0 ? nil : status.wakeEvery)
    }

    /// Returns the aspects that a device has named; `nil` if it has named none.
    func listed(_ record: DeviceRecord) -> [String]? {
        texts[record.listed].map { $0.utf8.split(separator: Self.separator).map { String(Substring($0)) } }
    }

    /// Takes the deletion of the status of a device.
    package mutating func removeStatus(of device: DeviceID) -> Outcome {
        guard let place = places[device].map(Int.init), records[place]?.status != nil else { return Outcome() }
        records[place]?.status = nil
        forgetIfEmpty(place)
        return Outcome(.removed(DeviceRemoval(device: device, aspect: nil)))
    }

    /// Takes the deletion of a state of a device.
    package mutating func remove(_ aspect: String, of device: DeviceID) -> Outcome {
        guard let place = places[device].map(Int.init), let index = index(of: aspect, in: place) else {
            return Outcome()
        }
        let wasAbsent = records[place]?.aspects[index].isAbsent == true
        let position = forget(index, in: place)
        forgetIfEmpty(place)
        guard let position, !wasAbsent else { return Outcome() }
        return Outcome(.removed(DeviceRemoval(device: device, aspect: aspect, previous: position)))
    }
}

extension DeviceStatus {
    fileprivate func aged(_ age: Int64?) -> DeviceStatus {
        DeviceStatus(
            device: device, isOnline: isOnline, reason: reason, instance: instance, aspects: aspects, version: version,
            wakeEvery: wakeEvery, age: age)
    }
}
