// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension SyntheticPhone {
    /// Sets the system's language to a POSIX locale name.
    ///
    /// ```swift
    /// try phone.setLocale("de_DE.UTF-8")
    /// ```
    ///
    /// - Throws: `TestbedError` if the file cannot be written.
    public func setLocale(_ name: String) throws(TestbedError) {
        try write("LANG=\(name)\n", to: "/etc/locale.conf")
    }

    /// Replaces one of the user's settings files.
    ///
    /// ```swift
    /// try phone.writeSettings(#"{"theme": "dark"}"#)
    /// ```
    ///
    /// - Parameters:
    ///   - contents: The text, in the format given by the extension: `.json`, `.plist`, `.ini` or `.conf`.
    ///   - name: The path below `~/.config`.
    /// - Throws: `TestbedError` if the file cannot be written.
    public func writeSettings(_ contents: String, to name: String = "settings.json") throws(TestbedError) {
        try write(contents, to: home + "/.config/" + name)
    }

    /// Replaces a file of the phone atomically, using a temporary file and a rename.
    ///
    /// - Parameters:
    ///   - contents: The text.
    ///   - path: The absolute path on the phone; missing directories are created.
    /// - Throws: `TestbedError` if the file cannot be written.
    public func write(_ contents: String, to path: String) throws(TestbedError) {
        try testbed.step { () throws(TestbedError) in
            try directory.write(contents, to: "files/" + path.drop { $0 == "/" })
        }
    }
}
