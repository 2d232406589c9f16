// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleConsole

/// How to configure folders, for users who ask for them while none is configured.
enum FolderHint {
    static let text = """
        no folders are configured; set folders in the configuration, as in { folders: { documents: "~/Documents" } }
        """

    /// Returns whether an event is the current state of folders, and lists none; even folders without names are listed.
    static func concerns(_ event: Event) -> Bool {
        event.changes == 0 && event.folders?.folders.isEmpty == true
    }

    static func print(for events: [Event]) {
        if events.contains(where: concerns) { Console.error("reveille: \(text)") }
    }

    static func print(for aspects: AspectSet, on device: Device) async throws {
        if aspects.contains(Aspect.folders) { print(for: try await device.states(of: [.folders])) }
    }
}
