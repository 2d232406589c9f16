// swift-tools-version: 6.2
import PackageDescription

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let serviceLifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["ServiceLifecycle"]))

let package = Package(
    name: "reveille",
    products: [
        .executable(name: "reveille", targets: ["ReveilleMain"]),
        .library(name: "Reveille", targets: ["Reveille"]),
        .library(name: "ReveilleFoundation", targets: ["ReveilleFoundation"]),
        .library(name: "ReveilleLocal", targets: ["ReveilleLocal"]),
        .library(name: "ReveilleTesting", targets: ["ReveilleTesting"]),
    ],
    traits: [.trait(name: "ServiceLifecycle", description: "A device is a service of swift-service-lifecycle.")],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
    ],
    targets: [
        // MARK: - C libraries
        .systemLibrary(name: "CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(name: "CReveilleLinux"),
        .target(name: "CUmockdev", linkerSettings: [.linkedLibrary("dl")]),

        // MARK: - Pure
        .target(name: "ReveilleCore"),
        // Its declarations are public, although it is no product: the optimizer then sees its small functions from other
        // modules. With package access, a post took 14% more instructions.
        .target(name: "Varlink"),
        .target(
            name: "ReveilleWire", dependencies: ["ReveilleCore", "Varlink"],
            resources: [
                .embedInCode("Interfaces/org.reveille.Bus.varlink"),
                .embedInCode("Interfaces/org.reveille.Device.varlink"),
                .embedInCode("Interfaces/org.reveille.Schedule.varlink"),
            ]),

        // MARK: - Linux
        .target(name: "ReveilleSystem", dependencies: ["CReveilleLinux"]),
        .target(
            name: "ReveilleHost",
            dependencies: [
                "CReveilleLinux", "CSystemd", "CUdev", "ReveilleSystem",
            ]),
        .target(
            name: "ReveilleWatchers",
            dependencies: [
                "ReveilleCore", "ReveilleHost", "ReveilleSystem",
            ]),
        .target(name: "ReveilleLink", dependencies: ["ReveilleCore", "ReveilleSystem", "ReveilleWire", "Varlink"]),
        .target(
            name: "ReveilleService",
            dependencies: [
                "ReveilleCore", "ReveilleHost", "ReveilleLink", "ReveilleSystem", "ReveilleWatchers", "ReveilleWire",
                "Varlink", logging,
            ]),

        // MARK: - Libraries and test kit
        .target(
            name: "Reveille",
            dependencies: [
                "ReveilleCore", "ReveilleLink", "ReveilleSystem", "ReveilleWire", "Varlink", logging, serviceLifecycle,
            ]),
        .target(name: "ReveilleFoundation", dependencies: ["ReveilleCore"]),
        .target(
            name: "ReveilleLocal",
            dependencies: ["Reveille", "ReveilleCore", "ReveilleHost", "ReveilleService", "ReveilleSystem", logging]),
        .target(
            name: "ReveilleTesting",
            dependencies: [
                "CUmockdev", "Reveille", "ReveilleCore", "ReveilleHost", "ReveilleLocal", "ReveilleService",
                "ReveilleSystem", "ReveilleWatchers", logging,
            ]),

        // MARK: - The command
        .target(name: "ReveilleConsole", dependencies: ["ReveilleCore", "ReveilleSystem", "Varlink", argumentParser]),
        .executableTarget(name: "ReveilleMain", dependencies: ["ReveilleTool"]),
        .target(
            name: "ReveilleTool",
            dependencies: [
                "Reveille", "ReveilleConsole", "ReveilleCore", "ReveilleHost", "ReveilleLink", "ReveilleService",
                "ReveilleSystem", "ReveilleTesting", "ReveilleWatchers", "ReveilleWire", "Varlink", argumentParser,
                logging,
            ],
            resources: [.embedInCode("Demo/demo.scenario"), .embedInCode("Timeline/timeline.css")]),

        // MARK: - Examples
        .executableTarget(name: "StatusLine", dependencies: ["Reveille"], path: "Sources/Examples/StatusLine"),
        .executableTarget(name: "AutoRotate", dependencies: ["Reveille"], path: "Sources/Examples/AutoRotate"),
        .executableTarget(name: "Reminder", dependencies: ["Reveille"], path: "Sources/Examples/Reminder"),
        .executableTarget(name: "Tilt", dependencies: ["Reveille"], path: "Sources/Examples/Tilt"),
        .executableTarget(
            name: "SettingsReloader", dependencies: ["Reveille"], path: "Sources/Examples/SettingsReloader"),

        // MARK: - Trials: not part of what is installed
        .target(name: "CInstructionCounter", path: "Sources/Trials/CInstructionCounter"),
        .target(
            name: "ReveilleSimulation",
            dependencies: [
                "ReveilleCore", "ReveilleHost", "ReveilleService", "ReveilleSystem", "ReveilleWatchers", "ReveilleWire",
                "Varlink", logging,
            ],
            path: "Sources/Trials/Simulation"),

        // MARK: - Tests
        .testTarget(name: "ReveilleCoreTests", dependencies: ["ReveilleCore", "ReveilleSimulation"]),
        .testTarget(name: "VarlinkTests", dependencies: ["Varlink"]),
        .testTarget(name: "ReveilleWireTests", dependencies: ["ReveilleCore", "ReveilleWire", "Varlink"]),
        .testTarget(
            name: "ReveilleSystemTests",
            dependencies: [
                "ReveilleHost", "ReveilleSystem", "ReveilleTesting",
            ]),
        .testTarget(
            name: "ReveilleWatchersTests",
            dependencies: [
                "ReveilleCore", "ReveilleSystem", "ReveilleTesting", "ReveilleWatchers",
            ],
            exclude: ["Zones/reference.py"]),
        .testTarget(
            name: "ReveilleTests",
            dependencies: [
                "Reveille", "ReveilleCore", "ReveilleFoundation", "ReveilleLink", "ReveilleLocal", "ReveilleSimulation",
                "ReveilleSystem", "ReveilleTesting", "ReveilleWire", "Varlink", logging, serviceLifecycle,
            ]),
        .testTarget(
            name: "ReveilleServiceTests",
            dependencies: [
                "ReveilleCore", "ReveilleService", "ReveilleSystem", "ReveilleTesting", "ReveilleWire", "Varlink",
                logging,
            ]),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "ReveilleCore", "ReveilleHost", "ReveilleService", "ReveilleSimulation", "ReveilleSystem",
                "ReveilleTesting", "ReveilleWatchers", "ReveilleWire", "Varlink", logging,
            ]),
        .testTarget(
            name: "ReveilleToolTests",
            dependencies: [
                "Reveille", "ReveilleConsole", "ReveilleCore", "ReveilleSimulation", "ReveilleSystem", "ReveilleTool",
                "ReveilleWire", "Varlink",
            ]),
        .testTarget(
            name: "ReveilleTestingTests",
            dependencies: [
                "Reveille", "ReveilleCore", "ReveilleMain", "ReveilleSystem", "ReveilleTesting", "Tilt", "Varlink",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// Satellites need libraries that a bus does not have. A plain build, and packages that depend on this one, know neither the
// satellites nor the targets that use them, unless this variable is set. Docs/Contributing/Decisions/0026-satellites.md has the reasons.
if Context.environment["REVEILLE_SATELLITES"] != nil {
    package.products += [
        .executable(name: "reveille-dbus", targets: ["ReveilleDBus"]),
        .executable(name: "reveille-fleet", targets: ["ReveilleFleetTool"]),
        .executable(name: "reveille-location", targets: ["ReveilleLocation"]),
        .executable(name: "reveille-sensor-proxy", targets: ["ReveilleSensorProxy"]),
        .executable(name: "reveille-view", targets: ["ReveilleView"]),
    ]
    package.targets += [
        // MARK: - Satellites
        .systemLibrary(
            name: "CMicroHTTPD", path: "Sources/Satellites/View/CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(
            name: "CMosquitto", path: "Sources/Satellites/Fleet/CMosquitto", pkgConfig: "libmosquitto",
            providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/Satellites/View/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "ReveilleDBusCore", dependencies: ["ReveilleCore", "Varlink"],
            path: "Sources/Satellites/DBus/Core", resources: [.embedInCode("Presets.json5")]),
        .executableTarget(
            name: "ReveilleDBus",
            dependencies: [
                "Reveille", "ReveilleConsole", "ReveilleCore", "ReveilleDBusCore", "ReveilleHost", "ReveilleLink",
                "ReveilleSystem", "ReveilleWire", "Varlink", argumentParser,
            ],
            path: "Sources/Satellites/DBus/Program"),
        .target(name: "ReveilleLocationCore", dependencies: ["Varlink"], path: "Sources/Satellites/Location/Core"),
        .executableTarget(
            name: "ReveilleLocation",
            dependencies: [
                "Reveille", "ReveilleConsole", "ReveilleCore", "ReveilleLink", "ReveilleLocationCore", "ReveilleSystem",
                argumentParser,
            ],
            path: "Sources/Satellites/Location/Program"),
        .target(
            name: "ReveilleSensorProxyCore", dependencies: ["ReveilleCore"],
            path: "Sources/Satellites/SensorProxy/Core"),
        .executableTarget(
            name: "ReveilleSensorProxy",
            dependencies: [
                "Reveille", "ReveilleConsole", "ReveilleHost", "ReveilleSensorProxyCore", "ReveilleSystem",
                argumentParser,
            ],
            path: "Sources/Satellites/SensorProxy/Program"),
        .target(
            name: "ReveilleViewCore", dependencies: ["ReveilleCore", "ReveilleFleetCore", "Varlink"],
            path: "Sources/Satellites/View/Core"),
        .executableTarget(
            name: "ReveilleView",
            dependencies: [
                "CMicroHTTPD", "CSQLite", "Reveille", "ReveilleConsole", "ReveilleCore", "ReveilleFleet",
                "ReveilleFleetCore", "ReveilleHost", "ReveilleLink", "ReveilleSystem", "ReveilleViewCore",
                "ReveilleWire", "Varlink", argumentParser,
            ],
            path: "Sources/Satellites/View/Program",
            resources: [
                .embedInCode("Page/page.html"), .embedInCode("Page/view.js"), .embedInCode("Page/draw.js"),
                .embedInCode("Page/view.css"), .embedInCode("Page/icon.svg"), .embedInCode("Page/fleet.html"),
                .embedInCode("Page/fleet.js"), .embedInCode("Page/fleet.css"),
            ]),
        .target(
            name: "ReveilleFleetCore", dependencies: ["ReveilleCore", "ReveilleWire", "Varlink"],
            path: "Sources/Satellites/Fleet/Core"),
        .target(
            name: "ReveilleMQTT", dependencies: ["CMosquitto", "ReveilleFleetCore", "ReveilleSystem"],
            path: "Sources/Satellites/Fleet/MQTT"),
        .target(
            name: "ReveilleFleet",
            dependencies: ["ReveilleCore", "ReveilleFleetCore", "ReveilleMQTT", "ReveilleSystem"],
            path: "Sources/Satellites/Fleet/Library"),
        .executableTarget(
            name: "ReveilleFleetTool",
            dependencies: [
                "Reveille", "ReveilleConsole", "ReveilleCore", "ReveilleFleet", "ReveilleFleetCore", "ReveilleHost",
                "ReveilleLink", "ReveilleMQTT", "ReveilleSystem", "ReveilleWire", "Varlink", argumentParser,
            ],
            path: "Sources/Satellites/Fleet/Program"),

        // MARK: - Trials of everything
        .executableTarget(
            name: "ReveilleBench",
            dependencies: [
                "CSystemd", "Reveille", "ReveilleCore", "ReveilleHost", "ReveilleSimulation", "ReveilleSystem",
                "ReveilleTesting", "ReveilleWire", "Varlink",
            ],
            path: "Sources/Trials/Bench"),
        .executableTarget(
            name: "ReveilleFuzz",
            dependencies: [
                "CInstructionCounter", "ReveilleCore", "ReveilleDBusCore", "ReveilleFleetCore", "ReveilleHost",
                "ReveilleLocationCore", "ReveilleService", "ReveilleSimulation", "ReveilleSystem", "ReveilleViewCore",
                "ReveilleWatchers", "ReveilleWire", "Varlink",
            ],
            path: "Sources/Trials/Fuzz"),
        .executableTarget(
            name: "ReveilleFleetStorm",
            dependencies: [
                "ReveilleCore", "ReveilleFleetCore", "ReveilleMQTT", "ReveilleSimulation", "ReveilleSystem",
                "ReveilleTesting", "Varlink",
            ],
            path: "Sources/Trials/FleetStorm"),
        .executableTarget(
            name: "ReveilleClientAdapter", dependencies: ["Reveille", "ReveilleCore", "Varlink"],
            path: "Tests/ClientConformance/Swift"),

        // MARK: - Tests
        .testTarget(
            name: "FuzzCorpusTests", dependencies: ["ReveilleFuzz", "ReveilleSystem"], path: "Tests/Fuzzing",
            exclude: ["Corpus", "Dictionaries", "keep"]),
        .testTarget(
            name: "FleetTests",
            dependencies: [
                "ReveilleCore", "ReveilleFleet", "ReveilleFleetCore", "ReveilleSimulation",
                "ReveilleSystem", "ReveilleTesting", "ReveilleWire", "Varlink",
            ],
            exclude: ["home_assistant.py"]),
        .testTarget(
            name: "FleetIntegrationTests",
            dependencies: [
                "ReveilleFleet", "ReveilleFleetCore", "ReveilleFleetTool", "ReveilleMQTT", "ReveilleSystem",
                "ReveilleTesting", "Varlink",
            ]),
        .testTarget(
            name: "SatelliteTests",
            dependencies: [
                "ReveilleCore", "ReveilleDBusCore", "ReveilleFleetCore", "ReveilleLocationCore",
                "ReveilleSensorProxyCore", "ReveilleSimulation", "ReveilleViewCore", "Varlink",
            ],
            exclude: ["View/browser.py", "View/fleet_browser.py"]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Reveille", "ReveilleClientAdapter", "ReveilleCore", "ReveilleDBus", "ReveilleFleetTool",
                "ReveilleHost",
                "ReveilleLink", "ReveilleLocation", "ReveilleMain", "ReveilleSensorProxy", "ReveilleSimulation",
                "ReveilleSystem",
                "ReveilleTesting", "ReveilleTool", "ReveilleView", "ReveilleViewCore", "Varlink",
            ],
            exclude: ["Clients/Node", "Clients/Python", "Fleet/kill.py"]),
    ]
}

// Scripts/sanitize builds only the tests that it runs, since the others need everything.
if let tests = Context.environment["REVEILLE_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !tests.contains($0.name) }
}

for target in package.targets where target.type != .system && !target.name.hasPrefix("C") {
    var settings = target.swiftSettings ?? []
    settings += [
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
        .enableUpcomingFeature("ExistentialAny"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
        .enableUpcomingFeature("InternalImportsByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
        .enableUpcomingFeature("MemberImportVisibility"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0470-isolated-conformances.md
        .enableUpcomingFeature("InferIsolatedConformances"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0481-weak-let.md
        .enableUpcomingFeature("ImmutableWeakCaptures"),
    ]
    // The attribute for functions that change a span; later compilers infer it.
    settings.append(.enableExperimentalFeature("Lifetimes"))
    #if compiler(<6.3)
        // Swift 6.2.3 finds races that 6.3 knows to be none. Its own checks are off, and these parts of Swift 6 on.
        settings += [
            .swiftLanguageMode(.v5),
            .enableUpcomingFeature("DisableOutwardActorInference"), .enableUpcomingFeature("DynamicActorIsolation"),
            .enableUpcomingFeature("InferSendableFromCaptures"), .enableUpcomingFeature("IsolatedDefaultValues"),
        ]
    #endif
    if ["ReveilleCore", "Varlink"].contains(target.name) {
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
        settings.append(.strictMemorySafety())
    }
    target.swiftSettings = settings
}
