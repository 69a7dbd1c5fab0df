import GodwitModel
import Testing

@testable import GodwitHistoryAPI

@Suite("Time zones by place")
struct TimeZoneTableTests {
  private static let table = TimeZoneTable(
    """
    # comments
    SI\t+4603+01431\tEurope/Ljubljana
    US\t+404251-0740023\tAmerica/New_York\tEastern (most areas)
    US\t+340308-1181434\tAmerica/Los_Angeles\tPacific
    AU\t-3352+15113\tAustralia/Sydney
    XX\t+4603+01431\tNowhere/Atlantis
    SI\tbroken\tEurope/Zagreb
    SI
    """)

  @Test(
    "the time zone of a place is that of the nearest town in the same country",
    arguments: [
      (46.5, 15.6, "SI", "Europe/Ljubljana"), (42.36, -71.06, "US", "America/New_York"),
      (37.77, -122.42, "US", "America/Los_Angeles"),
      (-37.8, 145, "AU", "Australia/Sydney"),
    ])
  func zone(_ latitude: Double, _ longitude: Double, _ country: String, _ expected: String) throws {
    let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
    #expect(Self.table.zone(at: place, in: country) == expected)
  }

  @Test(
    "the time zone is unknown at sea, in a country without a row, and for an unknown zone", arguments: [nil, "HR", "XX"])
  func unknown(_ country: String?) throws {
    #expect(Self.table.zone(at: try #require(Coordinate(latitude: 46, longitude: 14)), in: country) == nil)
    #expect(TimeZoneTable("").zone(at: try #require(Coordinate(latitude: 46, longitude: 14)), in: "SI") == nil)
  }

  @Test("the system's table contains the zones of Slovenia and Japan")
  func system() throws {
    #expect(
      TimeZoneTable.system.zone(at: try #require(Coordinate(latitude: 46.05, longitude: 14.5)), in: "SI") == "Europe/Ljubljana")
    #expect(TimeZoneTable.system.zone(at: try #require(Coordinate(latitude: 35.7, longitude: 139.7)), in: "JP") == "Asia/Tokyo")
  }
}
