// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille

/// Rotates the display to match the device, by running a compositor's command with the transform appended.
///
///     AutoRotate wlr-randr --output DSI-1 --transform
///     AutoRotate swaymsg output DSI-1 transform
///
/// The display keeps its rotation while the device lies flat. Rotations while a command runs are merged into one.
@main
enum AutoRotate {
    static func main() async throws {
        let command = Array(CommandLine.arguments.dropFirst())
        guard !command.isEmpty else {
            print("usage: AutoRotate COMMAND [ARGUMENT]...")
            exit(64)
        }
        let device = try await Device.connect()
        var shown: Orientation.Pose?
        let options = SubscriptionOptions(name: "auto-rotate")
        for try await orientation in device.updates(of: .orientation, options: options) {
            guard let pose = orientation.planar, pose != shown else { continue }
            shown = pose
            run(command + [transform(pose)])
            fflush(nil)
        }
    }

    /// Returns the name in Wayland's `wl_output.transform`, which counts counterclockwise.
    private static func transform(_ pose: Orientation.Pose) -> String {
        switch pose {
        case .landscapeLeft: "90"
        case .portraitUpsideDown: "180"
        case .landscapeRight: "270"
        case .portrait, .faceUp, .faceDown, .unknown: "normal"
        }
    }

    private static func run(_ command: [String]) {
        var process: pid_t = 0
        let arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let result = posix_spawnp(&process, command[0], nil, nil, arguments, environ)
        guard result == 0 else { return print("\(command[0]): \(String(cString: strerror(result)))") }
        var status: Int32 = 0
        waitpid(process, &status, 0)
        if status != 0 { print("\(command.joined(separator: " ")): status \(status)") }
    }
}
