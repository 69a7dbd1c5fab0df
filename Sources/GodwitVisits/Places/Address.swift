package import Foundation
package import GodwitModel
internal import GodwitSQLite
package import GodwitStore
internal import GodwitText

/// The address of a place, from a geocoder.
package struct Address: Sendable, Hashable {
  /// The address in one line.
  package var text: String
  /// Name of the building or shop; `nil` if there is none.
  package var name: String?
  package var locality: String?
  /// Two-letter country code.
  package var country: String?
  /// Attribution that must be shown with the address.
  package var attribution: String

  package var json: String {
    JSONText.object {
      $0.add("text", text)
      $0.add("name", name)
      $0.add("locality", locality)
      $0.add("country", country)
      $0.add("attribution", attribution)
    }
  }
}

/// The table `addresses`: a cache of geocoder results by small squares, so that each place is requested once.
package enum AddressTable {
  package static let sqlite = """
    CREATE TABLE addresses (
      north INTEGER NOT NULL,           -- row of a grid of 0.0005 degrees
      east INTEGER NOT NULL,
      text TEXT,                      -- NULL: there is no address
      name TEXT,
      locality TEXT,
      country TEXT,
      attribution TEXT NOT NULL,
      asked INTEGER NOT NULL,
      PRIMARY KEY (north, east)
    ) STRICT, WITHOUT ROWID;
    """

  /// The table in PostgreSQL.
  package static let postgres = """
    CREATE TABLE addresses (
      north BIGINT NOT NULL,
      east BIGINT NOT NULL,
      text TEXT,
      name TEXT,
      locality TEXT,
      country TEXT,
      attribution TEXT NOT NULL,
      asked BIGINT NOT NULL,
      PRIMARY KEY (north, east)
    );
    """

  /// A square of 0.0005 degrees, at most 56 metres wide.
  package struct Square: Sendable, Hashable {
    package var row: Int64
    package var column: Int64

    package init(row: Int64, column: Int64) { (self.row, self.column) = (row, column) }

    package init(_ place: Coordinate) {
      row = Int64((place.latitude * 2000).rounded(.down))
      column = Int64((place.longitude * 2000).rounded(.down))
    }
  }

  /// Returns the address of the square that contains a place; `nil` if there is none or it was not requested yet.
  package static func address(near place: Coordinate, _ db: any SQLConnection) throws -> Address? {
    let square = Square(place)
    return try db.first(
      "SELECT text, name, locality, country, attribution FROM addresses WHERE north = ? AND east = ? AND text IS NOT NULL",
      square.row,
      square.column
    ) {
      try Address(
        text: $0.text("text"), name: $0.optionalText("name"), locality: $0.optionalText("locality"),
        country: $0.optionalText("country"), attribution: $0.text("attribution"))
    }
  }

  /// Returns whether the address of a square was requested.
  package static func isKnown(_ square: Square, _ db: any SQLConnection) throws -> Bool {
    try db.integer("SELECT 1 FROM addresses WHERE north = ? AND east = ?", square.row, square.column) != nil
  }

  /// - Parameters:
  ///   - address: The address; `nil` if there is none.
  ///   - square: The square.
  ///   - now: Time of the request.
  ///   - db: A connection in a transaction.
  package static func set(_ address: Address?, in square: Square, at now: Date, _ db: any SQLConnection) throws {
    try db.run(
      """
      INSERT INTO addresses (north, east, text, name, locality, country, attribution, asked) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT (north, east) DO UPDATE SET text = excluded.text, name = excluded.name, locality = excluded.locality,
        country = excluded.country, attribution = excluded.attribution, asked = excluded.asked
      """, square.row, square.column, address?.text, address?.name, address?.locality, address?.country,
      address?.attribution ?? "", now.millisecondsSince1970)
  }
}
