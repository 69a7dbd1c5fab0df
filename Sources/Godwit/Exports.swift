// The types that an app names in its code. To name another type of these modules, import its product; to use its members, no
// import is needed.
@_exported public import struct GodwitDelivery.Endpoint
@_exported public import struct GodwitEngine.Notice
@_exported public import struct GodwitEngine.TripActivity
@_exported public import enum GodwitHTTPClient.TLSTrust
@_exported public import class GodwitJournal.Journal
@_exported public import struct GodwitModel.Coordinate
@_exported public import struct GodwitModel.DeviceContext
@_exported public import struct GodwitModel.Fix
@_exported public import struct GodwitModel.Motion
@_exported public import struct GodwitModel.Record
@_exported public import struct GodwitModel.Region
@_exported public import struct GodwitModel.RegionEvent
@_exported public import struct GodwitModel.Settings
@_exported public import struct GodwitModel.Trip
@_exported public import enum GodwitModel.TripMode
@_exported public import struct GodwitModel.Visit

#if canImport(Security) && !os(watchOS)
  @_exported public import class GodwitHTTPClient.BackgroundSession
#endif
