import Foundation
import GodwitModel
import GodwitServer
import GodwitStore

// Reads all points of the store in a data folder, and prints the seconds as JSON.
//
// records: all values of each point as a record, in pages of 10,000.
// columns: all numbers of the points by column, as overviews and timelines are computed.

struct Result: Encodable {
  var points = 0
  var records = 0.0
  var columns = 0.0
}

func seconds(_ body: () throws -> Void) rethrows -> Double {
  let began = ContinuousClock.now
  try body()
  return (ContinuousClock.now - began) / .seconds(1)
}

guard let folder = CommandLine.arguments.dropFirst().first else {
  FileHandle.standardError.write(Data("usage: PointReads FOLDER\n".utf8))
  exit(2)
}
let store = try SQLiteTrackStore(folder: folder)
var result = Result()
result.records = try seconds {
  var query = PointQuery(limit: 10_000)
  while true {
    let page = try store.points(query)
    result.points += page.count
    guard page.count == query.limit, let last = page.last else { break }
    query.after = last.cursor
  }
}
result.columns = try seconds {
  let columns = PointColumn.stored(.sqlite).filter { $0 != .device && $0 != .extras }
  let sum = try store.read { db in
    var sum: Int64 = 0
    for device in try TrackTables.devices(db) {
      try PointReader(columns, of: PointSpan(device: device.id, .min..<Int64.max), db).readBatches { points in
        for column in columns {
          let numbers = points.numbers(column)
          for index in points.indices { sum &+= numbers[index] }
        }
      }
    }
    return sum
  }
  // The sum is used, so that the compiler does not remove the reads.
  if sum == .min { result.points = 0 }
}
store.close()
print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
