-- A reader walks over the bytes of a datagram and records what it reads as nodes, five places
-- each: row, offset, length, depth, value. The first failure sticks: from then on nothing is
-- read or recorded. No function here looks at anything but its arguments.

-- nodesOf is where all readers record, one after the other: a list that grows anew for each
-- datagram costs more than the bytes.
local nodesOf = {}

local function reader(s)
  return { s = s, n = #s, pos = 0, depth = 0, nodes = nodesOf, count = 0, bad = false }
end

local function add(r, row, off, len, value)
  local t, i = r.nodes, r.count
  t[i + 1], t[i + 2], t[i + 3], t[i + 4], t[i + 5] = row, off, len, r.depth, value
  r.count = i + 5
end

local function open(r, row, off, len)
  add(r, row, off, len, false)
  r.depth = r.depth + 1
end

local function close(r) r.depth = r.depth - 1 end

-- left is how many bytes are left, none after a failure.
local function left(r)
  if r.bad then return 0 end
  return r.n - r.pos
end

-- fail makes the reader stick.
local function fail(r) r.bad = true end

-- take gives the offset of the next n bytes and passes over them, nil when they are not there.
local function take(r, n)
  local off = r.pos
  if r.bad then return nil end
  if n < 0 or r.n - off < n then
    r.bad = true
    return nil
  end
  r.pos = off + n
  return off
end

-- at is the byte at an offset that is there.
local function at(r, off) return byte(r.s, off + 1) end

-- has reports whether a bit is set; the mask has one bit.
local function has(v, mask) return v % (mask + mask) >= mask end

-- div is division without remainder.
local function div(a, b) return floor(a / b) end

local function le16(r, off)
  local a, b = byte(r.s, off + 1, off + 2)
  return a + b * 256
end

local function be16(r, off)
  local a, b = byte(r.s, off + 1, off + 2)
  return a * 256 + b
end

local function le32(r, off)
  local a, b, c, d = byte(r.s, off + 1, off + 4)
  return a + b * 256 + c * 65536 + d * 16777216
end

local function u8(r, row)
  local off = take(r, 1)
  if not off then return 0 end
  local v = byte(r.s, off + 1)
  add(r, row, off, 1, v)
  return v
end

local function u16(r, row)
  local off = take(r, 2)
  if not off then return 0 end
  local v = le16(r, off)
  add(r, row, off, 2, v)
  return v
end

local function b16(r, row)
  local off = take(r, 2)
  if not off then return 0 end
  local v = be16(r, off)
  add(r, row, off, 2, v)
  return v
end

local function u32(r, row)
  local off = take(r, 4)
  if not off then return 0 end
  local v = le32(r, off)
  add(r, row, off, 4, v)
  return v
end

-- big reads a big-endian number of n bytes, up to 6.
local function big(r, row, n)
  local off = take(r, n)
  if not off then return 0 end
  local v = 0
  for i = 1, n do v = v * 256 + byte(r.s, off + i) end
  add(r, row, off, n, v)
  return v
end

-- bytes reads n bytes and gives where they stand, nil when they are not there.
local function bytes(r, row, n)
  local off = take(r, n)
  if off then add(r, row, off, n, false) end
  return off
end

-- rest reads what is left, if anything is, and gives where it stands and how long it is.
local function rest(r, row)
  local n = left(r)
  if n == 0 then return r.pos, 0 end
  return bytes(r, row, n), n
end

-- mask64 reads the halves of a mask that are there, the low one first: a pair of numbers.
local function mask64(r, row, low, high)
  if not low and not high then return 0, 0 end
  local n = 0
  if low then n = n + 4 end
  if high then n = n + 4 end
  local off = take(r, n)
  if not off then return 0, 0 end
  local lo, hi, p = 0, 0, off
  if low then
    lo = le32(r, p)
    p = p + 4
  end
  if high then hi = le32(r, p) end
  add(r, row, off, n, { lo, hi })
  return lo, hi
end

-- list records numbers, one below the other.
local function list(r, row, off, ids) add(r, row, off, 0, ids) end

local function xor8(a, b)
  local v, m = 0, 1
  for _ = 1, 8 do
    if has(a, m) ~= has(b, m) then v = v + m end
    m = m * 2
  end
  return v
end
