-- What comments say. A comment of dpdissect begins with a line for programs, dpd1 key=value ...,
-- one for each datagram; the lines below each are for people.

-- number gives a whole number of at most 32 bits, nil when a text is none.
local function number(text)
  if not text or #text > 10 or not string.find(text, "^%d+$") then return nil end
  local n = tonumber(text)
  return n <= 4294967295 and n or nil
end

local function unescape(text)
  return (string.gsub(text, "\\x(%x%x)", function(h) return string.char(tonumber(h, 16)) end))
end

-- split gives the values of a list.
local function split(text)
  local all = {}
  for v in string.gmatch(text or "", "[^,]+") do all[#all + 1] = unescape(v) end
  return all
end

-- parseAnew gives an entry for each line for programs: its keys, and the lines below it.
local function parseAnew(text)
  local entries = {}
  for line in string.gmatch(text, "[^\n]+") do
    if sub(line, 1, 5) == "dpd1 " or line == "dpd1" then
      local keys = {}
      for key, value in string.gmatch(line, " ([^ =]+)=([^ ]*)") do keys[key] = value end
      entries[#entries + 1] = { keys = keys, messages = {} }
    elseif #entries > 0 then
      local m = entries[#entries].messages
      m[#m + 1] = line
    end
  end
  return entries
end

-- parse is parseAnew, which gives the same for the same text: a packet's comment is read twice.
local parsed, entriesOf
local function parse(text)
  if text ~= parsed then parsed, entriesOf = text, parseAnew(text) end
  return entriesOf
end

-- version gives 0x10006 for 1.6.
local function version(text)
  local major, minor = string.match(text or "", "^(%d+)%.(%d+)$")
  if not major or #major > 5 or #minor > 5 then return nil end
  return tonumber(major) * 65536 + tonumber(minor)
end

-- layoutOf is what the decoder of an entry's datagram knew.
local function layoutOf(keys)
  return {
    version = version(keys["layout.version"]), signing = keys["layout.signing"],
    dialect = keys["layout.dialect"] and unescape(keys["layout.dialect"]),
    ids = keys["layout.ids"], ack_bits = keys["layout.ack_bits"],
  }
end
