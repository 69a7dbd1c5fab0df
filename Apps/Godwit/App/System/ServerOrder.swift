import Foundation
import GodwitApp

extension ServersModel {
  /// Moves the row that a list hands over: a person drags one.
  func move(_ source: IndexSet, to destination: Int) {
    if let row = source.first { move(from: row, to: destination) }
  }
}
