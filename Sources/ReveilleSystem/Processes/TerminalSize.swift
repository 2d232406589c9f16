// SPDX-License-Identifier: Apache-2.0

// The compiler may attribute winsize to this module.
import CReveilleLinux
import Glibc

package enum TerminalSize {
    /// Returns the columns and rows of a descriptor's terminal, 0 if it does not know them; `nil` for no terminal.
    package static func of(_ descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
