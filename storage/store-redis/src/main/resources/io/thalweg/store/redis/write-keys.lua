-- Writes rows, each into its key, where it is greater than the one there by (window_end, finality, sequence).
-- KEYS     one for each row; a key twice is written in turn
-- ARGV[1]  a row is to live for its window end less this, ms
-- ARGV[2]  for how long the row is to live, ms, and the row; and so on
-- Answers how many rows were taken.
--
-- Most rows win, and there is one call for both: the row is put in the place of the one that was there, which is put back if it
-- was the greater. Nobody sees what happens meanwhile.

local since = tonumber(ARGV[1])
local taken = #KEYS
for i = 1, #KEYS do
  local key, row = KEYS[i], ARGV[2 * i + 1]
  local kept = redis.call('SET', key, row, 'PX', ARGV[2 * i], 'GET')
  if kept and not wins(row, kept) then
    redis.call('SET', key, kept, 'PX', string.format('%.0f', math.max(1, header(kept) - since)))
    taken = taken - 1
  end
end
return taken
