internal import GodwitGeofencing

extension LiveFeed: RegionFeed {}
