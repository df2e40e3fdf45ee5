-- Writes one row of a view into the hash of its entity, as a Feast client reads it, where it is greater than the row there by
-- (window_end, finality, sequence). A row of another shape, which today's view cannot read, gives way to one of the same time;
-- so does one that another than Thalweg wrote.
-- KEYS[1]  the hash of an entity, which views share
-- ARGV[1]  for how long it is to live at least, ms
-- ARGV[2]  the field _ts:VIEW, ARGV[3] the window end in it: a google.protobuf.Timestamp
-- ARGV[4]  the field _order:VIEW, ARGV[5] the order in it: window_end:8 finality:1 sequence:8 shape:4
-- ARGV[6]  field, value, field, value, ...: features
-- Answers 1 if the row was taken.

local key, lives = KEYS[1], tonumber(ARGV[1])

-- The seconds and nanoseconds of a Timestamp as milliseconds.
local function time(timestamp)
  local parts, at = {0, 0}, 1
  while at <= #timestamp do
    local field = math.floor(string.byte(timestamp, at) / 8)
    local number, scale, byte = 0, 1, nil
    repeat
      at = at + 1
      byte = string.byte(timestamp, at) or 0
      number = number + byte % 128 * scale
      scale = scale * 128
    until byte < 128
    parts[field] = number
    at = at + 1
  end
  return parts[1] * 1000 + parts[2] / 1000000
end

local function header(order)
  return struct.unpack('>I8BI8', order)
end

local function wins(order, kept_time, kept_order)
  local window_end, finality, sequence = header(order)
  if window_end ~= time(kept_time) then
    return window_end > time(kept_time)
  elseif not kept_order or string.sub(kept_order, 18, 21) ~= string.sub(order, 18, 21) then
    return true
  end
  local kept_end, kept_finality, kept_sequence = header(kept_order)
  if kept_end ~= window_end then
    return true
  elseif finality ~= kept_finality then
    return finality > kept_finality
  end
  return sequence > kept_sequence
end

local kept = redis.call('HMGET', key, ARGV[2], ARGV[4])
if kept[1] and not wins(ARGV[5], kept[1], kept[2]) then
  return 0
end

-- A key without an end belongs to somebody who wants it so: it is not given one.
local left = redis.call('PTTL', key)
redis.call('HSET', key, unpack(ARGV, 2))
if left ~= -1 and left < lives then
  redis.call('PEXPIRE', key, lives)
end
return 1
