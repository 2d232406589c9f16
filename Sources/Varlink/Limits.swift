// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a peer may ask for at most, so that none can make the other run out of memory or stack.
public enum Limits {
    /// The longest message in bytes, without its NUL.
    ///
    /// A message describes state and is rarely longer than 1 KiB; 64 KiB leaves room for long
    /// lists and keeps a thousand connections that all fill their buffer within 64 MiB.
    public static let frame = 65_536

    /// How deeply arrays and objects may be nested in a message, the message itself included.
    ///
    /// Parser and writer recurse once a level, and 32 levels take little of the smallest stack.
    /// A message of an interface in use has about six.
    public static let jsonDepth = 32

    /// How many combining marks may stand in a row in a string.
    ///
    /// Swift puts them in order wherever it compares strings, which takes the square of their number: a name
    /// of 64 KiB would take a quarter of a second each time. No language puts more than a handful on one letter,
    /// and Unicode's stream-safe text has no more either (UAX 15, UAX15-D4).
    public static let marks = 30
}
