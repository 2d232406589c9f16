// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import Varlink

/// Data on stdout, messages on stderr, each line at once.
enum Console {
    /// Writes a line of data for people.
    ///
    /// - Throws: `Failure` when it is lost.
    static func line(_ text: StyledText) throws(Failure) {
        try line(printable: text.rendered)
    }

    /// Writes a line of data for programs.
    ///
    /// - Throws: `Failure` when it is lost.
    static func json(_ value: JSON) throws(Failure) {
        try line(printable: value.printable)
    }

    /// Writes a message for people; one that is lost has nobody to be told.
    static func error(_ text: StyledText) {
        try? write(text.rendered + "\n", to: STDERR_FILENO)
    }

    /// Writes a line of a service's log if it can be written at once; a reader that is slow loses it.
    static func log(_ text: StyledText) {
        // A pipe has room for a page, or says that it has none; a longer line waits for nobody either way.
        var rest = Array((text.rendered + "\n").utf8)[...]
        while !rest.isEmpty, (try? Readiness.wait(STDERR_FILENO, for: .writable, atMost: .zero)) == true {
            let count = rest.prefix(Int(PIPE_BUF)).withUnsafeBytes { buffer in
                retryingOnInterrupt { Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count) }
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes a text in the place of the terminal's last line, without ending it.
    static func replaceLine(with text: StyledText) {
        try? write("\r\u{1B}[K" + text.rendered, to: STDERR_FILENO)
    }

    /// How many columns a line on stdout has; `nil` where that does not matter.
    static var columns: Int? { Terminal.columns(of: STDOUT_FILENO) }

    /// Whether stdout is a terminal that wants color (no-color.org).
    static let isColored = isatty(STDOUT_FILENO) == 1 && Environment["NO_COLOR"] == nil

    /// Whether a person sits at a terminal that all three streams lead to.
    static let isInteractive = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].allSatisfy { isatty($0) == 1 }

    /// Takes the places of standard streams that are closed, so that no socket gets one and is written to as stdout.
    ///
    /// What takes a place is open the wrong way round, so that reading and writing fail as on a closed stream.
    static func reserveStandardStreams() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes a line of data that a terminal may be given as it is.
    ///
    /// - Throws: `Failure` when it is lost.
    static func line(printable text: String) throws(Failure) {
        do throws(SystemError) {
            try write(text + "\n", to: STDOUT_FILENO)
        } catch {
            if error.code == EPIPE { endForWantOfAReader() }
            throw Failure(.output, "\(error)")
        }
    }

    private static func write(_ text: String, to descriptor: Int32) throws(SystemError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { buffer in
                retryingOnInterrupt { Glibc.write(descriptor, buffer.baseAddress, buffer.count) }
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Somebody who shares it made it non-blocking.
                try Readiness.wait(descriptor, for: .writable, atMost: .seconds(Int32.max))
            } else {
                throw SystemError("write", on: descriptor == STDOUT_FILENO ? "stdout" : "stderr")
            }
        }
    }

    /// Ends as a program whose reader is gone usually does, also where its parent had SIGPIPE ignored.
    private static func endForWantOfAReader() -> Never {
        signal(SIGPIPE, SIG_DFL)
        kill(getpid(), SIGPIPE)
        exit(128 + SIGPIPE)
    }
}
