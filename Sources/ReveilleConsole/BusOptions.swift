// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The option that names the bus.
package struct BusOptions: ParsableArguments {
    /// The address; `nil` for the usual one.
    @Option(
        help: "The address of the bus, unix:PATH. Default: $REVEILLE_ADDRESS, else the user's bus, else the system bus."
    )
    package var address: String?

    /// Creates the option, which the parser sets.
    package init() {}
}
