internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitVisits

// Words of the model in results: the document lists their values.
extension TravelMode: DocumentedValue {}
extension PlaceChange.Kind: DocumentedValue {}
extension OutlierFilter.Reason: DocumentedValue {}
