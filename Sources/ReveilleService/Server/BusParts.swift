// SPDX-License-Identifier: Apache-2.0

struct BusParts {
    let suspensions: Suspensions
    let tasks: TaskService
    let schedule: ScheduleService
    let names: PublishedNames
    /// All parts, in the order in which they learn of a new subscription; its end is reported in reverse.
    let all: [any BusPart]
    /// The parts that wait for subscribers to read.
    private(set) var waiting: [any BusPart] = []
    /// The earliest time that a part waits for.
    private(set) var next: UInt64?

    init(suspensions: Suspensions, tasks: TaskService, schedule: ScheduleService, names: PublishedNames) {
        self.suspensions = suspensions
        self.tasks = tasks
        self.schedule = schedule
        self.names = names
        // The process of a subscription is known before its tasks.
        all = [suspensions, tasks, schedule, names]
    }

    /// Registers a part for the hooks of each delivery, or ends the registration.
    mutating func setWaiting(_ isWaiting: Bool, _ part: some BusPart) {
        guard waiting.contains(where: { $0 === part }) != isWaiting else { return }
        if isWaiting { waiting.append(part) } else { waiting.removeAll { $0 === part } }
    }

    mutating func updateNext() { next = all.compactMap(\.next).min() }
}
