// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
package import ReveilleSystem

/// The contents of one file, read again after each change; loop thread only.
package final class FollowedFile {
    private let files: WatchedFiles<[UInt8]>

    /// Reads the file at an absolute path, which may lead nowhere, and follows it for as long as this exists.
    ///
    /// A file of more bytes than the limit keeps the contents before it. `warn` takes a line for the log, once while a
    /// problem lasts. `changed` takes the contents, first before this returns; `nil` without a file.
    package init(
        _ path: String, limit: Int, loop: EventLoop, warn: @escaping (String) -> Void,
        changed: @escaping ([UInt8]?) -> Void
    ) throws(SystemError) {
        let format = FileFormat(sizeLimit: { _ in limit }, membership: nil) { _, _, bytes, _ throws(FormatError) in
            bytes
        }
        files = try WatchedFiles(
            loop: loop, settings: FileSettings(paths: [path], root: "", home: "/"), format: format,
            context: WatcherContext(report: { _ in }, warn: warn, overflowed: {})
        ) { table in
            changed(table.entries.values.first?.value)
        }
        files.pace = .live
    }
}
