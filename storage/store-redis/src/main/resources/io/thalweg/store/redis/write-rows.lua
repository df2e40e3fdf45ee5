-- Writes rows into a hash, each into its field, where it is greater than the one there by (window_end, finality, sequence).
-- Fields whose rows have expired are removed.
-- KEYS[1]  the hash
-- ARGV[1]  for how long it is to live at least, ms
-- ARGV[2]  rows of an earlier window end than this have expired, epoch ms
-- ARGV[3]  field, row, field, row, ...: a field once; rows as in docs/reference/packed.md, all of one window end, finality and
--          sequence
-- Answers how many rows were taken.
--
-- The field 'newest' holds the begin of a row that is at least as great as all others. Where the arriving rows are greater,
-- and as many as there are, nothing needs to be read: that is what happens at most window ends, at half of the cost.

local key, lives, oldest = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])

local function live()
  if redis.call('PTTL', key) < lives then
    redis.call('PEXPIRE', key, lives)
  end
end

local rows = (#ARGV - 2) / 2
local first = string.sub(ARGV[4], 1, 21)
local newest = redis.call('HGET', key, 'newest')
local is_greater = not newest or not is_row(newest) or compare(first, newest)
if newest and is_greater and redis.call('HLEN', key) == rows + 1 then
  redis.call('HSET', key, 'newest', first, unpack(ARGV, 3))
  live()
  return rows
end

local kept = {}
local all = redis.call('HGETALL', key)
for i = 1, #all, 2 do
  kept[all[i]] = all[i + 1]
end
kept['newest'] = nil

local taken = {}
for i = 3, #ARGV, 2 do
  local field, row = ARGV[i], ARGV[i + 1]
  if not kept[field] or wins(row, kept[field]) then
    taken[#taken + 1] = field
    taken[#taken + 1] = row
  end
  kept[field] = nil
end

local taken_rows = #taken / 2

local expired = {}
for field, row in pairs(kept) do
  if is_row(row) and header(row) < oldest then
    expired[#expired + 1] = field
  end
end
if #expired > 0 then
  redis.call('HDEL', key, unpack(expired))
end

if #taken > 0 then
  if is_greater then
    taken[#taken + 1] = 'newest'
    taken[#taken + 1] = first
  end
  redis.call('HSET', key, unpack(taken))
  live()
end
return taken_rows
