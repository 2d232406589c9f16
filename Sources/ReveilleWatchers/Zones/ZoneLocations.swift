// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// The places of the files of time zones.
package struct ZoneLocations: Sendable, Hashable {
    /// The directory of the tz database.
    package var database: String
    /// The file of the device's zone, mostly a link into a tz database.
    package var local: String

    /// Creates locations, with a prefix of `/etc/localtime`; the database belongs to the machine and has none.
    ///
    /// `database` is the value of `TZDIR`; a relative path is ignored, and `nil` stands for Debian's directory.
    package init(root: String, database: String?) {
        self.database = database.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/usr/share/zoneinfo"
        local = root + "/etc/localtime"
    }

    func path(of zone: ZoneName) -> String {
        switch zone {
        case .local: local
        case .named(let name): PathChain.path(of: name, in: database)
        }
    }

    /// Reads the file of a zone; without a file, the device's zone is UTC (localtime(5)).
    func read(_ zone: ZoneName) throws(ZoneError) -> TimeZoneRules {
        let path = path(of: zone)
        switch FileContents.read(path, limit: TimeZoneRules.sizeLimit) {
        case .bytes(let bytes):
            return try Result { () throws(FormatError) in try TimeZoneRules(tzif: bytes) }
                .mapError { ZoneError("\(path) \($0)") }.get()
        case .missing:
            guard zone == .local else { throw missing(path) }
            let chain = PathChain(following: path, root: "")
            let name = ConfiguredPath.name(of: path)
            guard let link = chain.steps.first(where: { $0.kind == .link && $0.name == name }) else { return .utc }
            throw ZoneError("\(link.path) is a link to a missing file")
        case .tooLarge(let limit, _): throw ZoneError("\(path) is longer than the limit of \(limit) bytes")
        case .notAFile: throw ZoneError("\(path) is not a regular file")
        case .unreadable(let error): throw ZoneError("\(error)")
        }
    }

    private func missing(_ path: String) -> ZoneError {
        if case .missing = PathChain(following: database, root: "").end {
            return ZoneError("\(database) does not exist; install the package tzdata")
        }
        return ZoneError("\(path) does not exist")
    }
}

package struct ZoneError: Error, Hashable, CustomStringConvertible {
    /// The reason, on one line.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
