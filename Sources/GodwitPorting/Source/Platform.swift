/// A platform, with its values of conditional compilation tests.
enum Platform {
  case iOS, linux

  /// The value of a test in `#if`; `nil`: unknown, because it is a flag of the project or depends on the processor.
  func holds(_ name: String, _ argument: String?) -> Bool? {
    switch name {
    case "os": argument == (self == .iOS ? "iOS" : "Linux")
    case "targetEnvironment": false
    case "canImport":
      self == .iOS
        ? argument != "Glibc" && argument != "FoundationNetworking" : argument.map { !AppleModules.names.contains(Self.top($0)) }
    case "swift", "compiler": argument?.hasPrefix(">") ?? true
    case "true": true
    case "false": false
    default: nil
    }
  }

  private static func top(_ module: String) -> String {
    String(module.prefix { $0 != "." && $0 != "," })
  }
}

/// Modules of Apple's systems that Linux does not have. On Linux, `CoreLocation`, `CoreMotion` and `Contacts` are Godwit's; `Foundation`,
/// `Dispatch`, `XCTest`, `Testing`, `Observation` and the standard library come with Swift.
enum AppleModules {
  static let names: Set<String> = [
    "ARKit", "AVFoundation", "AVKit", "Accelerate", "AccessorySetupKit", "ActivityKit", "AdServices", "AdSupport", "AlarmKit",
    "AppIntents",
    "AppKit", "AppTrackingTransparency", "AudioToolbox", "AuthenticationServices", "BackgroundTasks", "CallKit", "CarPlay",
    "Charts",
    "ClockKit", "CloudKit", "Cocoa", "Combine", "CommonCrypto", "ContactsUI", "CoreAudio", "CoreBluetooth", "CoreData",
    "CoreFoundation",
    "CoreGraphics", "CoreHaptics", "CoreImage", "CoreMIDI", "CoreML", "CoreMedia", "CoreMediaIO", "CoreNFC", "CoreServices",
    "CoreSpotlight",
    "CoreTelephony", "CoreText", "CoreVideo", "CoreWLAN", "CryptoKit", "Darwin", "DeviceActivity", "DeviceCheck", "EventKit",
    "ExternalAccessory", "FamilyControls", "FinanceKit", "FoundationModels", "GLKit", "GameController", "GameKit", "HealthKit",
    "HomeKit",
    "IOKit", "ImageIO", "Intents", "IntentsUI", "JavaScriptCore", "LinkPresentation", "LocalAuthentication", "MapKit",
    "MatterSupport",
    "MediaPlayer", "MessageUI", "Messages", "Metal", "MetalKit", "MetricKit", "MobileCoreServices", "MultipeerConnectivity",
    "NaturalLanguage", "NearbyInteraction", "Network", "NetworkExtension", "NotificationCenter", "OSLog", "ObjectiveC", "PDFKit",
    "PassKit",
    "Photos", "PhotosUI", "PushKit", "QuartzCore", "QuickLook", "RealityKit", "RoomPlan", "SafariServices", "SceneKit",
    "ScreenTime",
    "Security", "SensorKit", "ServiceManagement", "Social", "SoundAnalysis", "Speech", "SpriteKit", "StoreKit", "SwiftData",
    "SwiftUI",
    "SystemConfiguration", "ThreadNetwork", "TipKit", "UIKit", "UniformTypeIdentifiers", "UserNotifications",
    "UserNotificationsUI",
    "VideoToolbox", "Vision", "VisionKit", "WatchConnectivity", "WatchKit", "WeatherKit", "WebKit", "WidgetKit", "WorkoutKit",
    "iAd", "os",
    "simd",
  ]
}
