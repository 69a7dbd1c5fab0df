@_exported public import GodwitDelivery
@_exported public import GodwitEngine
@_exported public import GodwitHTTPClient
@_exported public import GodwitJournal
@_exported public import GodwitModel

@_exported public import struct GodwitText.FormatError
@_exported public import struct GodwitWire.URLTemplate

// `import Godwit` is all that an app writes: records, settings, events and their values come with it. An app that writes or
// reads the formats of devices itself imports `GodwitWire`.
