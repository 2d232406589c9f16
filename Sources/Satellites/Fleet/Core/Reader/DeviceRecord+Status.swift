// SPDX-License-Identifier: Apache-2.0

extension DeviceRecord {
    /// The largest difference in seconds between two computations of one time: brokers and clocks round.
    private static let timeTolerance: Int64 = 5

    mutating func take(_ message: StatusMessage, isRetained: Bool, expiry: UInt32?, at now: Int64) -> Ledger.Outcome {
        let before = statusEvent()
        var problem: FleetProblem?
        if let instance = message.instance {
            let instances = [instance, bus ?? ""].sorted()
            if use(instance) { problem = .sharedIdentity(device, instances: instances) }
            self.instance = instance
        }
        if let version = message.version { self.version = version }
        if !message.aspects.isEmpty { listed = message.aspects }
        if !isRetained { heard = now }
        let age = expiry.flatMap { $0 <= StatusMessage.lease ? Int64(StatusMessage.lease - $0) : nil }
        let earlier = status?.time
        let time = age.map { now - $0 }
        status = Status(
            isOnline: message.isOnline, reason: message.reason, wakeEvery: message.wakeEvery, time: time)
        // A device that was awake in between was seen later. An online device is seen all the time.
        let isLater = !message.isOnline && time.map { $0 > (earlier ?? .min) + Self.timeTolerance } ?? false
        guard isLater || statusEvent() != before else { return Ledger.Outcome(problem: problem) }
        return Ledger.Outcome(statusEvent(age: age).map { .status($0) }, problem: problem)
    }

    func statusEvent(age: Int64? = nil) -> DeviceStatus? {
        status.map { status in
            DeviceStatus(
                device: device, isOnline: status.isOnline, reason: status.reason, instance: instance,
                aspects: listed ?? [], version: version, wakeEvery: status.wakeEvery, age: age)
        }
    }
}
