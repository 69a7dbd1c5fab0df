import Foundation
import GodwitApp

extension ServersModel {
  /// Moves the first row of a list's index set: a user drags only one row.
  func move(_ source: IndexSet, to destination: Int) {
    if let row = source.first { move(from: row, to: destination) }
  }
}
