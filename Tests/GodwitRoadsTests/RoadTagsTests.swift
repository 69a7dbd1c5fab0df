import Testing

@testable import GodwitRoads

@Suite("Tags of roads")
struct RoadTagsTests {
  /// The kind of a road and its directions for each kind of travel: `>` forward, `<` backward, `=` both, `-` none.
  private func text(_ tags: String) -> String? {
    var road = RoadTags()
    for tag in tags.split(separator: " ") {
      let parts = tag.split(separator: "=", maxSplits: 1)
      road.set(String(parts[0]), String(parts[1]))
    }
    guard let attributes = road.attributes else { return nil }
    let directions = Travel.allCases.map { travel in
      switch (attributes.isOpen(to: travel, reversed: false), attributes.isOpen(to: travel, reversed: true)) {
      case (true, true): "="
      case (true, false): ">"
      case (false, true): "<"
      case (false, false): "-"
      }
    }
    return "\(attributes.kind) \(directions.joined())"
  }

  @Test(
    "the tags determine the kind of a road and its directions for cars, bicycles, people and trains",
    arguments: [
      ("highway=residential", "street ===-"),
      ("highway=motorway", "motorway >---"),
      ("highway=motorway_link oneway=no", "motorway =---"),
      ("highway=trunk oneway=yes", "trunk >>=-"),
      ("highway=primary oneway=-1", "primary <<=-"),
      ("highway=secondary oneway=reversible", "secondary ===-"),
      ("highway=tertiary junction=roundabout", "tertiary >>=-"),
      ("highway=residential oneway=yes oneway:bicycle=no", "street >==-"),
      ("highway=residential oneway=yes cycleway:left=opposite_lane", "street >==-"),
      ("highway=footway", "path -==-"),
      ("highway=steps", "steps --=-"),
      ("highway=cycleway foot=no", "cycleway -=--"),
      ("highway=pedestrian motor_vehicle=yes", "pedestrian ===-"),
      ("highway=service access=private", "service ===-"),
      ("highway=service access=no", nil),
      ("highway=service access=no foot=yes", "service --=-"),
      ("highway=residential vehicle=no", "street --=-"),
      ("highway=residential vehicle=no bicycle=yes", "street -==-"),
      ("highway=residential motor_vehicle=no bus=yes", "street ===-"),
      ("highway=track motor_vehicle=agricultural", "track ===-"),
      ("highway=residential motorcar=no motor_vehicle=yes", "street -==-"),
      ("railway=rail", "rail ---="),
      ("railway=tram oneway=yes", "tram ---="),
      ("highway=residential railway=tram", "street ===-"),
      ("railway=abandoned", nil),
      ("route=ferry", "ferry ===-"),
      ("route=ferry motor_vehicle=no", "ferry -==-"),
      ("highway=bus_stop", nil),
      ("highway=construction", nil),
      ("highway=pedestrian area=yes", nil),
      ("building=yes", nil),
    ] as [(String, String?)])
  func tags(_ tags: String, _ expected: String?) { #expect(text(tags) == expected) }
}
