// swift-tools-version: 6.1
import PackageDescription

// The targets, a list for each layer, lowest first: a target imports targets of lower layers, and of its own layer those before it.
// scripts/dependencies checks it; Documentation/Architecture.md draws it.

/// The strictness of every target. Warnings become errors in `scripts/check`, which passes the flag, so that a new compiler's new
/// warning breaks no user's build.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The settings of targets in which simulated days and damaged files spend their time: optimized in debug builds too, which halves the
/// time of `make test`. SwiftPM accepts no such flag of a package that it has downloaded, so there the targets are as the others.
let isDownloaded = ["/checkouts/", "/downloads/"].contains { "\(Context.packageDirectory)/".contains($0) }
let optimized = strict + (isDownloaded ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))])

/// Dependencies where the target's system is Linux, whatever the machine is that builds.
func onLinux(_ names: String...) -> [Target.Dependency] {
  names.map { .target(name: $0, condition: .when(platforms: [.linux])) }
}

/// Dependencies where the system brings no library of Apple's for the purpose.
func notApple(_ name: String) -> [Target.Dependency] {
  [.target(name: name, condition: .when(platforms: [.linux, .android, .windows]))]
}

// Apple's systems have Core Location and Core Motion; elsewhere the package brings modules of the same names, so that one source
// file serves both. On a Mac a target of such a name would hide the system's module in every build: the machine decides here.
#if os(Linux)
  // Core Location and Core Motion of this package, on the message bus of the system.
  let linuxDevice: [Target] = [
    .target(name: "GodwitDBus", dependencies: ["CDBus"], swiftSettings: strict),
    .target(name: "Contacts", swiftSettings: strict),
    .target(name: "GodwitReceivers", dependencies: ["GodwitModel", "GodwitTracks", "GodwitDBus"], swiftSettings: strict),
    .target(
      name: "CoreLocation", dependencies: ["GodwitModel", "GodwitDBus", "GodwitReceivers", "Contacts"], swiftSettings: optimized),
    .target(name: "CoreMotion", dependencies: ["CoreLocation", "GodwitModel"], swiftSettings: optimized),
    // Loads libsystemd when a message bus is first used.
    .target(name: "CDBus"),
  ]
  // The simulated phone, tests of apps on it, and the example of such tests.
  let linuxSimulation: [Target] = [
    .target(
      name: "GodwitPhone",
      dependencies: [
        "GodwitHTTPClient",
        "GodwitSimulator", "Godwit", "GodwitEngine", "GodwitText", "GodwitWire", "GodwitTracks", "GodwitModel", "GodwitSQLite",
        "CoreLocation", "CoreMotion",
      ], swiftSettings: optimized),
    .target(
      name: "GodwitTesting",
      dependencies: ["GodwitPhone", "GodwitSimulator", "Godwit", "GodwitEngine", "GodwitTracks", "GodwitModel", "CoreLocation"],
      swiftSettings: strict),
    .target(
      name: "TripRecorder", dependencies: ["CoreLocation"], path: "Examples/TestedRecorder/Sources/TripRecorder",
      packageAccess: false),
  ]
  // A message bus with made-up services, a town of geofences with an oracle, and the tests.
  let linuxTests: [Target] = [
    // A person's day, for phones of tests.
    .target(
      name: "TestDays", dependencies: ["GodwitSimulator", "GodwitModel"], path: "Tests/TestDays", swiftSettings: optimized),
    .target(name: "TestBus", dependencies: ["GodwitDBus", "TestCluster"], path: "Tests/TestBus", swiftSettings: strict),
    .target(
      name: "FenceCity",
      dependencies: [
        "GodwitHTTPClient",
        "GodwitPhone", "GodwitSimulator", "GodwitServer", "GodwitSecrets", "GodwitStore", "GodwitGeofencing", "Godwit",
        "GodwitEngine", "GodwitWire",
        "GodwitModel", "CoreLocation",
      ], path: "Tests/FenceCity", swiftSettings: optimized),
    .executableTarget(
      name: "FenceDays", dependencies: ["FenceCity", "GodwitPhone", "GodwitSimulator"], path: "Benchmarks/FenceDays",
      swiftSettings: strict),
    .testTarget(name: "GodwitDBusTests", dependencies: ["GodwitDBus", "TestBus", "TestParts"], swiftSettings: strict),
    .testTarget(
      name: "CoreLocationTests",
      dependencies: [
        "Contacts", "CoreLocation", "CoreMotion", "GodwitReceivers", "GodwitDBus", "GodwitModel", "GodwitTracks", "TestBus",
        "TestParts", "TestTexts",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "GodwitPhoneTests",
      dependencies: [
        "GodwitHTTPClient",
        "FenceCity", "TestDays", "GodwitPhone", "GodwitSimulator", "Godwit", "GodwitEngine", "GodwitModel", "CoreLocation",
        "CoreMotion",
      ], swiftSettings: strict),
    // A simulated phone, the network, the server and its disk in one process, from one seed.
    .testTarget(
      name: "ChainTests",
      dependencies: [
        "TestDays", "TestDisk", "TestHistory", "TestParts", "GodwitPhone", "GodwitSimulator", "Godwit", "GodwitServer",
        "GodwitServices", "GodwitHTTP", "GodwitHTTPClient", "GodwitSecrets", "GodwitStore", "GodwitWire", "GodwitModel",
      ], exclude: ["planted-faults.json"], swiftSettings: optimized),
    // Our app's models, for whole days on the simulated phone.
    .testTarget(
      name: "GodwitAppTests",
      dependencies: [
        "GodwitApp", "GodwitStatus", "TestDays", "GodwitTesting", "GodwitPhone", "GodwitSimulator", "Godwit", "GodwitEngine",
        "GodwitDelivery", "GodwitJournal", "GodwitHTTPClient", "GodwitTracks", "GodwitModel", "CoreLocation", "CoreMotion",
      ], swiftSettings: strict),
    .testTarget(
      name: "GodwitTestingTests",
      dependencies: ["GodwitTesting", "GodwitPhone", "GodwitSimulator", "Godwit", "GodwitEngine", "GodwitModel", "CoreLocation"],
      exclude: ["Scenarios"], swiftSettings: strict),
    .testTarget(
      name: "TripRecorderTests", dependencies: ["TripRecorder", "GodwitTesting"],
      path: "Examples/TestedRecorder/Tests/TripRecorderTests", exclude: ["Scenarios"], packageAccess: false),
    // The end of the tutorial of Godwit's documentation.
    .testTarget(
      name: "WalkTrackerTests", dependencies: ["WalkTracker", "GodwitTesting"],
      path: "Examples/WalkTracker/Tests/WalkTrackerTests", packageAccess: false),
    .testTarget(
      name: "CouponsTests", dependencies: ["Coupons", "GodwitTesting", "GodwitModel"],
      path: "Examples/Coupons/Tests/CouponsTests",
      packageAccess: false),
  ]
  let linuxTargets = linuxDevice + linuxSimulation + linuxTests
  let linuxProducts: [Product] = [
    // Core Location and Core Motion alone, for code of iOS apps and its tests. It needs expat for GPX, and no other library.
    .library(name: "CoreLocationLinux", targets: ["CoreLocation", "CoreMotion", "Contacts"]),
    .library(name: "GodwitPhone", targets: ["GodwitPhone"]), .library(name: "GodwitTesting", targets: ["GodwitTesting"]),
  ]
  let sensors = onLinux("CoreLocation", "CoreMotion")
  let bus = onLinux("CDBus", "GodwitDBus")
  let simulation = onLinux("GodwitPhone", "GodwitSimulator")
  let testBus = onLinux("GodwitDBus", "TestBus")
  // Xcode looks for it in the resources of every package; Linux has no use for it.
  let privacy: (resources: [Resource], excluded: [String]) = ([], ["PrivacyInfo.xcprivacy"])
#else
  let linuxTargets: [Target] = []
  let linuxProducts: [Product] = []
  let sensors: [Target.Dependency] = []
  let bus: [Target.Dependency] = []
  let simulation: [Target.Dependency] = []
  let testBus: [Target.Dependency] = []
  let privacy: (resources: [Resource], excluded: [String]) = ([.copy("PrivacyInfo.xcprivacy")], [])
#endif

// Values and decisions: no input, no output, no other library than the one of digests.
let values: [Target] = [
  .target(name: "GodwitModel", swiftSettings: optimized),
  // A value behind a lock: Synchronization needs iOS 18.
  .target(name: "GodwitLocks", swiftSettings: optimized),
  // SHA-256: CryptoKit on Apple's systems, libsodium elsewhere.
  .target(name: "GodwitDigests", dependencies: notApple("CSodium"), swiftSettings: strict),
  .target(name: "GodwitModes", dependencies: ["GodwitModel"], swiftSettings: optimized),
  .target(name: "GodwitEngine", dependencies: ["GodwitModel"], swiftSettings: optimized),
]

// Formats: bytes to records and back. An app needs texts and protocols; the others come with expat, zlib or zstd.
let formats: [Target] = [
  .target(name: "GodwitText", dependencies: ["GodwitModel"], swiftSettings: optimized),
  // Tables of columns in compressed blocks with checksums.
  .target(name: "GodwitColumns", dependencies: ["CZlib", "CZstd"], swiftSettings: optimized),
  .target(name: "GodwitWire", dependencies: ["GodwitModel", "GodwitDigests", "GodwitText"], swiftSettings: optimized),
  .target(name: "GodwitTracks", dependencies: ["GodwitModel", "GodwitText", "CExpat"], swiftSettings: optimized),
  .target(
    name: "GodwitFiles", dependencies: ["GodwitModel", "GodwitText", "GodwitWire", "GodwitTracks", "CExpat", "CZlib"],
    swiftSettings: optimized),
  // Tiles of maps: archives of them, their coding, and the names of places that the world's tiles carry.
  .target(name: "GodwitTiles", dependencies: ["GodwitModel", "CZlib", "CZstd"], swiftSettings: strict),
  // Roads: the graph and its file, and the matching of tracks to it.
  .target(name: "GodwitRoads", dependencies: ["GodwitModel", "CZlib"], swiftSettings: optimized),
  // The roads of extracts of OpenStreetMap. Only the command that makes a file of roads imports it.
  .target(name: "GodwitRoadExtracts", dependencies: ["GodwitModel", "GodwitRoads", "CReadOSM"], swiftSettings: optimized),
]

// Input and output: files, databases, HTTP and secrets. They know no location and no device.
let inputOutput: [Target] = [
  // Pages and other files inside the executable, assembled with `.incbin`: as literals they cost the compiler 40 s. Paths in the
  // archives are relative to Sources.
  .target(name: "CResources", exclude: ["World"], cSettings: [.headerSearchPath("..")]),
  .target(name: "GodwitResources", dependencies: ["CResources"], swiftSettings: strict),
  .target(name: "GodwitSQLite", dependencies: ["GodwitLocks", "CSQLite"], swiftSettings: optimized),
  .target(name: "GodwitPostgres", dependencies: ["CPostgres"], swiftSettings: strict),
  // Access tokens and sessions, of the server and of the tracker's panel.
  .target(name: "GodwitSecrets", dependencies: ["GodwitModel", "GodwitDigests", "GodwitText", "CSodium"], swiftSettings: strict),
  .target(
    name: "GodwitHTTP", dependencies: ["GodwitModel", "GodwitDigests", "GodwitText", "CMicrohttpd", "CZlib"],
    swiftSettings: strict),
  // libcurl on Linux, URLSession on Apple's systems.
  .target(name: "GodwitHTTPClient", dependencies: ["GodwitLocks"] + notApple("CCurl"), swiftSettings: strict),
  // What is around a position, from a service on the web. The SDK does not use it.
  .target(name: "GodwitPlaces", dependencies: ["GodwitModel", "GodwitLocks", "GodwitHTTPClient"], swiftSettings: strict),
]

// The device: the journal, delivery to endpoints, and the SDK.
let device: [Target] = [
  .target(
    name: "GodwitJournal", dependencies: ["GodwitModel", "GodwitDigests", "GodwitEngine", "GodwitSQLite"],
    swiftSettings: optimized),
  .target(
    name: "GodwitDelivery",
    dependencies: [
      "GodwitModel", "GodwitLocks", "GodwitEngine", "GodwitText", "GodwitWire", "GodwitHTTPClient", "GodwitJournal",
    ],
    swiftSettings: optimized),
  // The device's copy of the regions of a server.
  .target(
    name: "GodwitRegionStorage", dependencies: ["GodwitModel", "GodwitEngine", "GodwitWire", "GodwitSQLite", "GodwitJournal"],
    swiftSettings: optimized),
  .target(
    name: "Godwit",
    dependencies: [
      "GodwitModel", "GodwitLocks", "GodwitEngine", "GodwitText", "GodwitWire", "GodwitSQLite", "GodwitHTTPClient",
      "GodwitJournal", "GodwitRegionStorage", "GodwitDelivery",
    ] + sensors + bus, exclude: privacy.excluded, resources: privacy.resources, swiftSettings: optimized),
  // The words and figures that the tracker's panel and our app show: labels of settings, status, the day's coverage.
  .target(
    name: "GodwitStatus", dependencies: ["GodwitModel", "GodwitEngine", "GodwitJournal", "Godwit"], swiftSettings: strict),
  // Everything that decides in our app: its screens' models, without a view. Compiled and tested on every system.
  .target(
    name: "GodwitApp",
    dependencies: [
      "GodwitModel", "GodwitLocks", "GodwitEngine", "GodwitWire", "GodwitHTTPClient", "GodwitJournal", "GodwitDelivery",
      "Godwit", "GodwitStatus",
    ], swiftSettings: strict),
  // The tracker for Objective-C. Its parts that decide are compiled and tested on every system.
  .target(
    name: "GodwitObjectiveC",
    dependencies: ["Godwit", "GodwitModel", "GodwitLocks", "GodwitEngine", "GodwitDelivery", "GodwitWire"] + sensors,
    swiftSettings: strict),
]

// The server: what it stores, computes and accepts, the API, and at the top the composition. The store gets the migrations and the
// commit participants from there.
let server: [Target] = [
  .target(name: "GodwitServices", swiftSettings: strict),
  .target(
    name: "GodwitStore",
    dependencies: [
      "GodwitModel", "GodwitColumns", "GodwitDigests", "GodwitText", "GodwitSQLite", "GodwitPostgres", "GodwitSecrets",
      "GodwitServices",
    ], swiftSettings: strict),
  // What a server sends to another one that keeps a copy of all records.
  .target(
    name: "GodwitMirror", dependencies: ["GodwitModel", "GodwitServices", "GodwitStore"], swiftSettings: strict),
  .target(
    name: "GodwitHistory",
    dependencies: [
      "GodwitModel", "GodwitModes", "GodwitText", "GodwitTiles", "GodwitRoads", "GodwitHTTPClient", "GodwitSQLite",
      "GodwitServices", "GodwitStore", "GodwitMirror",
    ], swiftSettings: strict),
  // Named places, corrections of users, and what is counted from visits.
  .target(
    name: "GodwitVisits",
    dependencies: [
      "GodwitModel", "GodwitText", "GodwitHTTPClient", "GodwitSQLite", "GodwitServices", "GodwitStore", "GodwitHistory",
    ], swiftSettings: strict),
  .target(
    name: "GodwitRegions",
    dependencies: ["GodwitModel", "GodwitText", "GodwitWire", "GodwitSQLite", "GodwitServices", "GodwitStore"],
    swiftSettings: strict),
  .target(
    name: "GodwitAccounts",
    dependencies: [
      "GodwitModel", "GodwitDigests", "GodwitText", "GodwitSQLite", "GodwitSecrets", "GodwitServices", "GodwitStore",
      "GodwitHistory", "CGnuTLS", "CSodium",
    ], swiftSettings: strict),
  // Photos of a user's Immich server. Only the API and the composition import it.
  .target(
    name: "GodwitPhotos",
    dependencies: ["GodwitModel", "GodwitText", "GodwitHTTPClient", "GodwitServices", "GodwitStore"], swiftSettings: strict),
  .target(
    name: "GodwitAccess",
    dependencies: [
      "GodwitModel", "GodwitDigests", "GodwitText", "GodwitWire", "GodwitHTTP", "GodwitHTTPClient", "GodwitSQLite",
      "GodwitSecrets", "GodwitServices", "GodwitStore",
      "GodwitHistory", "GodwitAccounts",
    ], swiftSettings: strict),
  .target(
    name: "GodwitIntake",
    dependencies: [
      "GodwitModel", "GodwitDigests", "GodwitText", "GodwitWire", "GodwitHTTP", "GodwitSQLite", "GodwitSecrets", "GodwitServices",
      "GodwitStore", "GodwitHistory", "GodwitRegions", "GodwitAccounts", "GodwitAccess", "CMosquitto", "CSodium",
    ], swiftSettings: strict),
  .target(
    name: "GodwitTransfer",
    dependencies: [
      "GodwitModel", "GodwitDigests", "GodwitText", "GodwitWire", "GodwitTracks", "GodwitFiles", "GodwitHTTP",
      "GodwitHTTPClient", "GodwitSQLite", "GodwitPostgres", "GodwitServices", "GodwitStore", "GodwitMirror", "GodwitHistory",
      "CArchive",
      "CSodium",
    ], swiftSettings: strict),
  .target(
    name: "GodwitDeletion",
    dependencies: [
      "GodwitModel", "GodwitText", "GodwitSQLite", "GodwitServices", "GodwitStore", "GodwitMirror", "GodwitHistory",
      "GodwitVisits",
      "GodwitRegions", "GodwitAccounts", "GodwitIntake", "GodwitTransfer",
    ], swiftSettings: strict),
  // Evaluates positions against regions, and delivers events to webhooks. Only the API and the composition import it.
  .target(
    name: "GodwitGeofencing",
    dependencies: [
      "GodwitModel", "GodwitText", "GodwitWire", "GodwitHTTPClient", "GodwitSQLite", "GodwitSecrets", "GodwitServices",
      "GodwitStore", "GodwitHistory", "GodwitRegions", "CSodium",
    ], swiftSettings: strict),
  // The API: what a route is, its two parts whose handlers need few of the targets above, and the table of all routes with the rest.
  .target(
    name: "GodwitRoutes", dependencies: ["GodwitModel", "GodwitTiles", "GodwitHTTP", "GodwitStore", "GodwitAccess"],
    swiftSettings: strict),
  .target(
    name: "GodwitHistoryAPI",
    dependencies: [
      "GodwitModel", "GodwitText", "GodwitTiles", "GodwitHTTP", "GodwitStore", "GodwitHistory", "GodwitVisits",
      "GodwitAccounts", "GodwitAccess", "GodwitRoutes",
    ], swiftSettings: strict),
  .target(
    name: "GodwitAccountAPI",
    dependencies: [
      "GodwitModel", "GodwitText", "GodwitWire", "GodwitTiles", "GodwitHTTP", "GodwitSecrets", "GodwitStore", "GodwitAccounts",
      "GodwitAccess", "GodwitDeletion", "GodwitRoutes",
    ], swiftSettings: strict),
  .target(
    name: "GodwitAPI",
    dependencies: [
      "GodwitModel", "GodwitText", "GodwitWire", "GodwitTracks", "GodwitFiles", "GodwitTiles", "GodwitHTTP", "GodwitSecrets",
      "GodwitServices", "GodwitStore", "GodwitMirror", "GodwitHistory", "GodwitVisits", "GodwitRegions", "GodwitGeofencing",
      "GodwitAccounts",
      "GodwitAccess",
      "GodwitIntake", "GodwitTransfer", "GodwitDeletion", "GodwitPhotos", "GodwitRoutes", "GodwitHistoryAPI", "GodwitAccountAPI",
      "GodwitResources", "CQREncode",
    ], exclude: ["OpenAPI"], swiftSettings: strict),
  .target(
    name: "GodwitServer",
    dependencies: [
      "GodwitModel", "GodwitWire", "GodwitTiles", "GodwitRoads", "GodwitHTTP", "GodwitSQLite", "GodwitPostgres", "GodwitSecrets",
      "GodwitServices", "GodwitStore", "GodwitMirror", "GodwitHistory", "GodwitVisits", "GodwitRegions", "GodwitGeofencing",
      "GodwitAccounts",
      "GodwitAccess",
      "GodwitIntake", "GodwitTransfer", "GodwitDeletion", "GodwitPhotos", "GodwitRoutes", "GodwitAPI", "GodwitResources",
    ], exclude: ["Web/Pages"], swiftSettings: strict),
]

// The simulator: routes, policies, energy and reports. The simulated phone runs on Linux alone, see below.
let simulator: [Target] = [
  .target(
    name: "GodwitSimulator", dependencies: ["GodwitModel", "GodwitResources"],
    exclude: ["Phones/motion-chips.json", "Phones/phones.json", "Reports/Page"],
    swiftSettings: optimized)
]

// The command line: declaration and output of commands, the commands of each side, and the executables. The tracker's has no library of
// the server, and a change of the server compiles no command of the tracker.
let commandLine: [Target] = [
  .target(name: "GodwitCommandLine", dependencies: ["GodwitModel", "GodwitHTTP", "CYAML"], swiftSettings: strict),
  .target(name: "GodwitPorting", swiftSettings: strict),
  .target(
    name: "GodwitTrackerCommands",
    dependencies: [
      "GodwitHTTPClient",
      "GodwitJournal",
      "GodwitDelivery",
      "GodwitModel", "GodwitEngine", "GodwitText", "GodwitWire", "GodwitResources", "GodwitSecrets", "GodwitHTTP", "Godwit",
      "GodwitStatus", "GodwitCommandLine", "GodwitPorting",
    ] + sensors, exclude: ["Panel/Pages"], swiftSettings: strict),
  .target(
    name: "GodwitServerCommands",
    dependencies: [
      "GodwitModel", "GodwitEngine", "GodwitText", "GodwitWire", "GodwitTracks", "GodwitFiles", "GodwitRoads",
      "GodwitRoadExtracts", "GodwitHTTP", "GodwitHTTPClient", "GodwitSecrets",
      "GodwitStore", "GodwitHistory", "GodwitVisits", "GodwitRegions", "GodwitAccounts", "GodwitAccess", "GodwitIntake",
      "GodwitTransfer",
      "GodwitDeletion", "GodwitAPI", "GodwitServer", "Godwit", "GodwitCommandLine",
    ], swiftSettings: strict),
  .executableTarget(
    name: "GodwitTrackerCLI", dependencies: ["GodwitCommandLine", "GodwitTrackerCommands"], swiftSettings: strict),
  .executableTarget(
    name: "GodwitCLI",
    dependencies: [
      "GodwitEngine",
      "GodwitDelivery",
      "GodwitJournal",
      "GodwitModel", "GodwitHTTP", "GodwitHTTPClient", "GodwitResources", "GodwitSecrets", "GodwitStore", "GodwitServer",
      "Godwit", "GodwitCommandLine", "GodwitTrackerCommands", "GodwitServerCommands",
    ] + simulation, exclude: ["Demo"], swiftSettings: strict),
]

// Examples are packages of their own. They are built here as well, so that a change which breaks one is noticed at once; without
// `packageAccess` they see what the package of a user sees.
let examples: [Target] = [
  .target(
    name: "Rides", dependencies: ["Godwit", "GodwitTracks"], path: "Examples/CycleTracker/Sources/Rides", packageAccess: false,
    swiftSettings: strict),
  .executableTarget(
    name: "CycleTracker", dependencies: ["Rides", "Godwit"] + sensors, path: "Examples/CycleTracker/Sources/CycleTracker",
    packageAccess: false, swiftSettings: strict),
  .target(
    name: "Coupons", dependencies: ["Godwit"] + sensors, path: "Examples/Coupons/Sources/Coupons", packageAccess: false),
  .target(
    name: "WalkTracker", dependencies: ["Godwit"] + sensors, path: "Examples/WalkTracker/Sources/WalkTracker",
    packageAccess: false),
  .executableTarget(
    name: "Walk", dependencies: ["WalkTracker", "Godwit"] + sensors, path: "Examples/WalkTracker/Sources/Walk",
    packageAccess: false),
  .executableTarget(
    name: "UnchangedIOSCode", dependencies: sensors, path: "Examples/UnchangedIOSCode/Sources/UnchangedIOSCode",
    packageAccess: false),
]

// Libraries of the system.
let libraries: [Target] = [
  .systemLibrary(
    name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
  .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"]), .brew(["gnutls"])]),
  .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"]), .brew(["mosquitto"])]),
  .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
  .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
  .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
  .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
  .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]),
  .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
  .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
  .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
  .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
  .systemLibrary(name: "CReadOSM", pkgConfig: "readosm", providers: [.apt(["libreadosm-dev"]), .brew(["readosm"])]),
  .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
]

