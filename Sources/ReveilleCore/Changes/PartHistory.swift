// SPDX-License-Identifier: Apache-2.0

/// The parts of a state that a change affected, for aspects whose whole state is too long to send.
enum ChangedParts {
    case settings([SettingsChange])
    case folders([Folders.Folder])

    /// The approximate size of all names in bytes.
    var size: Int {
        switch self {
        case .settings(let settings): SettingsChange.size(of: settings)
        case .folders(let folders): folders.reduce(0) { $0 + $1.size }
        }
    }
}

extension Event {
    /// Lists parts of the state: settings beside the state, folders in its place.
    mutating func list(_ parts: ChangedParts?) {
        switch parts {
        case nil: break
        case .settings(let settings): self.settings = settings.fitting
        case .folders(let folders):
            isNetChange = isNetChange && (changeCount == 0 || !folders.isEmpty)
            reading = .folders(Folders(folders: isNetChange ? folders : []))
        }
    }

    /// The approximate size of the listed names in bytes.
    var partsSize: Int {
        SettingsChange.size(of: settings) + (reading.folders?.folders.reduce(0) { $0 + $1.size } ?? 0)
    }
}

/// The earlier changes of the parts of a state, for aspects whose events list parts.
enum PartHistory {
    case none
    case settings(SettingsHistory)
    case folders(FolderHistory)

    /// Creates the history of a state with unknown earlier changes.
    init(restoring reading: Reading, at generation: Int) {
        switch reading {
        case .defaults: self = .settings(SettingsHistory(restoredAt: generation))
        case .folders(let folders): self = .folders(FolderHistory(restoring: folders, at: generation))
        default: self = .none
        }
    }

    mutating func record(from old: Reading, to new: Reading, generation: Int, listingAll: Bool) -> ChangedParts? {
        switch self {
        case .none: return nil
        case .settings(var history):
            // The only reference, so that nothing is copied.
            self = .none
            defer { self = .settings(history) }
            guard let old = old.defaults, let new = new.defaults else { return nil }
            return .settings(history.record(from: old, to: new, generation: generation, listingAll: listingAll))
        case .folders(var history):
            self = .none
            defer { self = .folders(history) }
            return new.folders.map { .folders(history.record($0, generation: generation)) }
        }
    }

    func state(in reading: Reading) -> ChangedParts? {
        switch self {
        case .none: nil
        case .settings: .settings(reading.settings)
        case .folders(let history): .folders(history.state)
        }
    }

    /// Returns whether the parts of all changes since a generation are known, as each change lists them.
    func isComplete(since generation: Int) -> Bool {
        if case .settings(let history) = self { history.isComplete(since: generation) } else { false }
    }

    func changes(since generation: Int, in reading: Reading) -> ChangedParts? {
        switch self {
        case .none: nil
        case .settings(let history):
            reading.defaults.map { .settings(history.changes(since: generation, in: $0)) }
        case .folders(let history): .folders(history.differences(since: generation))
        }
    }

    /// Returns parts for one earlier change whose own parts are no longer known: at least all that it affected.
    func changes(ofGeneration generation: Int, in reading: Reading) -> ChangedParts? {
        guard case .folders(let history) = self else { return changes(since: generation - 1, in: reading) }
        return .folders(history.rescans(since: generation - 1))
    }
}
