import CoreTransferable
import Foundation
import GodwitApp
import UniformTypeIdentifiers

/// The phone's own track as a GPX file, which is created when it is shared.
struct TrackFile: Transferable {
  let model: AboutModel

  static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(exportedContentType: .xml) { file in Data(await file.model.export().utf8) }
      .suggestedFileName("godwit.gpx")
  }
}
