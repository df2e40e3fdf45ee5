-- Writes rows of a view, each into the hash of its entity as a Feast client reads it, where it is greater than the row there by
-- (window_end, finality, sequence). A row of another shape, which today's view cannot read, gives way to one of the same time;
-- so does one that another than Thalweg wrote.
-- KEYS         the hash of an entity, which views share, for each row; a key twice is written in turn
-- ARGV[1]      how many fields a row has: n
-- ARGV[2 ...]  the fields: _ts:VIEW, _order:VIEW, features
-- then of each row, in the order of the keys
--              for how long it is to live at least, ms; then what is to stand in the fields: the window end as a
--              google.protobuf.Timestamp, the order as window_end:8 finality:1 sequence:8 shape:4, the features
-- Answers how many rows were taken.

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

local n = tonumber(ARGV[1])
local set = {}
for i = 1, n do
  set[2 * i - 1] = ARGV[1 + i]
end

local taken = 0
for row = 1, #KEYS do
  local key, at = KEYS[row], 2 + n + (row - 1) * (1 + n)
  local kept = redis.call('HMGET', key, ARGV[2], ARGV[3])
  if not kept[1] or wins(ARGV[at + 2], kept[1], kept[2]) then
    for i = 1, n do
      set[2 * i] = ARGV[at + i]
    end
    -- A key without an end belongs to somebody who wants it so: it is not given one.
    local left, lives = redis.call('PTTL', key), tonumber(ARGV[at])
    redis.call('HSET', key, unpack(set))
    if left ~= -1 and left < lives then
      redis.call('PEXPIRE', key, lives)
    end
    taken = taken + 1
  end
end
return taken
