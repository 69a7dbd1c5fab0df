internal import GodwitHTTP
internal import GodwitHistory

// Words of the model in results: the document lists their values.
extension TravelMode: DocumentedValue {}
extension OutlierFilter.Reason: DocumentedValue {}
