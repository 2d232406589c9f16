// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleSystem

/// The freezer state of a cgroup, read from its `cgroup.events` file.
///
/// The kernel reports when the processes are frozen or thawed, by this cgroup or an ancestor, and when the first
/// process enters or the last process leaves. It reports at most every 10 ms, so intermediate states may be missed. It
/// does not report other processes that enter or leave, or the removal of the cgroup. Loop thread only.
package final class CgroupFreezer {
    private let descriptor: OwnedDescriptor
    private var source: (any LoopSource)?

    /// Starts watching; `changed` is called when ``isFrozen`` may have changed, or processes have entered or left.
    ///
    /// - Throws: `SystemError`; ENOENT if the cgroup does not exist or is the root, which is never frozen.
    package init(
        directory: String, loop: any Loop, changed: @escaping () -> Void
    ) throws(SystemError) {
        let path = directory + "/cgroup.events"
        descriptor = try OwnedDescriptor(opening: path, O_RDONLY | O_NOCTTY)
        let number = descriptor.number
        guard !DescriptorLimit.isKeptBack(number) else { throw SystemError("open", on: path, code: EMFILE) }
        // Edge-triggered, since a removed cgroup would be reported continuously. Changes before the first read are
        // reported immediately.
        source = try loop.watch(number, for: [.changed, .edge], priority: .watcher) { _ in changed() }
    }

    deinit {
        // Before the descriptor is closed.
        source = nil
    }

    /// Whether the processes are frozen, or `nil` if the cgroup has been removed.
    package var isFrozen: Bool? {
        withUnsafeTemporaryAllocation(byteCount: Self.limit, alignment: 1) { buffer in
            let count = retryingOnInterrupt { pread(descriptor.number, buffer.baseAddress, buffer.count, 0) }
            guard count > 0 else { return nil }
            return Self.isFrozen(inEvents: String(decoding: buffer[..<count], as: UTF8.self))
        }
    }

    /// Parses the text of a `cgroup.events` file; `nil` without the field `frozen` (before Linux 5.2).
    package static func isFrozen(inEvents text: String) -> Bool? {
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "))
            if words.count == 2, words[0].elementsEqual("frozen".utf8) { return words[1].elementsEqual("1".utf8) }
        }
        return nil
    }

    /// The file has two short lines; the rest is room for additions.
    private static let limit = 1_024
}

/// An attempt to freeze a cgroup, which ends when all its processes are frozen, or with the reason why they are not.
final class FreezeAttempt {
    private let cgroup: ProgramCgroup
    private var freezer: CgroupFreezer?
    private var deadline: (any LoopSource)?
    private var isRequested = false
    private var completion: ((FreezeAttempt, CannotFreeze?) -> Void)?

    /// Starts; `completion` is called once on the loop, after this returns, unless this is released before.
    init(
        _ cgroup: ProgramCgroup, loop: any Loop, then completion: @escaping (FreezeAttempt, CannotFreeze?) -> Void
    ) throws(CannotFreeze) {
        self.cgroup = cgroup
        self.completion = completion
        freezer = try cgroup.watch(loop: loop) { [unowned self] in look() }
        deadline = try Result { () throws(SystemError) in try loop.timer { [unowned self] in expire() } }
            .mapError { CannotFreeze("\($0)") }.get()
        deadline?.fire(after: SystemPrograms.patience)
    }

    /// Records that the service manager or the kernel has accepted the request, or the reason why not.
    func requested(_ failure: CannotFreeze?) {
        if let failure { return finish(failure) }
        isRequested = true
        look()
    }

    func finish(_ failure: CannotFreeze?) {
        guard let completion else { return }
        self.completion = nil
        freezer = nil
        deadline?.cancel()
        deadline = nil
        completion(self, failure)
    }

    /// Reads the state; the service manager may report success without a freezer.
    private func look() {
        switch freezer?.isFrozen {
        case true?: if isRequested { finish(nil) }
        case false?: break
        case nil: finish(CannotFreeze("cgroup \(cgroup.path) has been removed"))
        }
    }

    private func expire() {
        let state = isRequested ? "has not been frozen" : "could not be frozen"
        finish(CannotFreeze("cgroup \(cgroup.path) \(state) within \(SystemPrograms.patience)"))
    }
}
