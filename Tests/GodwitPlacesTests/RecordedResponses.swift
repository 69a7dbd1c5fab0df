/// Responses in the formats that the services document, with places around the Brandenburg Gate. Each has an entry without
/// coordinates, and its first entry is not the nearest.
enum RecordedResponses {
  static let overpass = #"""
    {"version": 0.6, "generator": "Overpass API 0.7.62", "osm3s": {"timestamp_osm_base": "2026-11-20T08:30:00Z"},
     "elements": [
      {"type": "node", "id": 501, "lat": 52.5170000, "lon": 13.3800000,
       "tags": {"amenity": "cafe", "name": "Café am Tor", "addr:street": "Unter den Linden", "addr:housenumber": "77",
                "addr:postcode": "10117", "addr:city": "Berlin"}},
      {"type": "way", "id": 502, "center": {"lat": 52.5162800, "lon": 13.3777000},
       "tags": {"historic": "city_gate", "tourism": "attraction", "name": "Brandenburger Tor"}},
      {"type": "relation", "id": 503, "tags": {"leisure": "park", "name": "nowhere"}},
      {"type": "node", "id": 504, "lat": 52.5165000, "lon": 13.3785000, "tags": {"amenity": "bench"}},
      {"type": "node", "id": 505, "lat": 152.5, "lon": 13.3785, "tags": {"amenity": "bench"}},
      {"type": "node", "id": "not a number"}
     ]}
    """#

  static let overpassTimeout = #"""
    {"version": 0.6, "elements": [],
     "remark": "runtime error: Query timed out in \"query\" at line 1 after 26 seconds."}
    """#

  static let nominatim = #"""
    {"place_id": 134186, "licence": "Data © OpenStreetMap contributors, ODbL 1.0.", "osm_type": "way", "osm_id": 518071791,
     "lat": "52.5162699", "lon": "13.3777034", "category": "tourism", "type": "attraction", "place_rank": 30,
     "importance": 0.65, "addresstype": "tourism", "name": "Brandenburger Tor",
     "display_name": "Brandenburger Tor, 1, Pariser Platz, Mitte, Berlin, 10117, Deutschland",
     "address": {"tourism": "Brandenburger Tor", "house_number": "1", "road": "Pariser Platz", "suburb": "Mitte",
                 "city": "Berlin", "ISO3166-2-lvl4": "DE-BE", "postcode": "10117", "country": "Deutschland",
                 "country_code": "de"},
     "boundingbox": ["52.5161", "52.5164", "13.3775", "13.3779"]}
    """#

  static let googleNew = #"""
    {"places": [
      {"id": "ChIJfar", "types": ["restaurant", "food"], "formattedAddress": "Pariser Platz 4, 10117 Berlin, Germany",
       "location": {"latitude": 52.5170, "longitude": 13.3800}, "displayName": {"text": "Tor Küche", "languageCode": "de"},
       "attributions": [{"provider": "Local Guide", "providerUri": "https://guide.example"}]},
      {"id": "ChIJnear", "types": ["historical_landmark"], "location": {"latitude": 52.5163, "longitude": 13.3777},
       "displayName": {"text": "Brandenburg Gate", "languageCode": "en"}},
      {"id": "ChIJnowhere", "displayName": {"text": "Nowhere"}}
    ]}
    """#

  static let googleLegacy = #"""
    {"html_attributions": ["Listings by <a href=\"https://guide.example\">Local Guide</a>"], "next_page_token": "AeJb",
     "results": [
      {"place_id": "ChIJfar", "name": "Tor Küche", "vicinity": "Pariser Platz 4, Berlin", "types": ["restaurant", "food"],
       "geometry": {"location": {"lat": 52.5170, "lng": 13.3800},
                    "viewport": {"northeast": {"lat": 52.518, "lng": 13.381}, "southwest": {"lat": 52.516, "lng": 13.379}}}},
      {"place_id": "ChIJnear", "name": "Brandenburg Gate", "types": ["tourist_attraction"],
       "geometry": {"location": {"lat": 52.5163, "lng": 13.3777}}},
      {"place_id": "ChIJnowhere", "name": "Nowhere"}
     ], "status": "OK"}
    """#

  static let foursquare = #"""
    {"results": [
      {"fsq_place_id": "4b0588f1f964a520f9c022e3", "name": "Tor Café", "latitude": 52.5170, "longitude": 13.3800,
       "categories": [{"fsq_category_id": "4bf58dd8d48988d1e0931735", "name": "Coffee Shop", "short_name": "Coffee Shop"}],
       "distance": 178, "location": {"address": "Pariser Platz 4", "locality": "Berlin", "country": "DE",
                                     "formatted_address": "Pariser Platz 4, 10117 Berlin"}},
      {"fsq_place_id": "4adcda7ef964a5208e4721e3", "name": "Brandenburger Tor", "latitude": 52.5163, "longitude": 13.3777,
       "categories": []},
      {"fsq_place_id": "5nowhere", "name": "Nowhere"}
    ], "context": {"geo_bounds": {"circle": {"center": {"latitude": 52.5163, "longitude": 13.3777}, "radius": 500}}}}
    """#

  static let foursquareV3 = #"""
    {"results": [
      {"fsq_id": "4b0588f1f964a520f9c022e3", "name": "Tor Café", "distance": 178, "timezone": "Europe/Berlin",
       "categories": [{"id": 13035, "name": "Coffee Shop", "icon": {"prefix": "https://icons.example/", "suffix": ".png"}}],
       "geocodes": {"main": {"latitude": 52.5170, "longitude": 13.3800}},
       "location": {"formatted_address": "Pariser Platz 4, 10117 Berlin"}},
      {"fsq_id": "4adcda7ef964a5208e4721e3", "name": "Brandenburger Tor",
       "geocodes": {"main": {"latitude": 52.5163, "longitude": 13.3777}}},
      {"fsq_id": "5nowhere", "name": "Nowhere", "geocodes": {}}
    ]}
    """#

  /// SafeGraph returns no coordinates, and the zip code as a number.
  static let safeGraph = #"""
    {"places": [
      {"id": "sg:far", "name": "Gate Coffee", "street_address": "12 State Street", "city": "Boston", "state": "MA",
       "zip_code": 2109, "naics_category": "Restaurants", "naics_subcategory": "Snack Bars", "naics_code": 722515,
       "distance": 178.5},
      {"id": "sg:near", "name": "Gate Museum", "distance": 12},
      {"id": "sg:beyond", "name": "Beyond the circle", "distance": 501},
      {"id": "sg:nowhere", "name": "Nowhere"}
    ]}
    """#

  static let facebook = #"""
    {"data": [
      {"id": "1102", "name": "Tor Café", "category_list": [{"id": "197871390225897", "name": "Café"}],
       "location": {"city": "Berlin", "country": "Germany", "latitude": 52.5170, "longitude": 13.3800,
                    "street": "Pariser Platz 4", "zip": "10117"}},
      {"id": "1101", "name": "Brandenburger Tor", "location": {"latitude": 52.5163, "longitude": 13.3777}},
      {"id": "1103", "name": "Nowhere", "location": {"city": "Berlin"}}
    ], "paging": {"cursors": {"before": "MAZD", "after": "MgZD"}}}
    """#
}
