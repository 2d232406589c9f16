// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem
import ReveilleWire
import Varlink

extension Failure {
    /// Creates the failure of a system call that was made to start the bus.
    init(serving error: SystemError, at address: UnixAddress) {
        var status = stat()
        if error.code == EADDRINUSE, lstat(address.path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
            self.init(.usage, "\(address.path) is not a socket")
            return
        }
        switch error.code {
        case EACCES, EPERM: self.init(.permission, "\(error)")
        case EADDRINUSE: self.init(.tryAgain, "\(error); another bus uses this address")
        default: self.init(.failure, "\(error)")
        }
    }

    init(_ error: CallError) {
        switch error.name {
        case CallError.permissionDenied.name: self.init(.permission, "\(error)")
        case CallError.quotaExceeded(.value, limit: 0).name: self.init(.tryAgain, "\(error)")
        case CallError.invalidParameter("").name: self.init(.usage, "\(error)")
        default: self.init(.failure, "\(error)")
        }
    }

    init(_ error: ReveilleError) {
        let code: Code =
            switch error.code {
            case .noBus: .noBus
            case .timeout: .timeout
            case .notPermitted: .permission
            case .quotaExceeded, .system: .tryAgain
            case .invalidArgument: .usage
            case .invalidReply, .notSupported: .protocol
            default: .failure
            }
        self.init(code, error.description)
    }
}
