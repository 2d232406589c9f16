// SPDX-License-Identifier: Apache-2.0

// The logs of chosen domains of the user's settings. Each is fed by the log of all settings.

/// The log of the domains that subscriptions of a user chose.
struct SelectionLog: Sendable {
    let user: UInt32
    let selection: DomainSelection
    let log: Int
}

extension Bus {
    /// The most selections of one user whose changes are counted, in use or not.
    ///
    /// A desktop has about as many programs with settings. Each selection costs a comparison with each change of the
    /// settings, and at most the memory of all of them.
    package static let selectionsPerUser = 64

    private static let settings = BuiltInAspect.defaults.index

    /// Returns whether a user can subscribe to a selection.
    package func hasRoom(for selection: DomainSelection, of user: UInt32) -> Bool {
        let own = nameTable.selections.filter { $0.user == user }
        return own.count < Self.selectionsPerUser
            || own.contains { $0.selection == selection || logs[$0.log].entryCount == 0 }
    }

    /// Begins to count the changes of a selection, unless they are counted already.
    ///
    /// They are counted until other selections of the user need the room, so that positions stay valid while a program
    /// is restarted. This can make a saved state outdated; see ``hasForgottenNames``.
    @discardableResult
    package mutating func track(_ selection: DomainSelection, for user: UInt32) -> Int {
        if let known = nameTable.selections.first(where: { $0.user == user && $0.selection == selection }) {
            return known.log
        }
        let own = nameTable.selections.indices.filter { nameTable.selections[$0].user == user }
        if own.count >= Self.selectionsPerUser,
            let unused = own.first(where: { logs[nameTable.selections[$0].log].entryCount == 0 })
        {
            removeLog(nameTable.selections.remove(at: unused).log)
        }
        let all = logs[Self.settings]
        // No position in an earlier log of the selection exceeds the sequence. Its missed changes count as one, and so
        // do those of a subscriber to other domains, whose position is 0.
        let start = Change(
            generation: sequence + 1, sequence: all.changes.current.sequence, time: all.changes.current.time,
            reading: all.changes.current.reading.part(selection))
        var log = AspectLog(
            aspect: .defaults,
            changes: ChangeLog(
                start: start, isEstablished: false, after: start.generation, capacity: history),
            selection: selection)
        log.origin.digest = all.origin.digest
        let index = add(log)
        nameTable.selections.append(SelectionLog(user: user, selection: selection, log: index))
        hasForgottenNames = true
        return index
    }

    /// Makes a selection without subscriptions the last one to be forgotten.
    mutating func settleSelection(_ log: Int) {
        guard logs[log].selection != nil, logs[log].entryCount == 0,
            let place = nameTable.selections.firstIndex(where: { $0.log == log })
        else { return }
        nameTable.selections.append(nameTable.selections.remove(at: place))
    }

    /// Passes new settings to the logs of all selections.
    ///
    /// For each, this is a change if its part of the settings is different.
    mutating func followSettings(isChange: Bool, isPosted: Bool, at time: Timestamp) {
        let current = logs[Self.settings].changes.current
        guard case .settings(let touched)? = isChange ? current.parts : .settings([]) else { return }
        for index in nameTable.selections.map(\.log) {
            guard let selection = logs[index].selection, let part = logs[index].changes.current.reading.defaults,
                !isChange || logs[index].origin.digest != nil || selection.mayInclude(touched, after: part)
            else { continue }
            let reading = current.reading.part(selection)
            if !isChange || logs[index].origin.digest.map({ $0 == reading.digest }) == true {
                logs[index].origin.digest = nil
                logs[index].changes.establish(reading)
            } else if logs[index].append(reading, sequence: sequence, at: time, isPosted: isPosted) {
                notifyListeners(of: index)
            }
        }
    }

    // MARK: - Restarts

    /// Restores the logs of selections, whose readings are parts of the restored settings.
    mutating func restoreSelections(_ saved: [SavedState.Selection]) {
        let all = logs[Self.settings].changes.current.reading
        for entry in saved {
            let start = Change(
                generation: entry.generation, sequence: entry.sequence, time: entry.changedAt,
                reading: all.part(entry.selection))
            var log = AspectLog(
                aspect: .defaults,
                changes: ChangeLog(
                    start: start, isEstablished: false, after: entry.start,
                    equal: entry.digest == nil ? entry.equal : [], capacity: history),
                selection: entry.selection)
            log.origin.digest = entry.digest
            nameTable.selections.append(SelectionLog(user: entry.user, selection: entry.selection, log: add(log)))
        }
    }

    var savedSelections: [SavedState.Selection] {
        let isWhole = !KeptReading.isTooLarge(logs[Self.settings].changes.current.reading)
        return nameTable.selections.map { entry in
            let log = logs[entry.log]
            let last = log.changes.current
            return SavedState.Selection(
                user: entry.user, selection: entry.selection, generation: last.generation, sequence: last.sequence,
                changedAt: last.time, start: log.changes.start, equal: log.changes.equalGenerations,
                digest: log.origin.digest ?? (isWhole ? nil : last.reading.digest))
        }
    }
}

extension Reading {
    fileprivate func part(_ selection: DomainSelection) -> Reading {
        defaults.map { .defaults(selection.part(of: $0)) } ?? self
    }
}
