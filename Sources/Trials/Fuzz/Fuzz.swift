// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

#if FUZZING

    /// The target named by the option `--target=NAME`; libFuzzer ignores options with two hyphens and passes them on.
    private let target: FuzzTarget = {
        let option = "--target="
        let names = CommandLine.arguments.filter { $0.hasPrefix(option) }.map { $0.dropFirst(option.count) }
        guard let target = names.first.flatMap(FuzzTarget.named) else {
            complain("--target must be one of \(FuzzTarget.names)")
            exit(64)
        }
        return target
    }()

    /// Runs one input, with libFuzzer's signature.
    @_cdecl("LLVMFuzzerTestOneInput")
    public func runOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        if let violation = target.violation(by: Array(UnsafeBufferPointer(start: start, count: count))) {
            complain("\(violation)")
            abort()
        }
        return 0
    }

#else

    /// Runs files, and the files of directories, on a target, for example to examine a fuzzer's findings.
    @main
    enum Fuzz {
        static func main() {
            if CommandLine.arguments.dropFirst() == ["costs"] { return costs() }
            guard CommandLine.arguments.count > 2, let target = FuzzTarget.named(CommandLine.arguments[1]) else {
                complain("usage: ReveilleFuzz costs | TARGET FILE|DIRECTORY...; TARGET is one of \(FuzzTarget.names)")
                exit(64)
            }
            var hasFailed = false
            for argument in CommandLine.arguments.dropFirst(2) {
                let files = (try? DirectoryListing.files(in: argument)).map { $0.map { argument + "/" + $0 } }
                for file in files ?? [argument] {
                    // Logged before the run, which may crash the process.
                    complain(file)
                    guard case .bytes(let bytes) = FileContents.read(file, limit: 1 << 20) else {
                        complain("cannot be read")
                        exit(66)
                    }
                    if let violation = target.violation(by: bytes) {
                        complain("\(violation)")
                        hasFailed = true
                    }
                }
            }
            exit(hasFailed ? 1 : 0)
        }

        /// Prints how long each reader takes at most, and where twice the input takes much more than twice the work.
        private static func costs() {
            /// The limit in milliseconds: a tenth of a second is not noticeable.
            let limit = 100
            for reader in CostlyReader.all {
                let (time, input) = reader.slowest()
                let remark = time < limit ? "" : ", more than \(limit)"
                print("\(reader), \(reader.limit) bytes: \(time) ms at most, \(input?.description ?? "all")\(remark)")
            }
            guard CostlyReader.isCounted else { return complain("the processor's counters cannot be read here") }
            let complaints = CostlyReader.all.flatMap { CostlyInput.all.compactMap($0.complaint) }
            for complaint in complaints { complain(complaint) }
            if !complaints.isEmpty { exit(1) }
        }
    }

#endif

private func complain(_ text: String) {
    try? Output.write("ReveilleFuzz: \(text)\n".utf8, to: STDERR_FILENO, of: "stderr")
}

extension FuzzTarget {
    fileprivate static var names: String { all.map(\.description).joined(separator: " ") }
}
