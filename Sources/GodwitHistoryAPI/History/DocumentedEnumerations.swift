internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitVisits

// Enumerations of the model in results: the API description lists their values.
extension TravelMode: DocumentedValue {}
extension PlaceChange.Kind: DocumentedValue {}
extension OutlierFilter.Reason: DocumentedValue {}
