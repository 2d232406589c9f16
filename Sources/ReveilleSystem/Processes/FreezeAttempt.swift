// SPDX-License-Identifier: Apache-2.0

/// An attempt to freeze a cgroup.
///
/// It ends when all processes of the cgroup are frozen, or with the reason why they are not.
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
        do throws(SystemError) {
            deadline = try loop.timer { [unowned self] in expire() }
        } catch {
            throw CannotFreeze("\(error)")
        }
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
