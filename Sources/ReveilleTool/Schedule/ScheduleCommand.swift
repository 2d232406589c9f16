// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleSystem
import ReveilleWire
import Varlink

struct ScheduleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Publish values at set times, and start programs for them.",
        discussion: """
            Entries belong to the user and outlast this command, the bus and a reboot. An entry that was due while the \
            device was off or asleep fires as soon as the device is back.

            EXAMPLES
              reveille schedule add tea org.example.tea --at 18:00
              reveille schedule add alarm org.example.alarm --daily 7:30 --weekday mon -- ./alarm-clock
              reveille schedule add backup org.example.backup --every 6h
              reveille schedule list
              reveille schedule cancel tea
            """,
        subcommands: [ScheduleAddCommand.self, ScheduleListCommand.self, ScheduleCancelCommand.self])
}

struct ScheduleAddCommand: AwaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add an entry to the schedule, or replace the one with its ID.",
        usage: """
            reveille schedule add ID NAME (--at TIME | --every INTERVAL | --daily TIME | --weekday DAY) [OPTIONS] \
            [-- COMMAND ...]
            """,
        discussion: """
            Prints the time of the next firing. Combined with another option, --at is the earliest possible time. \
            Alone, a time that has passed is due at once. --weekday can be combined with --daily.

            If the name has no subscriber when the entry is due, the bus starts the command with the environment \
            variable REVEILLE_LAUNCH, which identifies the firings. A command without a slash is looked up in the PATH \
            of the bus.

            EXAMPLES
              reveille schedule add party org.example.party --at 2026-12-31T23:59
              reveille schedule add tea org.example.tea --at 18:00 --value '{"kind": "green"}'
              reveille schedule add tea org.example.tea --at 'tomorrow 7:30'
              reveille schedule add water org.example.water --every 90m
              reveille schedule add call org.example.call --daily 9:00 --weekday mon --zone Asia/Tokyo -- ./call
            """)

    @Argument(help: "The identifier of the entry, which you choose.")
    var id: String

    @Argument(
        help: "The name under which the value is published.", completion: Aspect.publishedCompletion,
        transform: Aspect.init(publishedArgument:))
    var name: Aspect

    @Option(
        help: "The only or earliest time: 18:00, 2026-12-24T18:00 or 'tomorrow 7:30'.",
        transform: ScheduleArgument.moment)
    var at: Timestamp?

    @Option(help: "The interval, at least one second: 90s, 5m, 1h or 1d.", transform: ScheduleArgument.interval)
    var every: Int64?

    @Option(help: "The time of each day: 7:30 or 07:30:15.", transform: ScheduleArgument.dayTime)
    var daily: [Int]?

    @Option(
        help: "The day of the week: mon or monday. Without --daily, at midnight.", transform: ScheduleArgument.weekday)
    var weekday: Int?

    @Option(help: "The time zone of --daily and --weekday, such as Europe/Berlin. Default: the device's zone.")
    var zone: String?

    @Option(help: "The value as a JSON object, or - to read it from stdin. Default: {}.")
    var value: String?

    @OptionGroup var bus: BusOptions

    @Argument(parsing: .postTerminator, help: "The command to start if the name has no subscriber.")
    var command: [String] = []

    func validate() throws {
        let isCalendar = daily != nil || weekday != nil
        if at == nil, every == nil, !isCalendar {
            throw ValidationError("missing time: --at, --every, --daily or --weekday")
        }
        if every != nil, isCalendar { throw ValidationError("--every cannot be combined with --daily or --weekday") }
        if zone != nil, !isCalendar { throw ValidationError("--zone requires --daily or --weekday") }
    }

    func perform() async throws {
        let value = try value.map { PublishedValue(name, try JSONObject(argument: $0, for: name)) }
        let calendar =
            daily == nil && weekday == nil
            ? nil
            : CalendarRule(weekday: weekday, hour: daily?[0], minute: daily?[1], second: daily?[2])
        // The bus has another working directory.
        var command = command
        if let path = command.first, path.utf8.contains(UInt8(ascii: "/")), path.utf8.first != UInt8(ascii: "/") {
            command[0] = try Failure.coded(.usage) { try ExecutableSearch.find(path) }
        }
        let entry: ScheduleEntry
        do throws(ScheduleEntryError) {
            entry = try ScheduleEntry(
                id: id, aspect: name, value: value?.bytes, at: at?.microseconds,
                every: every, calendar: calendar, zone: zone,
                launch: command.isEmpty ? nil : command)
        } catch {
            throw Failure(.usage, error.field == .id ? "\(error)" : "\(id): \(error)")
        }
        let next: Timestamp?
        do throws(ReveilleError) {
            next = try await bus.device().add(entry)
        } catch {
            guard error.code == .invalidArgument, let zone else { throw error }
            throw Failure(.usage, "\(error)\(Suggestion.nearest(to: zone, among: ZoneNames.all))")
        }
        try Console.line(StyledText("\(id)  next: \(ScheduleTable.moment(next, now: .now))"))
    }
}

struct ScheduleListCommand: AwaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List your entries on the schedule.")

    @Flag(help: "Print each entry as a line of JSON, a Scheduled of the interface.")
    var json = false

    @OptionGroup var bus: BusOptions

    func perform() async throws {
        let entries = try await bus.device().listings
        if json {
            for entry in entries { try Console.json(entry.structure) }
            return
        }
        guard !entries.isEmpty else { return Console.error("reveille: you have no entries on the schedule") }
        try ScheduleTable.table(entries, now: .now).print()
    }
}

struct ScheduleCancelCommand: AwaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Remove an entry from the schedule, or all of yours.")

    @Argument(help: "The identifier of the entry.")
    var id: String?

    @Flag(help: "Remove all entries.")
    var all = false

    @OptionGroup var bus: BusOptions

    func validate() throws {
        if all == (id != nil) { throw ValidationError("either an ID or --all must be given") }
    }

    func perform() async throws {
        let device = try await bus.device()
        guard let id else {
            try await device.cancelAllScheduled()
            return
        }
        guard try await device.cancelScheduled(id) else {
            let ids = try await device.listings.map(\.entry.id)
            throw Failure(.failure, "there is no entry \(id)\(Suggestion.phrase(for: id, among: ids))")
        }
    }
}
