-- The order of rows, as in docs/reference/packed.md: (window_end, finality, sequence) and the layout stand first. Goes before the
-- scripts that write rows.

-- Whether a value begins as a row does; nothing else has a place in the order.
local function is_row(value)
  return #value >= 16 and string.byte(value, 1) == 0xB8 and string.byte(value, 2) == 1
end

local function header(row)
  local window_end, finality, at = struct.unpack('>I8B', row, 3)
  local sequence, scale = 0, 1
  repeat
    local byte = string.byte(row, at) or 0
    sequence = sequence + byte % 128 * scale
    scale = scale * 128
    at = at + 1
  until byte < 128
  return window_end, finality, sequence, string.sub(row, at, at + 3)
end

-- Whether a row is greater than the kept one, and whether both are of one layout.
local function compare(row, kept)
  local window_end, finality, sequence, layout = header(row)
  local kept_end, kept_finality, kept_sequence, kept_layout = header(kept)
  local is_greater = sequence > kept_sequence
  if window_end ~= kept_end then
    is_greater = window_end > kept_end
  elseif finality ~= kept_finality then
    is_greater = finality > kept_finality
  end
  return is_greater, layout == kept_layout
end

-- A row of another layout, which today's view cannot read, gives way to any; so does what is not a row.
local function wins(row, kept)
  if not is_row(kept) then
    return true
  end
  local is_greater, is_alike = compare(row, kept)
  return is_greater or not is_alike
end

