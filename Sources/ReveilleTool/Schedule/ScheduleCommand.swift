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
              reveille schedule add tea --in 10m -- notify-send tea
              reveille schedule add alarm --daily 7:30 --wake -- ./alarm-clock
              reveille schedule add backup org.example.backup --every 6h
              reveille schedule list
              reveille schedule cancel tea backup
            """,
        subcommands: [ScheduleAddCommand.self, ScheduleListCommand.self, ScheduleCancelCommand.self])
}

struct ScheduleAddCommand: AwaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add an entry to the schedule, or replace the one with its ID.",
        usage: """
            reveille schedule add ID [NAME] (--in DURATION | --at TIME | --every INTERVAL | --daily TIME | \
            --weekday DAYS) [OPTIONS] [-- COMMAND ...]
            """,
        discussion: """
            Prints the time of the next firing. Combined with another option, --at or --in is the earliest possible \
            time. Alone, a time that has passed is due at once. --weekday can be combined with --daily.

            If the name has no subscriber when the entry is due, the bus starts the command with the environment \
            variable REVEILLE_LAUNCH, which identifies the firings. The command is started again until it subscribes \
            to the name. A command without a slash is looked up in the PATH of the bus.

            Without a NAME, it is \(OwnName.prefix)ID, and the command can be any: it runs once for all firings \
            that are due, by 'reveille on', and need not subscribe.

            EXAMPLES
              reveille schedule add tea --in 10m -- notify-send tea
              reveille schedule add party org.example.party --at 2026-12-31T23:59
              reveille schedule add tea org.example.tea --at 18:00 --value '{"milk": true}'
              reveille schedule add tea org.example.tea --at 'tomorrow 7:30'
              reveille schedule add water org.example.water --every 90m
              reveille schedule add call --daily 9:00 --zone Asia/Tokyo -- ./call
              reveille schedule add alarm --daily 6:45 --weekday mon,thu --wake -- ./alarm
            """)

    @Argument(help: "The identifier of the entry, which you choose.", completion: ScheduleEntry.completion)
    var id: String

    @Argument(
        help: "The name under which the value is published. Default: \(OwnName.prefix)ID.",
        completion: Aspect.publishedCompletion, transform: Aspect.init(publishedArgument:))
    var name: Aspect?

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp(
            "The time from now to the only or earliest firing: 90s, 10m, 1h or 1d.", valueName: "duration"),
        transform: ScheduleArgument.delay)
    var delayed: Timestamp?

    @Option(
        help: "The only or earliest time: 18:00, 2026-12-24T18:00 or 'tomorrow 7:30'.",
        transform: ScheduleArgument.moment)
    var at: Timestamp?

    @Option(help: "The interval, at least one second: 90s, 5m, 1h or 1d.", transform: ScheduleArgument.interval)
    var every: Int64?

    @Option(help: "The time of each day: 7:30 or 07:30:15.", transform: ScheduleArgument.dayTime)
    var daily: [Int]?

    @Option(
        help: ArgumentHelp(
            "The days of the week: mon or monday, mon,tue, weekdays or weekend. Without --daily, at midnight.",
            valueName: "days"),
        transform: ScheduleArgument.weekdays)
    var weekday: Set<Weekday>?

    @Option(help: "The time zone of --daily and --weekday, such as Europe/Berlin. Default: the device's zone.")
    var zone: String?

    @Option(help: "The value as a JSON object, or - to read it from stdin. Default: {}.")
    var value: String?

    @Flag(help: "Wake the machine from its sleep for the next firing, if it can; see 'reveille check wake'.")
    var wake = false

    @OptionGroup var bus: BusOptions

    @Argument(parsing: .postTerminator, help: "The command to start if the name has no subscriber.")
    var command: [String] = []

    /// Checks the times; not as a validation, which precedes the parser's search for unknown options.
    private func checkTimes() throws {
        let isCalendar = daily != nil || weekday != nil
        if at == nil, delayed == nil, every == nil, !isCalendar {
            throw Failure(.usage, "missing time: --in, --at, --every, --daily or --weekday")
        }
        if at != nil, delayed != nil { throw Failure(.usage, "--in cannot be combined with --at") }
        if every != nil, isCalendar { throw Failure(.usage, "--every cannot be combined with --daily or --weekday") }
        if zone != nil, !isCalendar { throw Failure(.usage, "--zone requires --daily or --weekday") }
    }

    func perform() async throws {
        try checkTimes()
        let own = name == nil ? try OwnName(id: id) : nil
        guard let name = name ?? own?.name else { preconditionFailure("an entry without a name") }
        let value = try value.map { PublishedValue(name, try JSONObject(argument: $0, for: name)) }
        let calendar =
            daily == nil && weekday == nil
            ? nil
            : CalendarRule(weekdays: weekday, hour: daily?[0], minute: daily?[1], second: daily?[2])
        // The bus has another working directory.
        var command = command
        if let path = command.first, path.utf8.contains(UInt8(ascii: "/")), path.utf8.first != UInt8(ascii: "/") {
            command[0] = try Failure.coded(.usage) { try ExecutableSearch.find(path) }
        }
        if let own, !command.isEmpty { command = own.wrap(command) }
        let entry: ScheduleEntry
        do throws(ScheduleEntryError) {
            entry = try ScheduleEntry(
                id: id, aspect: name, value: value?.bytes, at: (at ?? delayed)?.microseconds,
                every: every, calendar: calendar, zone: zone, wake: wake ? true : nil,
                launch: command.isEmpty ? nil : command)
        } catch {
            throw Failure(.usage, error.field == .id ? "\(error)" : "\(id): \(error)")
        }
        let device = try await bus.device()
        let next: Timestamp?
        do {
            next = try await device.add(entry)
        } catch let error as ReveilleError where error.code == .invalidArgument {
            guard let zone else { throw error }
            throw Failure(.usage, "\(error)\(Suggestion.nearest(to: zone, among: ZoneNames.all))")
        }
        try Console.line(StyledText("\(id)  next: \(ScheduleTable.moment(next, now: .now))"))
        if wake, case .no(let reason)? = try? await device.check(.wake) {
            Console.error("reveille: warning: the machine does not wake for it: \(reason)")
        }
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
        commandName: "cancel", abstract: "Remove entries from the schedule, or all of yours.")

    @Argument(help: "The identifiers of the entries.", completion: ScheduleEntry.completion)
    var ids: [String] = []

    @Flag(help: "Remove all entries, except those of rules, which 'reveille rules' keeps for the lines of its file.")
    var all = false

    @OptionGroup var bus: BusOptions

    func validate() throws {
        if all != ids.isEmpty { throw ValidationError("either IDs or --all must be given") }
    }

    func perform() async throws {
        let device = try await bus.device()
        if all { return try await cancelAll(on: device) }
        var missing: [String] = []
        for id in ids where try await !device.cancelScheduled(id) { missing.append(id) }
        guard let first = missing.first else { return }
        let known = try await device.listings.map(\.entry.id)
        let hint = missing.count == 1 ? Suggestion.phrase(for: first, among: known) : ""
        throw Failure(.failure, "there is no entry \(Suggestion.list(missing))\(hint)")
    }

    private func cancelAll(on device: Device) async throws {
        let entries = try await device.listings.map(\.entry.id)
        let others = entries.filter { !$0.hasPrefix(RulesFile.prefix) }
        // One that fires meanwhile has removed itself.
        for id in others { try await device.cancelScheduled(id) }
        let left = entries.count - others.count
        guard left > 0 else { return }
        let remain = left == 1 ? "1 entry of rules remains" : "\(left) entries of rules remain"
        Console.error("reveille: \(remain); 'reveille rules' removes an entry with its line")
    }
}
