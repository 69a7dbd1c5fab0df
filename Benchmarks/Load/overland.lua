-- Load for `wrk`: Overland requests that are all different, so that the store must insert every record.
-- Environment: TOKEN, BATCH (records in a request), PAUSE (milliseconds before each request of a connection), ERA (the number of a
-- period of 200 days since 2000). One device, one record per second: in each hour it drives 26 km in one direction, and back.
local batches = require("Load.batches")
local token = os.getenv("TOKEN")
local first = 946684800 / 3600 + tonumber(os.getenv("ERA") or "0") * 4800
function init(args)
  counter = -1
  requests = batches.hour("driving", 14, function(i)
    local way = math.min(i, 3600 - i)
    return 14.0 + way * 0.0001234, 45.4 + way * 0.0000987
  end)
  headers = { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. token }
end
function request()
  counter = counter + 1
  local hour = first + math.floor(counter / batches.an_hour)
  return wrk.format("POST", "/api/overland", headers, batches.body(requests[counter % batches.an_hour], hour))
end
local pause = tonumber(os.getenv("PAUSE") or "0")
if pause > 0 then
  function delay() return pause end
end
response = batches.response
done = batches.done
