// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

package struct BusOptions: ParsableArguments {
    @Option(
        help: "The address of the bus, unix:PATH. Default: $REVEILLE_ADDRESS, else the user's bus, else the system bus."
    )
    package var address: String?

    package init() {}
}
