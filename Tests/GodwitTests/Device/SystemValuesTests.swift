import Foundation
import GodwitEngine
import GodwitModel
import Testing

@testable import Godwit

@Suite("Conversion of values from Apple's systems")
struct SystemValuesTests {
  @Test(
    "a battery's state by UIKit's number",
    arguments: [(0, BatteryState.unknown), (1, .unplugged), (2, .charging), (3, .full), (4, .unknown), (-1, .unknown)])
  func state(number: Int, state: BatteryState) { #expect(BatteryState(uiDevice: number) == state) }

  @Test(
    "a battery's level: −1 is unknown, and 0 is a level",
    arguments: [(-1, nil), (0, 0), (0.87, 0.87), (1, 1), (1.01, 1)] as [(Float, Double?)])
  func level(reported: Float, level: Double?) { #expect(BatteryLevel.fraction(uiDevice: reported) == level) }

  @Test(
    "a carrier's name without letters is absent: newer systems return dashes",
    arguments: [
      (["T Mobile"], "T Mobile"), (["--"], nil), ([], nil), (["--", "Swisscom"], "Swisscom"), ([" O2 "], "O2"),
      (["65535"], nil), (["Zwei", "Eins"], "Eins"), ([""], nil),
    ] as [([String], String?)])
  func carrier(names: [String], name: String?) { #expect(Carrier.name(names) == name) }

  @Test(
    "without a wifi network there is no name",
    arguments: [
      ("Home", "Home"), (nil, nil), ("", nil), ("00:00:00:00:00:00", nil), ("02:00:00:00:00:00", nil),
      ("aa:bb:cc:dd:ee:ff", "aa:bb:cc:dd:ee:ff"),
    ] as [(String?, String?)])
  func wifi(reported: String?, name: String?) { #expect(WifiName.known(reported) == name) }

  @Test(
    "an advertising identifier is available only with permission",
    arguments: [
      ("12A451DD-3539-4092-B134-8CB0EF62AB8A", true, "12a451dd-3539-4092-b134-8cb0ef62ab8a", false),
      ("12A451DD-3539-4092-B134-8CB0EF62AB8A", false, "", true), ("00000000-0000-0000-0000-000000000000", true, "", true),
    ])
  func advertising(uuid: String, isAllowed: Bool, id: String, isOptedOut: Bool) {
    #expect(AdvertisingID(uuid: uuid, isAllowed: isAllowed) == AdvertisingID(id: id, isOptedOut: isOptedOut, type: "idfa"))
  }

  @Test(
    "the three results of a background fetch have UIKit's numbers, and no data is not a failure",
    arguments: [(BackgroundFetchResult.newData, UInt(0), true), (.noData, 1, true), (.failed, 2, false)])
  func fetch(result: BackgroundFetchResult, number: UInt, isSuccess: Bool) {
    #expect(result.uiKitNumber == number && result.isSuccess == isSuccess)
  }

  @Test("a device is described once, and empty values are absent")
  func described() {
    var context = DeviceContext(batteryLevel: 0.5)
    context.describe(machine: "iPhone16,2", systemName: "iOS", systemVersion: "18.1")
    #expect(context.deviceModel == "iPhone16,2" && context.systemVersion == "iOS 18.1" && context.batteryLevel == 0.5)
    context.describe(machine: "", systemName: "", systemVersion: "")
    #expect(context.deviceModel == nil && context.systemVersion == nil)
  }

  @Test(
    "an incomplete Info.plist is rejected by the key, with the consequence",
    arguments: [
      ([], false, false, "NSLocationWhenInUseUsageDescription"),
      (["NSLocationWhenInUseUsageDescription"], false, false, "NSLocationAlwaysAndWhenInUseUsageDescription"),
      (
        ["NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription"], true, false,
        "NSMotionUsageDescription"
      ),
      (
        [
          "NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription", "NSMotionUsageDescription",
        ], true, true, "NSUserTrackingUsageDescription"
      ),
    ] as [([String], Bool, Bool, String)])
  func usage(keys: [String], usesMotion: Bool, usesAdvertising: Bool, missing: String) {
    let info = Dictionary(uniqueKeysWithValues: keys.map { ($0, "To record your rides.") })
    let error = #expect(throws: UsageDescriptions.Missing.self) {
      try UsageDescriptions.check(info, wanted: .always, usesMotion: usesMotion, usesAdvertising: usesAdvertising)
    }
    #expect(error?.key == missing && error?.description.contains(missing) == true)
    // An empty text counts as missing.
    var empty: [String: Any] = info
    empty[missing] = ""
    #expect(throws: UsageDescriptions.Missing(key: missing)) {
      try UsageDescriptions.check(empty, wanted: .always, usesMotion: usesMotion, usesAdvertising: usesAdvertising)
    }
  }

  @Test("background modes and tasks that are not in Info.plist are reported before the system ends the app")
  func modes() {
    let modes: [String: Any] = ["UIBackgroundModes": ["location"]]
    #expect(throws: Never.self) { try UsageDescriptions.checkBackgroundLocation(modes) }
    let missing = #expect(throws: UsageDescriptions.Missing.self) { try UsageDescriptions.checkBackgroundLocation([:]) }
    #expect(missing?.description.contains("location in UIBackgroundModes") == true)
    #expect(
      #expect(throws: UsageDescriptions.Missing.self) { try UsageDescriptions.checkTask("a", in: modes) }?.element == "fetch")
    var tasks = modes
    tasks["UIBackgroundModes"] = ["location", "fetch"]
    tasks["BGTaskSchedulerPermittedIdentifiers"] = ["b"]
    #expect(#expect(throws: UsageDescriptions.Missing.self) { try UsageDescriptions.checkTask("a", in: tasks) }?.element == "a")
    #expect(throws: Never.self) { try UsageDescriptions.checkTask("b", in: tasks) }
  }
}

@Suite("Notices in a notification centre")
struct NoticeRequestTests {
  private let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Test(
    "a later time is a delay, and a past one is immediate",
    arguments: [(nil, nil), (600, 600), (0.5, nil), (-60, nil)] as [(Double?, Double?)])
  func delay(seconds: Double?, delay: Double?) {
    let notice = Notice(kind: .noPositions, title: "Tracking has stopped", body: "Why?")
    let request = NoticeRequest(notice, at: seconds.map { now.addingTimeInterval($0) }, now: now)
    #expect(request.delay == delay && request.identifier == "godwit.silence" && request.category == nil)
    #expect(request.title == notice.title && request.body == notice.body)
  }

  @Test("every set of buttons of a notice is registered in advance, and each button has its response")
  func buttons() throws {
    for responses in [[Notice.Response.endTrip], [.keepTrip], [.endTrip, .keepTrip]] {
      let request = NoticeRequest(Notice(kind: .endTrip, title: "", body: "", responses: responses), at: nil, now: now)
      let category = try #require(NoticeRequest.categories.first { $0.name == request.category })
      #expect(category.responses == responses)
      for response in responses {
        #expect(!NoticeRequest.title(of: response).isEmpty)
        #expect(NoticeRequest.response(action: response.rawValue, notice: request.identifier) == response)
      }
    }
  }

  @Test(
    "opening or dismissing a notice, and other notices, are not responses",
    arguments: [
      ("com.apple.UNNotificationDefaultActionIdentifier", "godwit.endTrip"), ("endTrip", "other"), ("", "godwit.endTrip"),
    ])
  func noResponse(action: String, notice: String) { #expect(NoticeRequest.response(action: action, notice: notice) == nil) }
}
