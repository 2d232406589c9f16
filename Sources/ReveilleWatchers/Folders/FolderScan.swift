// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// A single scan of a folder's entries, which may take several turns of the loop.
final class FolderScan {
    enum Outcome {
        /// The entries of a directory, at most ``FolderListing/nameLimit``, and the number of all.
        case entries(SortedEntries, count: Int, of: DirectoryScan.Status)
        /// The path does not exist, or leads to a file.
        case missing(String)
        case failed(String)
    }

    /// The largest number of entries that are counted beyond the reported entries.
    static let countLimit = 10 * FolderListing.nameLimit

    private let opened: Result<DirectoryScan, SystemError>?
    private let problem: String
    /// The entries of the last listing.
    private let known: SortedEntries
    private var sorting = EntrySorting()
    private var count = 0
    private var isRead = false

    /// Opens the folder at the end of a way; known entries are the result if nothing has changed, and need no sorting.
    init(of way: PathChain, known: SortedEntries) {
        self.known = known
        switch way.end {
        case .directory(let path):
            do throws(SystemError) {
                opened = .success(try DirectoryScan(of: path))
            } catch {
                opened = .failure(error)
            }
            problem = "no such folder"
        case .missing: (opened, problem) = (nil, "no such folder")
        case .file: (opened, problem) = (nil, "not a folder")
        case .refused(let error): (opened, problem) = (.failure(error), "")
        }
    }

    /// Reads further entries, and then sorts them, while there is time; `nil` if there is more to do.
    func advance(while mayContinue: () -> Bool) -> Outcome? {
        switch opened {
        case nil: return .missing(problem)
        case .failure(let error): return error.isAbsence ? .missing("no such folder") : .failed("\(error)")
        case .success(let directory):
            do throws(SystemError) {
                while !isRead {
                    isRead = count == Self.countLimit ? true : try !directory.next(add)
                    guard mayContinue() else { return nil }
                }
            } catch {
                return .failed("\(error)")
            }
            if sorting.isEqual(to: known) { return .entries(known, count: count, of: directory.status) }
            while sorting.advance() {
                guard mayContinue() else { return nil }
            }
            return .entries(sorting.result, count: count, of: directory.status)
        }
    }

    private func add(_ name: Span<UInt8>, _ status: () -> DirectoryScan.Status?) {
        guard count < FolderListing.nameLimit else {
            count += 1
            return
        }
        guard let status = status() else { return }
        count += 1
        sorting.append(FolderEntry(name: EntryName(name), status))
    }
}

extension FolderEntry {
    fileprivate init(name: EntryName, _ status: DirectoryScan.Status) {
        var stamp = Digest()
        for number in [UInt64(status.type), status.size, UInt64(bitPattern: status.modified)] { stamp.combine(number) }
        // The number of a removed file may be given to the next file at once, so the time of creation is part of the
        // identity. If it is unknown, the attributes that a rename does not change are used instead.
        var identity = stamp
        if status.born != 0 {
            identity = Digest()
            identity.combine(UInt64(bitPattern: status.born))
        }
        identity.combine(status.identity.inode)
        self.init(name: name, identity: identity.value, stamp: stamp.value)
    }
}
