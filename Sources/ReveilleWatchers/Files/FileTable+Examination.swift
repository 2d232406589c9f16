// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension FileTable {
    /// Says of each file what was read there, for a person.
    ///
    /// - Parameter describe: Says what contents are, in one line.
    /// - Returns: A finding a file, and what to do about those that are unreadable or broken.
    func examination(describe: (Value) -> String) -> Examination {
        let asked = Set(paths)
        let found = entries.keys.filter { !asked.contains($0) }.sorted()
        var examination = Examination()
        for path in paths + found {
            guard let entry = entries[path] else { continue }
            let name = real(path)
            if let problem = entry.problem {
                examination.findings.append(Examination.Finding(name, problem))
                examination.advice.append("mend \(name), or make it readable: \(problem)")
            } else if let value = entry.value {
                examination.findings.append(Examination.Finding(name, describe(value)))
            } else if asked.contains(path) {
                examination.findings.append(Examination.Finding(name, entry.isDirectory ? "directory" : "no such file"))
            }
        }
        return examination
    }
}