// What tests start and share, and a program that damages texts for every decoder.
let testSupport: [Target] = [
  .executableTarget(
    name: "PointReads", dependencies: ["GodwitServer", "GodwitStore", "GodwitModel"], path: "Benchmarks/PointReads",
    swiftSettings: strict),
  .executableTarget(
    name: "PlaceLookups", dependencies: ["GodwitTiles", "GodwitResources"], path: "Benchmarks/PlaceLookups",
    swiftSettings: strict),
  .target(name: "TestTexts", dependencies: ["GodwitModel"], path: "Tests/TestTexts", swiftSettings: strict),
  // A made-up town with a graph of its roads.
  .target(name: "TestTowns", dependencies: ["GodwitRoads", "GodwitModel"], path: "Tests/TestTowns", swiftSettings: strict),
  // Reads vector tiles apart from the reader of the sources.
  .target(name: "TestTiles", path: "Tests/TestTiles", swiftSettings: strict),
  .target(name: "TestParts", path: "Tests/TestParts", swiftSettings: strict),
  // A disk whose power fails and whose operations fail, for databases of SQLite.
  .target(
    name: "TestDisk", dependencies: ["GodwitSQLite", "GodwitSimulator", "TestParts", "CSQLite"], path: "Tests/TestDisk",
    swiftSettings: optimized),
  .target(name: "TestCluster", path: "Tests/TestCluster", swiftSettings: strict),
  .target(name: "TestBroker", dependencies: ["TestCluster"], path: "Tests/TestBroker", swiftSettings: strict),
  .target(name: "TestServer", path: "Tests/TestServer", swiftSettings: strict),
  // What clients sent and what a server has, compared.
  .target(
    name: "TestHistory", dependencies: ["GodwitModel", "GodwitServer", "GodwitStore"], path: "Tests/TestHistory",
    swiftSettings: strict),
  .target(
    name: "TestClient",
    dependencies: [
      "GodwitHTTPClient", "Godwit", "TestCluster",
    ], path: "Tests/TestClient", swiftSettings: strict),
  // Loaders of public data with ground truth, and the scores of analyses.
  .target(
    name: "AccuracyData",
    dependencies: [
      "GodwitDigests", "GodwitModes", "GodwitModel", "GodwitText", "GodwitTracks", "GodwitRoads", "GodwitSimulator",
    ],
    path: "Accuracy/Sources/AccuracyData",
    swiftSettings: strict),
  .executableTarget(
    name: "accuracy",
    dependencies: [
      "AccuracyData", "GodwitHistory", "GodwitModes", "GodwitModel", "GodwitTracks", "GodwitRoads", "GodwitSimulator",
    ] + onLinux("CoreLocation", "Godwit", "GodwitPhone"),
    path: "Accuracy/Sources/accuracy",
    swiftSettings: strict),
  .executableTarget(
    name: "FormatFuzz",
    dependencies: ["GodwitServer", "GodwitTransfer", "GodwitStore", "GodwitWire", "GodwitTracks", "GodwitFiles", "GodwitModel"],
    path: "Benchmarks/FormatFuzz", exclude: ["Seeds"], swiftSettings: strict),
]

