// SPDX-License-Identifier: Apache-2.0

/// The limits that protect each side from running out of memory or stack because of its peer.
public enum Limits {
    /// The maximum length of a message in bytes, without its NUL.
    ///
    /// A message describes state and is rarely longer than 1 KiB. 64 KiB leaves room for long lists and limits
    /// the full buffers of a thousand connections to 64 MiB.
    public static let frame = 65_536

    /// The maximum nesting of arrays and objects in a message, including the message itself.
    ///
    /// The parser and the writer recurse once per level, and 32 levels use little of the smallest stack. Messages
    /// in use have about six levels.
    public static let jsonDepth = 32

    /// The maximum number of combining marks in a row in a string.
    ///
    /// Swift sorts them whenever it compares strings, in quadratic time: comparing a name of 64 KiB would take a
    /// quarter of a second. No language puts more than a handful of marks on one letter, and Unicode's
    /// stream-safe text format has the same limit (UAX 15, UAX15-D4).
    public static let marks = 30
}
