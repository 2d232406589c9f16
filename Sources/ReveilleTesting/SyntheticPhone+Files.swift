// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension SyntheticPhone {
    /// Sets the system's language, by its POSIX name: `de_DE.UTF-8`.
    ///
    /// - Throws: `TestbedError` when the file cannot be written.
    public func setLocale(_ name: String) throws(TestbedError) {
        try write("LANG=\(name)\n", to: "/etc/locale.conf")
    }

    /// Writes one of the user's settings files whole.
    ///
    /// - Parameters:
    ///   - contents: The text; its format is that of the name: `.json`, `.plist`, `.ini`, `.conf`.
    ///   - name: The file below `~/.config`.
    /// - Throws: `TestbedError` when it cannot be written.
    public func writeSettings(_ contents: String, to name: String = "settings.json") throws(TestbedError) {
        try write(contents, to: home + "/.config/" + name)
    }

    /// Writes a file of the phone whole, as a careful program does: a temporary file and a rename.
    ///
    /// - Parameters:
    ///   - contents: The text.
    ///   - path: The file as the phone names it, from `/`; directories that are missing are made.
    /// - Throws: `TestbedError` when it cannot be written.
    public func write(_ contents: String, to path: String) throws(TestbedError) {
        try testbed.step { () throws(TestbedError) in
            try directory.write(contents, to: "files/" + path.drop { $0 == "/" })
        }
    }
}
