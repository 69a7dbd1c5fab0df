-- Load for `wrk`: Overland requests of many devices in turn. Each device drives along a circle with 180 geofences on its line, with one
-- fix per second and one round per hour: one fix in ten enters or leaves a geofence. GeofenceLoad.swift creates the geofences.
-- Environment: TOKENS (between commas), BATCH (records in a request), HOUR (the first, counted from 1970).
local batches = require("Load.batches")
local tokens = batches.tokens()
local first = tonumber(os.getenv("HOUR"))
function init(args)
  counter = -1
  local meter = 1 / 111195.08
  requests = batches.hour("driving", 14, function(i)
    local angle = 2 * math.pi * i / 3600
    return 14.0 + 8365 * meter * math.sin(angle) / math.cos(math.rad(45.4)), 45.4 + 8365 * meter * math.cos(angle)
  end)
  headers = { ["Content-Type"] = "application/json" }
end
function request()
  counter = counter + 1
  local device = counter % #tokens
  local number = math.floor(counter / #tokens)
  headers["Authorization"] = "Bearer " .. tokens[device + 1]
  local hour = first + math.floor(number / batches.an_hour)
  return wrk.format("POST", "/api/overland", headers, batches.body(requests[number % batches.an_hour], hour))
end
response = batches.response
done = batches.done
