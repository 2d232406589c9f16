// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
package import Varlink

extension BridgeConfiguration {
    /// Every key with its value, in the form for reading; unused keys are `null`.
    package var json: JSONObject {
        [
            "device": Self.text(device?.text),
            "broker": .string(access.address.description),
            "ca": Self.text(access.ca),
            "certificate": Self.text(access.certificate),
            "key": Self.text(access.key),
            "user": Self.text(access.user),
            "passwordFile": Self.text(access.passwordFile),
            "aspects": .array(aspects.map { .string($0.name) }),
            "domains": .array(domains.map { .string($0) }),
            "desired": .array(desired.map { .string($0.name) }),
            "groups": .array(groups.map { .string($0) }),
            "interval": Self.seconds(interval),
            "wakeEvery": wakeEvery.map(Self.seconds) ?? .null,
            "keepAlive": Self.seconds(keepAlive),
            "homeAssistant": homeAssistant.map { .string($0) } ?? false,
        ]
    }

    private static func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }

    private static func seconds(_ duration: Duration) -> JSON {
        let seconds = duration.inSeconds
        return Int64(exactly: seconds).map { .integer($0) } ?? .number(seconds)
    }
}
