internal import Foundation
package import GodwitModel

/// The layout of a visit, a trip, a region's event or an action in the table `events`.
package struct EventRow {
  package let kind: String
  package let time: Int64
  package let discriminator: String
  package let hasEnded: Bool
  private let record: Record

  /// - Parameter record: any record except a fix.
  package init(_ record: Record) {
    self.record = record
    switch record.kind {
    case .visit(let visit):
      kind = "visit"
      time = (visit.arrival ?? visit.departure ?? visit.time).millisecondsSince1970
      // A nested visit, as in Google's timelines, may begin at the same time as its parent.
      let level = [1, 2, 3].first { record.extras?.contains("\"hierarchyLevel\":\($0)") == true }
      discriminator = visit.arrival == nil ? "departure" : level.map { "level \($0)" } ?? ""
      hasEnded = visit.departure != nil
    case .trip(let trip):
      kind = "trip"
      time = trip.start.millisecondsSince1970
      discriminator = ""
      hasEnded = true
    case .region(let event):
      kind = "region"
      time = event.time.millisecondsSince1970
      discriminator = event.kind.rawValue + " " + event.region.id
      hasEnded = true
    case .action(let action):
      kind = "action"
      time = action.time.millisecondsSince1970
      discriminator = action.name
      hasEnded = true
    case .fix(let fix):
      // Fixes have their own table. A fix is not expected here; it is stored with the kind "fix".
      kind = "fix"
      time = fix.time.millisecondsSince1970
      discriminator = ""
      hasEnded = true
    }
  }

  /// The JSON of the row.
  package func json() throws -> String { String(decoding: try JSONEncoder().encode(record), as: UTF8.self) }

  /// The record of a row's JSON.
  package static func record(json: String) throws -> Record { try JSONDecoder().decode(Record.self, from: Data(json.utf8)) }
}
