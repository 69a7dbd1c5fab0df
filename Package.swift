// swift-tools-version: 6.1
import PackageDescription

/// The strictness that every target of ours is built with. Warnings become errors in `scripts/check`,
/// which passes the flag by hand, so that a new compiler's new warning never breaks somebody's build.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// Apple's systems have Core Location and Core Motion; everywhere else the package brings modules of the
// same names, so that one source file serves both.
#if os(Linux)
  let sensorTargets: [Target] = [
    .target(name: "GodwitDBus", dependencies: ["CDBus"], swiftSettings: strict),
    .target(name: "CoreLocation", dependencies: ["GodwitModel", "GodwitTracks", "GodwitDBus"], swiftSettings: strict),
    .target(name: "CoreMotion", dependencies: ["CoreLocation", "GodwitModel"], swiftSettings: strict),
    // A message bus with made-up services on it, for the tests below and the tracker's.
    .target(name: "TestBus", dependencies: ["GodwitDBus"], path: "Tests/TestBus", swiftSettings: strict),
    .testTarget(name: "GodwitDBusTests", dependencies: ["GodwitDBus", "TestBus", "TestParts"], swiftSettings: strict),
    .testTarget(
      name: "CoreLocationTests",
      dependencies: [
        "CoreLocation", "CoreMotion", "GodwitDBus", "GodwitModel", "GodwitTracks", "TestBus", "TestParts",
      ],
      swiftSettings: strict),
    // The phone in the box runs on the Core Location of this package.
    .target(
      name: "GodwitPhone",
      dependencies: [
        "GodwitSimulator", "Godwit", "GodwitEngine", "GodwitText", "GodwitWire", "GodwitTracks", "GodwitModel", "GodwitSQLite",
        "CoreLocation", "CoreMotion",
      ], swiftSettings: strict),
    // A town of fences, an app that watches them, and who sees whether it missed any: for the tests and for a program that
    // lives many days.
    .target(
      name: "FenceCity",
      dependencies: [
        "GodwitPhone", "GodwitSimulator", "GodwitServer", "GodwitSecrets", "GodwitStore", "Godwit", "GodwitEngine", "GodwitWire",
        "GodwitModel",
        "CoreLocation",
      ],
      path: "Tests/FenceCity", swiftSettings: strict),
    .executableTarget(
      name: "FenceDays", dependencies: ["FenceCity", "GodwitPhone", "GodwitSimulator"], path: "Benchmarks/FenceDays",
      swiftSettings: strict),
    .testTarget(
      name: "GodwitPhoneTests",
      dependencies: [
        "FenceCity", "GodwitPhone", "GodwitSimulator", "Godwit", "GodwitEngine", "GodwitModel", "CoreLocation", "CoreMotion",
      ], swiftSettings: strict),
    .target(
      name: "GodwitTesting",
      dependencies: [
        "GodwitPhone", "GodwitSimulator", "Godwit", "GodwitEngine", "GodwitTracks", "GodwitModel", "CoreLocation",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "GodwitTestingTests",
      dependencies: [
        "GodwitTesting", "GodwitPhone", "GodwitSimulator", "Godwit", "GodwitEngine", "GodwitModel", "CoreLocation",
      ], exclude: ["Scenarios"], swiftSettings: strict),
    // An example, as those below: an app's location code, and its tests on the simulated phone.
    .target(
      name: "TripRecorder", dependencies: ["CoreLocation"], path: "Examples/TestedRecorder/Sources/TripRecorder",
      packageAccess: false),
    .testTarget(
      name: "TripRecorderTests", dependencies: ["TripRecorder", "GodwitTesting"],
      path: "Examples/TestedRecorder/Tests/TripRecorderTests", exclude: ["Scenarios"], packageAccess: false),
    .systemLibrary(name: "CDBus", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
  ]
  let sensors: [Target.Dependency] = ["CoreLocation", "CoreMotion"]
  let simulation: [Target.Dependency] = ["GodwitPhone", "GodwitSimulator"]
  let phone: [Product] = [
    .library(name: "GodwitPhone", targets: ["GodwitPhone"]), .library(name: "GodwitTesting", targets: ["GodwitTesting"]),
  ]
  // Xcode looks for it in the resources of every package; nobody else reads it.
  let privacy: (resources: [Resource], excluded: [String]) = ([], ["PrivacyInfo.xcprivacy"])
  let network: [Target.Dependency] = ["CDBus", "GodwitDBus"]
  let curl: [Target.Dependency] = ["CCurl"]
  let sodium: [Target.Dependency] = ["CSodium"]
  let testBus: [Target.Dependency] = ["GodwitDBus", "TestBus"]
#else
  let sensorTargets: [Target] = []
  let sensors: [Target.Dependency] = []
  let simulation: [Target.Dependency] = []
  let phone: [Product] = []
  let privacy: (resources: [Resource], excluded: [String]) = ([.copy("PrivacyInfo.xcprivacy")], [])
  let network: [Target.Dependency] = []
  let curl: [Target.Dependency] = []
  let sodium: [Target.Dependency] = []
  let testBus: [Target.Dependency] = []
#endif

let package = Package(
  name: "Godwit",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Godwit", targets: ["Godwit"]),
    .library(name: "GodwitPlaces", targets: ["GodwitPlaces"]),
    .library(name: "GodwitModel", targets: ["GodwitModel"]),
    .library(name: "GodwitWire", targets: ["GodwitText", "GodwitWire"]),
    .library(name: "GodwitTracks", targets: ["GodwitTracks"]),
    .library(name: "GodwitFiles", targets: ["GodwitTracks", "GodwitFiles"]),
    .library(name: "GodwitSimulator", targets: ["GodwitSimulator"]),
    .library(
      name: "GodwitServer",
      targets: [
        "GodwitSecrets", "GodwitStore", "GodwitHistory", "GodwitGeofencing", "GodwitAccounts", "GodwitAccess", "GodwitIntake",
        "GodwitTransfer", "GodwitDeletion", "GodwitServer",
      ]),
    .executable(name: "godwit", targets: ["GodwitCLI"]),
  ] + phone,
  targets: [
    .target(name: "GodwitModel", swiftSettings: strict),
    // SHA-256: CryptoKit on Apple's systems, libsodium elsewhere.
    .target(name: "GodwitDigests", dependencies: sodium, swiftSettings: strict),
    .target(name: "GodwitEngine", dependencies: ["GodwitModel"], swiftSettings: strict),
    // A phone app needs the first two of these; expat and zlib come with the third.
    .target(name: "GodwitText", dependencies: ["GodwitModel"], swiftSettings: strict),
    .target(name: "GodwitWire", dependencies: ["GodwitModel", "GodwitDigests", "GodwitText"], swiftSettings: strict),
    // Recorded tracks that are read piece by piece and replayed: GPX, NMEA, PLT.
    .target(name: "GodwitTracks", dependencies: ["GodwitModel", "GodwitText", "CExpat"], swiftSettings: strict),
    .target(
      name: "GodwitFiles", dependencies: ["GodwitModel", "GodwitText", "GodwitWire", "GodwitTracks", "CExpat", "CZlib"],
      swiftSettings: strict),
    // Pages and other files inside the executable, assembled with `.incbin`: as literals they cost the compiler 40 s. The paths in
    // the archives are relative to Sources, where the targets that use the files have them.
    .target(name: "CResources", cSettings: [.headerSearchPath("..")]),
    .target(name: "GodwitResources", dependencies: ["CResources"], swiftSettings: strict),
    // One HTTP client: libcurl on Linux, URLSession on Apple's systems; retry policy and dates of HTTP.
    .target(name: "GodwitHTTPClient", dependencies: curl, swiftSettings: strict),
    // What is around a position, from a service on the web. The SDK does not use it.
    .target(name: "GodwitPlaces", dependencies: ["GodwitModel", "GodwitHTTPClient"], swiftSettings: strict),
    .target(name: "GodwitSQLite", dependencies: ["CSQLite"], swiftSettings: strict),
    .target(name: "GodwitPostgres", dependencies: ["CPostgres"], swiftSettings: strict),
    // The device's queue, ledger and settings log, in one file of SQLite.
    .target(
      name: "GodwitJournal", dependencies: ["GodwitModel", "GodwitDigests", "GodwitEngine", "GodwitSQLite"], swiftSettings: strict
    ),
    // Endpoints, their formats and tokens; carries batches out of the journal.
    .target(
      name: "GodwitDelivery",
      dependencies: ["GodwitModel", "GodwitEngine", "GodwitText", "GodwitWire", "GodwitHTTPClient", "GodwitJournal"],
      swiftSettings: strict),
    .target(
      name: "Godwit",
      dependencies: [
        "GodwitModel", "GodwitEngine", "GodwitText", "GodwitWire", "GodwitSQLite", "GodwitHTTPClient", "GodwitJournal",
        "GodwitDelivery",
      ] + sensors
        + network,
      exclude: privacy.excluded, resources: privacy.resources, swiftSettings: strict),
    .target(
      name: "GodwitSimulator", dependencies: ["GodwitModel", "GodwitResources"],
      exclude: ["Phones/phones.json", "Reports/Page"], swiftSettings: strict),
    // The HTTP server: requests, routes, answers, event streams, TLS. It knows no store and no users.
    .target(
      name: "GodwitHTTP", dependencies: ["GodwitModel", "GodwitDigests", "GodwitText", "CMicrohttpd", "CZlib"],
      swiftSettings: strict),
    // Access tokens, files that only the program reads, and the owner's sessions, which the server and the tracker's panel have.
    .target(
      name: "GodwitSecrets", dependencies: ["GodwitModel", "GodwitDigests", "GodwitText", "CSodium"], swiftSettings: strict),
    // Devices, points and events on SQLite and on PostgreSQL. The server passes in the migrations and the commit participants.
    .target(
      name: "GodwitStore",
      dependencies: ["GodwitModel", "GodwitText", "GodwitSQLite", "GodwitPostgres", "GodwitSecrets"],
      swiftSettings: strict),
    // What is computed of points: outliers, visits, trips, statistics, overviews for maps, newest positions, places and addresses.
    .target(
      name: "GodwitHistory", dependencies: ["GodwitModel", "GodwitText", "GodwitHTTPClient", "GodwitSQLite", "GodwitStore"],
      swiftSettings: strict),
    // Regions on the server, which of them a device gets, their events, and webhooks that are told of them.
    .target(
      name: "GodwitGeofencing",
      dependencies: [
        "GodwitModel", "GodwitDigests", "GodwitText", "GodwitWire", "GodwitHTTPClient", "GodwitSQLite", "GodwitSecrets",
        "GodwitStore",
        "GodwitHistory",
        "CSodium",
      ], swiftSettings: strict),
    // Users, sessions, second factors, scoped tokens, share links, friends, private zones, the audit log.
    .target(
      name: "GodwitAccounts",
      dependencies: [
        "GodwitModel", "GodwitDigests", "GodwitText", "GodwitSQLite", "GodwitSecrets", "GodwitStore", "GodwitHistory", "CGnuTLS",
        "CSodium",
      ],
      swiftSettings: strict),
    // Requests to the server: the reader of each, sign-in, what a reader may see, the live feed.
    .target(
      name: "GodwitAccess",
      dependencies: [
        "GodwitModel", "GodwitText", "GodwitWire", "GodwitHTTP", "GodwitSQLite", "GodwitSecrets", "GodwitStore", "GodwitHistory",
        "GodwitGeofencing", "GodwitAccounts",
      ], swiftSettings: strict),
    // Receivers of all protocols over HTTP and MQTT, what devices are told in answers, and what is missing: gaps, rejected records, silence.
    .target(
      name: "GodwitIntake",
      dependencies: [
        "GodwitModel", "GodwitDigests", "GodwitText", "GodwitWire", "GodwitHTTP", "GodwitSQLite", "GodwitSecrets", "GodwitStore",
        "GodwitHistory",
        "GodwitGeofencing", "GodwitAccounts", "GodwitAccess", "CMosquitto", "CSodium",
      ], swiftSettings: strict),
    // Import and export of files, backup and restore.
    .target(
      name: "GodwitTransfer",
      dependencies: [
        "GodwitModel", "GodwitDigests", "GodwitText", "GodwitWire", "GodwitTracks", "GodwitFiles", "GodwitHTTP", "GodwitSQLite",
        "GodwitPostgres",
        "GodwitStore",
        "GodwitHistory", "CArchive",
      ], swiftSettings: strict),
    // Deletion of points and devices with everything derived from them, and retention.
    .target(
      name: "GodwitDeletion",
      dependencies: [
        "GodwitModel", "GodwitText", "GodwitSQLite", "GodwitStore", "GodwitHistory", "GodwitGeofencing", "GodwitAccounts",
        "GodwitIntake", "GodwitTransfer",
      ], swiftSettings: strict),
    .target(
      name: "GodwitServer",
      dependencies: [
        "GodwitModel", "GodwitText", "GodwitWire", "GodwitTracks", "GodwitFiles", "GodwitHTTP", "GodwitHTTPClient",
        "GodwitSQLite",
        "GodwitPostgres", "GodwitSecrets", "GodwitStore", "GodwitHistory", "GodwitGeofencing", "GodwitAccounts",
        "GodwitAccess", "GodwitIntake", "GodwitTransfer", "GodwitDeletion", "GodwitResources", "CQREncode",
      ],
      exclude: ["Web/Pages", "API/OpenAPI"], swiftSettings: strict),
    .executableTarget(
      name: "GodwitCLI",
      dependencies: [
        "GodwitModel", "GodwitEngine", "GodwitText", "GodwitWire", "GodwitTracks", "GodwitFiles", "GodwitSQLite",
        "GodwitResources", "Godwit",
        "GodwitHTTP", "GodwitServer", "GodwitSecrets", "GodwitStore", "GodwitHistory", "GodwitGeofencing", "GodwitAccounts",
        "GodwitAccess", "GodwitIntake", "GodwitTransfer", "GodwitDeletion",
      ] + sensors + simulation, exclude: ["Demo", "Panel/Pages"], swiftSettings: strict),

    // Examples are packages of their own. They are built here as well, so that a change which breaks one is noticed at
    // once; `packageAccess` is off, so that they see what a user's package sees and no more.
    .target(
      name: "Rides", dependencies: ["Godwit", "GodwitTracks"], path: "Examples/CycleTracker/Sources/Rides",
      packageAccess: false,
      swiftSettings: strict),
    .executableTarget(
      name: "CycleTracker", dependencies: ["Rides", "Godwit"] + sensors,
      path: "Examples/CycleTracker/Sources/CycleTracker", packageAccess: false, swiftSettings: strict),
    .executableTarget(
      name: "UnchangedIOSCode", dependencies: sensors, path: "Examples/UnchangedIOSCode/Sources/UnchangedIOSCode",
      packageAccess: false),

    .systemLibrary(
      name: "CMicrohttpd", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
    .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"]), .brew(["gnutls"])]),
    .systemLibrary(
      name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"]), .brew(["mosquitto"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .systemLibrary(
      name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(
      name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),

    // Damages texts and has every decoder read them.
    .executableTarget(
      name: "FormatFuzz",
      dependencies: [
        "GodwitServer", "GodwitTransfer", "GodwitStore", "GodwitWire", "GodwitTracks", "GodwitFiles", "GodwitModel",
      ],
      path: "Benchmarks/FormatFuzz",
      exclude: ["Seeds"], swiftSettings: strict),
    .testTarget(name: "GodwitModelTests", dependencies: ["GodwitModel", "GodwitTracks"], swiftSettings: strict),
    .testTarget(name: "GodwitEngineTests", dependencies: ["GodwitEngine", "GodwitModel"], swiftSettings: strict),
    // Texts and records that the tests of the formats share.
    .target(name: "TestTexts", dependencies: ["GodwitModel"], path: "Tests/TestTexts", swiftSettings: strict),
    .testTarget(name: "GodwitTextTests", dependencies: ["GodwitText", "TestTexts"], swiftSettings: strict),
    .testTarget(
      name: "GodwitWireTests", dependencies: ["GodwitWire", "GodwitText", "GodwitModel", "TestTexts"], swiftSettings: strict),
    .testTarget(
      name: "GodwitFilesTests",
      dependencies: ["GodwitTracks", "GodwitFiles", "GodwitWire", "GodwitText", "GodwitModel", "TestTexts", "CExpat", "CZlib"],
      resources: [.copy("Fixtures")], swiftSettings: strict),
    .testTarget(name: "GodwitResourcesTests", dependencies: ["GodwitResources"], swiftSettings: strict),
    .testTarget(name: "GodwitSQLiteTests", dependencies: ["GodwitSQLite"], swiftSettings: strict),
    // The groups of the tests, and the programs that they start.
    .target(name: "TestParts", path: "Tests/TestParts", swiftSettings: strict),
    .testTarget(
      name: "GodwitHTTPClientTests", dependencies: ["GodwitHTTPClient", "CZlib", "TestParts", "TestServer"] + testBus,
      swiftSettings: strict),
    .testTarget(
      name: "GodwitPlacesTests", dependencies: ["GodwitPlaces", "GodwitModel", "GodwitHTTPClient", "TestServer"],
      swiftSettings: strict),
    // A PostgreSQL server of the tests' own.
    .target(name: "TestCluster", path: "Tests/TestCluster", swiftSettings: strict),
    // An MQTT broker of the tests' own.
    .target(name: "TestBroker", dependencies: ["TestCluster"], path: "Tests/TestBroker", swiftSettings: strict),
    // A web server of which the test decides every byte.
    .target(name: "TestServer", path: "Tests/TestServer", swiftSettings: strict),
    // What asks a server in tests.
    .target(name: "TestClient", dependencies: ["Godwit", "TestCluster"], path: "Tests/TestClient", swiftSettings: strict),
    .testTarget(
      name: "GodwitPostgresTests", dependencies: ["GodwitPostgres", "TestCluster", "TestParts"], swiftSettings: strict),
    .testTarget(
      name: "GodwitTests",
      dependencies: [
        "GodwitDigests", "Godwit", "GodwitEngine", "GodwitWire", "GodwitModel", "GodwitSQLite", "GodwitHTTPClient",
        "GodwitJournal",
        "GodwitDelivery", "CZlib",
        "Rides", "TestParts", "TestServer",
      ] + sensors
        + testBus,
      swiftSettings: strict),
    .testTarget(
      name: "GodwitSimulatorTests", dependencies: ["GodwitSimulator", "GodwitModel", "GodwitTracks", "CExpat"],
      swiftSettings: strict),
    .testTarget(name: "GodwitHTTPTests", dependencies: ["GodwitHTTP", "GodwitModel", "TestClient"], swiftSettings: strict),
    .testTarget(
      name: "GodwitServerTests",
      dependencies: [
        "GodwitDigests", "GodwitServer", "GodwitHTTP", "GodwitHTTPClient", "GodwitText", "GodwitWire", "GodwitTracks",
        "GodwitFiles",
        "GodwitModel",
        "GodwitSQLite", "GodwitPostgres", "GodwitSecrets", "GodwitStore", "GodwitHistory", "GodwitGeofencing",
        "GodwitAccounts", "GodwitAccess", "GodwitIntake", "GodwitTransfer", "GodwitDeletion", "TestBroker",
        "TestClient",
        "TestCluster", "TestParts", "CZlib",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Godwit", "GodwitModel", "GodwitWire", "GodwitTracks", "GodwitServer", "GodwitSecrets", "GodwitStore",
        "GodwitAccounts",
        "GodwitAccess", "GodwitIntake", "GodwitTransfer", "GodwitDeletion", "CZlib", "GodwitCLI", "CycleTracker",
        "UnchangedIOSCode",
        "TestBroker", "TestClient", "TestCluster", "TestParts",
      ] + testBus,
      swiftSettings: strict),
  ] + sensorTargets,
  swiftLanguageModes: [.v6]
)