// Tests, in the order of the layers.
let tests: [Target] = [
  .testTarget(name: "GodwitModelTests", dependencies: ["GodwitModel", "GodwitTracks", "TestTexts"], swiftSettings: strict),
  .testTarget(name: "GodwitEngineTests", dependencies: ["GodwitEngine", "GodwitModel", "TestTexts"], swiftSettings: strict),
  .testTarget(name: "GodwitModesTests", dependencies: ["GodwitModes", "GodwitModel"], swiftSettings: strict),
  .testTarget(
    name: "AccuracyTests",
    dependencies: [
      "AccuracyData", "GodwitModel", "GodwitModes", "GodwitTracks", "GodwitRoads", "GodwitSimulator",
    ],
    path: "Accuracy/Tests/AccuracyTests",
    swiftSettings: strict),
  .testTarget(name: "GodwitPortingTests", dependencies: ["GodwitPorting"], swiftSettings: strict),
  .testTarget(name: "GodwitTextTests", dependencies: ["GodwitText", "TestTexts"], swiftSettings: strict),
  .testTarget(
    name: "GodwitColumnsTests", dependencies: ["GodwitColumns", "GodwitTracks", "GodwitModel", "GodwitSimulator"],
    swiftSettings: strict),
  .testTarget(
    name: "GodwitWireTests", dependencies: ["GodwitWire", "GodwitText", "GodwitModel", "TestTexts"], swiftSettings: strict),
  .testTarget(
    name: "GodwitFilesTests",
    dependencies: ["GodwitTracks", "GodwitFiles", "GodwitWire", "GodwitText", "GodwitModel", "TestTexts", "CExpat", "CZlib"],
    resources: [.copy("Fixtures")], swiftSettings: strict),
  .testTarget(
    name: "GodwitTilesTests", dependencies: ["GodwitTiles", "GodwitModel", "GodwitResources", "CZlib", "CZstd", "TestTiles"],
    swiftSettings: strict),
  .testTarget(
    name: "GodwitRoadsTests", dependencies: ["GodwitRoads", "GodwitRoadExtracts", "GodwitModel", "TestTexts", "TestTowns"],
    swiftSettings: strict),
  .testTarget(name: "GodwitResourcesTests", dependencies: ["GodwitResources"], swiftSettings: strict),
  .testTarget(
    name: "GodwitSQLiteTests", dependencies: ["GodwitSQLite", "GodwitSimulator", "TestDisk", "TestParts", "CSQLite"],
    swiftSettings: strict),
  .testTarget(
    name: "GodwitHTTPClientTests", dependencies: ["GodwitHTTPClient", "CZlib", "TestParts", "TestServer"] + testBus,
    swiftSettings: strict),
  .testTarget(
    name: "GodwitPlacesTests", dependencies: ["GodwitPlaces", "GodwitModel", "GodwitHTTPClient", "TestServer"],
    swiftSettings: strict),
  .testTarget(name: "GodwitPostgresTests", dependencies: ["GodwitPostgres", "TestCluster", "TestParts"], swiftSettings: strict),
  .testTarget(
    name: "GodwitTests",
    dependencies: [
      "GodwitObjectiveC",
      "GodwitDigests", "Godwit", "GodwitEngine", "GodwitWire", "GodwitModel", "GodwitSQLite", "GodwitHTTPClient", "GodwitJournal",
      "GodwitRegionStorage", "GodwitDelivery", "GodwitSimulator", "CZlib", "Rides", "TestDisk", "TestParts", "TestServer",
      "TestTexts",
    ] + sensors + testBus, swiftSettings: strict),
  .testTarget(
    name: "GodwitSimulatorTests", dependencies: ["GodwitSimulator", "GodwitModel", "GodwitTracks", "CExpat"],
    swiftSettings: strict),
  .testTarget(name: "GodwitHTTPTests", dependencies: ["GodwitHTTP", "GodwitModel", "TestClient"], swiftSettings: strict),
  .testTarget(
    name: "GodwitServerTests",
    dependencies: [
      "GodwitDigests", "GodwitServer", "GodwitAPI", "GodwitHTTP", "GodwitHTTPClient", "GodwitText", "GodwitWire", "GodwitTracks",
      "GodwitFiles", "GodwitTiles", "GodwitModel", "GodwitSQLite", "GodwitPostgres", "GodwitSecrets", "GodwitServices",
      "GodwitStore", "GodwitMirror",
      "GodwitHistory", "GodwitVisits", "GodwitRegions", "GodwitGeofencing", "GodwitAccounts", "GodwitAccess", "GodwitIntake",
      "GodwitTransfer",
      "GodwitDeletion", "GodwitRoutes", "GodwitAccountAPI", "GodwitPhotos", "GodwitSimulator", "TestBroker", "TestClient",
      "TestCluster", "TestDisk", "TestParts", "TestServer", "TestTexts", "TestTiles", "TestTowns", "GodwitRoads", "CArchive",
      "CGnuTLS", "CSodium", "CSQLite", "CZlib",
    ], swiftSettings: strict),
  .testTarget(
    name: "GodwitPromelaTests",
    dependencies: [
      "GodwitEngine", "GodwitWire", "GodwitModel", "GodwitHTTPClient", "GodwitJournal", "GodwitDelivery", "GodwitSecrets",
      "GodwitServices", "GodwitStore", "GodwitRegions", "GodwitGeofencing", "GodwitServer", "GodwitSimulator", "TestCluster",
      "TestDisk", "TestParts",
    ], exclude: ["Models"], swiftSettings: strict),
  .testTarget(
    name: "EndToEndTests",
    dependencies: [
      "GodwitHTTPClient",
      "Godwit", "GodwitModel", "GodwitWire", "GodwitTracks", "GodwitServer", "GodwitSecrets", "GodwitStore", "GodwitAccounts",
      "GodwitAccess", "GodwitIntake", "GodwitTransfer", "GodwitDeletion", "CZlib", "GodwitCLI", "GodwitTrackerCLI",
      "GodwitStatus", "GodwitCommandLine", "GodwitTrackerCommands", "CycleTracker", "UnchangedIOSCode", "TestBroker",
      "TestClient", "TestCluster", "TestHistory", "TestParts", "TestServer", "TestTexts",
    ] + testBus, swiftSettings: strict),
]

