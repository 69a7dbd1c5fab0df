// `import GodwitPlaces` also imports coordinates and the HTTP client.
@_exported public import GodwitHTTPClient
@_exported public import GodwitModel
