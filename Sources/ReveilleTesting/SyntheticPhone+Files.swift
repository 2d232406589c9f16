// SPDX-License-Identifier: Apache-2.0

import Glibc

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

    /// Writes a file of the folder `~/Documents`, which the phone's bus watches as `documents`.
    ///
    /// - Parameters:
    ///   - contents: The text.
    ///   - name: The name in the folder.
    /// - Throws: `TestbedError` if the file cannot be written.
    public func writeDocument(_ contents: String, to name: String) throws(TestbedError) {
        try write(contents, to: documents + name)
    }

    /// Renames a file of the folder `~/Documents`.
    ///
    /// - Throws: `TestbedError` if there is no such file.
    public func renameDocument(_ name: String, to other: String) throws(TestbedError) {
        try testbed.step { () throws(TestbedError) in
            let path = files + documents + name
            guard rename(path, files + documents + other) == 0 else { throw TestbedError("rename", on: path) }
        }
    }

    /// Removes a file of the folder `~/Documents`.
    ///
    /// - Throws: `TestbedError` if there is no such file.
    public func removeDocument(_ name: String) throws(TestbedError) {
        try testbed.step { () throws(TestbedError) in
            guard unlink(files + documents + name) == 0 else {
                throw TestbedError("unlink", on: files + documents + name)
            }
        }
    }

    /// Describes the phone as firmware, kernel and system do.
    func describe() throws(TestbedError) {
        let files = [
            ("/proc/device-tree/model", "Synthetic Phone\0"), ("/proc/device-tree/chassis-type", "handset\0"),
            ("/proc/meminfo", "MemTotal: 4194304 kB\n"), ("/sys/devices/system/cpu/online", "0-7\n"),
            ("/etc/os-release", "NAME=Synthetic\n"), ("/etc/machine-id", String(repeating: "5e", count: 16) + "\n"),
        ]
        for (path, contents) in files { try write(contents, to: path) }
    }

    func makeDocuments() throws(TestbedError) {
        let path = files + documents
        guard mkdir(path, 0o755) == 0 else { throw TestbedError("mkdir", on: path) }
    }

    private var documents: String { home + "/Documents/" }

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