let package = Package(
  name: "Godwit",
  platforms: [.macOS(.v15), .iOS(.v17)],
  products: [
    // What an app writes. The next four are parts of it for a program that writes its own sensor, format or network.
    .library(name: "Godwit", targets: ["Godwit"]),
    .library(name: "GodwitEngine", targets: ["GodwitEngine"]),
    .library(name: "GodwitJournal", targets: ["GodwitJournal"]),
    .library(name: "GodwitDelivery", targets: ["GodwitDelivery"]),
    .library(name: "GodwitHTTPClient", targets: ["GodwitHTTPClient"]),
    .library(name: "GodwitObjectiveC", targets: ["GodwitObjectiveC"]),
    // What our app, Apps/Godwit, is made of besides its views.
    .library(name: "GodwitApp", targets: ["GodwitApp"]),
    .library(name: "GodwitPlaces", targets: ["GodwitPlaces"]),
    .library(name: "GodwitModel", targets: ["GodwitModel"]),
    .library(name: "GodwitWire", targets: ["GodwitText", "GodwitWire"]),
    .library(name: "GodwitTracks", targets: ["GodwitTracks"]),
    .library(name: "GodwitFiles", targets: ["GodwitTracks", "GodwitFiles"]),
    .library(name: "GodwitSimulator", targets: ["GodwitSimulator"]),
    .library(
      name: "GodwitServer",
      targets: [
        "GodwitSecrets", "GodwitServices", "GodwitStore", "GodwitHistory", "GodwitVisits", "GodwitRegions", "GodwitGeofencing",
        "GodwitAccounts",
        "GodwitAccess", "GodwitIntake", "GodwitTransfer", "GodwitDeletion", "GodwitRoutes", "GodwitHistoryAPI",
        "GodwitAccountAPI", "GodwitAPI", "GodwitServer",
      ]),
    .executable(name: "godwit", targets: ["GodwitCLI"]),
    // A tracker's machine needs no library of the server.
    .executable(name: "godwit-tracker", targets: ["GodwitTrackerCLI"]),
  ] + linuxProducts,
  targets: values + formats + inputOutput + device + server + simulator + commandLine + examples + libraries + testSupport + tests
    + linuxTargets,
  swiftLanguageModes: [.v6]
)
