-- DirectPlay 4: the header of a service provider, which may stand in front of a frame.
local function sp4(r, F, prefix)
  local off = r.pos
  local v = u32(r, F[prefix .. "size_token"])
  if not r.bad then
    add(r, F[prefix .. "size"], off, 0, v % 0x100000)
    add(r, F[prefix .. "token"], off, 0, div(v, 0x100000))
  end
  u16(r, F[prefix .. "family"])
  b16(r, F[prefix .. "port"])
  bytes(r, F[prefix .. "address"], 4)
  bytes(r, F[prefix .. "zero"], 8)
end

-- DirectPlay 4 Reliable.
do
  local F = fields.dp4

  local function isToken(t) return t == 0xfab or t == 0xcab or t == 0xbab end

  -- hasSP reports whether a payload that had so many bytes begins with that header.
  local function hasSP(r, length)
    if r.n < 4 or length < 20 then return false end
    local v = le32(r, 0)
    return isToken(div(v, 0x100000)) and v % 0x100000 == length and (r.n < 6 or at(r, 4) == 2 and at(r, 5) == 0)
  end

  local function isCore(r, off, n) return n >= 8 and sub(r.s, off + 1, off + 4) == "play" end

  -- index reads the index of a player: up to three bytes of seven bits.
  local function index(r, row)
    local off, v, scale = r.pos, 0, 1
    for i = 0, 2 do
      if left(r) < i + 1 then
        fail(r)
        return
      end
      local b = at(r, off + i)
      v = v + b % 128 * scale
      scale = scale * 128
      if b < 128 then
        take(r, i + 1)
        add(r, row, off, i + 1, v)
        return
      end
    end
    fail(r)
  end

  -- mask reads n bytes of a NACK mask, the lowest first.
  local function mask(r, n, order)
    local off = take(r, n)
    if not off then return 0 end
    local v, scale = 0, 1
    for i = 0, n - 1 do
      v = v + at(r, off + i) * scale
      scale = scale * 256
    end
    if n > 0 then add(r, F.nack_mask, off, n, v) end
    add(r, F.nnack, r.pos, 0, n)
    add(r, F.ext_order, r.pos, 0, order)
    return v
  end

  local function data(r, flags)
    u8(r, F.message_id)
    u8(r, F.seq)
    u8(r, F.serial)
    if has(flags, 0x80) then
      local ext = u8(r, F.ext_flags)
      mask(r, div(ext, 32) % 4, "lsb-first")
    end
    local off, n = rest(r, F.data)
    if has(flags, 0x10) and not r.bad and isCore(r, off, n) then
      local name = core4[le16(r, off + 4)]
      if name then
        add(r, F.core_message, off, 0, name)
        add(r, F.core_version, off, 0, le16(r, off + 6))
      end
    end
  end

  local function ack(r)
    u8(r, F.message_id)
    u8(r, F.seq)
    u8(r, F.serial)
    u32(r, F.bytes_received)
    u32(r, F.tick)
    rest(r, F.trailing)
  end

  -- sizeOf says how many bytes of mask the extended flags of a NACK announce: of the two
  -- readings the mirrored one is taken only where it alone fits.
  local function sizeOf(ext, n)
    local lsb, msb = div(ext, 32) % 4, div(ext, 2) % 4
    if lsb ~= n and msb == n and ext == msb * 2 then return msb, "msb-first" end
    return lsb, "lsb-first"
  end

  local function nack(r, length)
    local ext = u8(r, F.ext_flags)
    u8(r, F.message_id)
    local seq = u8(r, F.seq)
    u32(r, F.bytes_received)
    u32(r, F.tick)
    local n, order = sizeOf(ext, length - r.pos)
    local m = mask(r, n, order)
    if not r.bad then
      local ids = { seq }
      for i = 0, 23 do
        if m % 2 == 1 then ids[#ids + 1] = (seq + 1 + i) % 256 end
        m = div(m, 2)
      end
      list(r, F.missing, r.pos, ids)
    end
    rest(r, F.trailing)
  end

  decoders.dp4 = function(r, _, length)
    if hasSP(r, length) then
      sp4(r, F, "sp_")
      if r.n >= 28 and isCore(r, 20, r.n - 20) then fail(r) end
    end
    index(r, F.id_from)
    index(r, F.id_to)
    local flags = u8(r, F.flags)
    if r.bad then return "" end
    if not has(flags, 0x02) then
      data(r, flags)
      return "DATA"
    end
    if has(flags, 0x80) then
      nack(r, length)
      return "NACK"
    end
    ack(r)
    return "ACK"
  end
end

-- Messages of the DirectPlay 4 core that stand in UDP by themselves.
do
  local F = fields.dpl4cs

  decoders.dpl4cs = function(r)
    sp4(r, F, "")
    if left(r) >= 4 and sub(r.s, r.pos + 1, r.pos + 4) ~= "play" then fail(r) end
    bytes(r, F.signature, 4)
    local command = u16(r, F.command)
    u16(r, F.version)
    rest(r, F.body)
    return core4[command] or "MESSAGE"
  end
end
