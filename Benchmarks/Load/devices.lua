-- Load for `wrk`: Overland requests of many devices in turn, each with its own hours of this month, so that the store must insert
-- every record.
-- Environment: TOKENS (between commas), BATCH (records in a request), HOUR (the first, counted from 1970).
local batches = require("Load.batches")
local tokens = batches.tokens()
local first = tonumber(os.getenv("HOUR"))
function init(args)
  counter = 0
  parts = batches.parts(0, "walking", 1, function(i) return 14.0 + i * 0.0001234, 45.4 + i * 0.0000987 end)
  headers = { ["Content-Type"] = "application/json" }
end
function request()
  local device = counter % #tokens
  local hour = first + math.floor(counter / #tokens)
  counter = counter + 1
  headers["Authorization"] = "Bearer " .. tokens[device + 1]
  return wrk.format("POST", "/api/overland", headers, batches.body(parts, hour))
end
response = batches.response
done = batches.done
