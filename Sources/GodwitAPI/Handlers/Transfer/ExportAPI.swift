internal import Foundation
internal import GodwitAccess
internal import GodwitFiles
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitStore
internal import GodwitTransfer

/// `GET /api/v1/export`
struct ExportAPI {
  let work: RequestWork

  /// A device's records in a file format, streamed while they are read.
  func file(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    guard let name = request.query.text("device") else {
      throw Problem(400, "Bad argument", "device: missing; expected device=NAME. /api/v1/devices lists the devices.")
    }
    let format = try request.query.choice("format", of: RecordWriter.Format.self) ?? .gpx
    let (from, to) = try request.query.dates()
    return work.later(request) {
      let device = try reader.device(named: name, in: work.store)
      let visible = VisiblePoints(reader, work.store)
      // Events of a device are visible to its owner only.
      let events = reader.seesAll(of: device.id) ? try work.store.events(device: device.id, from: from, to: to) : []
      let bytes = StreamingBody(
        {
          var export = RecordExport(
            of: device, as: format, from: from, to: to, events: events, points: { try visible.points($0) })
          return { try export.next() }
        }())
      let file = device.name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
      return HTTPResponse(streaming: bytes, contentType: format.mediaType)
        .with("Content-Disposition", "attachment; filename=\"\(String(file)).\(format.fileExtension)\"")
        .with("Cache-Control", "no-store")
    }
  }
}
