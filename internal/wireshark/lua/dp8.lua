-- DirectPlay 8 Reliable.
do
  local F = fields.dp8

  -- flags64 calls f with the number of each set bit of a 64-bit mask, lowest first.
  local function flags64(lo, hi, f)
    for i = 0, 31 do
      if lo % 2 == 1 then f(i) end
      lo = div(lo, 2)
    end
    for i = 32, 63 do
      if hi % 2 == 1 then f(i) end
      hi = div(hi, 2)
    end
  end

  local function sacked(r, nrcv, lo, hi)
    if r.bad or lo == 0 and hi == 0 then return end
    local ids = {}
    flags64(lo, hi, function(i) ids[#ids + 1] = (nrcv + 1 + i) % 256 end)
    list(r, F.sacked, r.pos, ids)
  end

  local function dropped(r, seq, lo, hi)
    if r.bad or lo == 0 and hi == 0 then return end
    local ids = {}
    flags64(lo, hi, function(i) table.insert(ids, 1, (seq - 1 - i) % 256) end)
    list(r, F.dropped, r.pos, ids)
  end

  -- core records the name of a core message.
  local function core(r, off, n)
    if r.bad or not off or n < 4 then return end
    local name = core8[le32(r, off)]
    if name then add(r, F.core_message, off, 0, name) end
  end

  -- tailIsSignature decides whether what is left of a SACK or HARD_DISCONNECT is its signature.
  local function tailIsSignature(r, L)
    if L.signing == "none" then return false end
    return left(r) == 8 or L.signing ~= nil and left(r) > 8
  end

  -- classify decides what stands between the masks and the payload.
  local function classify(command, control, n, L)
    local signed = L.signing == "fast" or L.signing == "full"
    if not has(control, 0x02) then return false, signed end
    if L.version then
      local alive = L.version >= 0x10005
      if alive and not L.signing then signed = n == 12 end
      return alive, signed
    end
    if not (has(command, 0x02) and has(command, 0x04) and has(command, 0x20)) then return false, signed end
    if signed then return n == 12, true end
    if L.signing == "none" then return n == 4, false end
    return n == 4 or n == 12, n == 12
  end

  local function part(r, i, start, p, last)
    local header = start + 2 * i
    open(r, F.payloads, header, 0)
    add(r, F.payloads_size, header, 1, p.size)
    add(r, F.payloads_command, header + 1, 1, p.command)
    local off = bytes(r, F.payloads_data, p.size)
    if has(p.command, 0x40) then core(r, off, p.size) end
    local pad = (4 - p.size % 4) % 4
    if pad > 0 and not last then bytes(r, F.payloads_padding, pad) end
    close(r)
  end

  local function coalesced(r)
    local start, parts = r.pos, {}
    while true do
      if left(r) < 2 or #parts == 32 then
        fail(r)
        break
      end
      local off = take(r, 2)
      local size, command = at(r, off), at(r, off + 1)
      parts[#parts + 1] = { command = command, size = size + div(command, 8) % 8 * 256 }
      if has(command, 0x01) then break end
    end
    if #parts % 2 == 1 and not r.bad then bytes(r, F.header_padding, 2) end
    for i, p in ipairs(parts) do
      if r.bad then -- its header still owns its bytes
        open(r, F.payloads, start + 2 * i - 2, 0)
        add(r, F.payloads_size, start + 2 * i - 2, 1, p.size)
        add(r, F.payloads_command, start + 2 * i - 1, 1, p.command)
        close(r)
      else
        part(r, i - 1, start, p, i == #parts)
      end
    end
    rest(r, F.trailing)
  end

  local function dframe(r, L)
    local command, control = u8(r, F.command_2), u8(r, F.control)
    local seq, nrcv = u8(r, F.seq), u8(r, F.nrcv)
    sacked(r, nrcv, mask64(r, F.sack_mask, has(control, 0x10), has(control, 0x20)))
    dropped(r, seq, mask64(r, F.send_mask, has(control, 0x40), has(control, 0x80)))
    local alive, signed = classify(command, control, left(r), L)
    if signed then bytes(r, F.signature, 8) end
    if alive then u32(r, F.session_id) end
    if has(control, 0x04) and not alive and (not L.version or L.version >= 0x10005) then
      coalesced(r)
      return
    end
    local off, n = rest(r, F.payload)
    if has(command, 0x40) then core(r, off, n) end
  end

  local function sack(r, L)
    local flags = u8(r, F.flags)
    u8(r, F.retry)
    local nseq, nrcv = u8(r, F.nseq), u8(r, F.nrcv)
    u16(r, F.padding)
    u32(r, F.timestamp)
    sacked(r, nrcv, mask64(r, F.sack_mask, has(flags, 0x02), has(flags, 0x04)))
    dropped(r, nseq, mask64(r, F.send_mask, has(flags, 0x08), has(flags, 0x10)))
    if tailIsSignature(r, L) then bytes(r, F.signature, 8) end
    rest(r, F.trailing)
  end

  local function handshake(r, op, L)
    u8(r, F.msg_id)
    u8(r, F.rsp_id)
    u32(r, F.version)
    u32(r, F.session_id)
    u32(r, F.timestamp)
    if op == 3 then
      bytes(r, F.connect_sig, 8)
      bytes(r, F.sender_secret, 8)
      bytes(r, F.receiver_secret, 8)
      u32(r, F.signing_opts)
      u32(r, F.echo_timestamp)
    elseif op == 4 and tailIsSignature(r, L) then
      bytes(r, F.signature, 8)
    end
    rest(r, F.trailing)
  end

  local commands = { "CONNECT", "CONNECTED", "CONNECTED_SIGNED", "HARD_DISCONNECT", nil, "SACK" }

  decoders.dp8 = function(r, L)
    if r.n == 0 then
      fail(r)
      return ""
    end
    local head = at(r, 0)
    if has(head, 0x01) then
      dframe(r, L)
      return "DFRAME"
    end
    if head ~= 0x80 and head ~= 0x88 then
      fail(r)
      return ""
    end
    u8(r, F.command)
    local op = u8(r, F.opcode)
    if r.bad then return "" end
    if op == 6 then
      sack(r, L)
    elseif commands[op] then
      handshake(r, op, L)
    else
      fail(r)
    end
    return commands[op] or ""
  end
end

-- Host enumeration of DirectPlay 8.
do
  local F = fields.dplhp

  -- guid reads a GUID and records it as text.
  local function guid(r, row, text)
    local off = bytes(r, row, 16)
    if not off then return end
    local b = { byte(r.s, off + 1, off + 16) }
    add(r, text, off, 0, format("{%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x}",
      b[4], b[3], b[2], b[1], b[6], b[5], b[8], b[7], b[9], b[10], b[11], b[12], b[13], b[14], b[15], b[16]))
  end

  local function utf8(c)
    if c < 0x80 then return string.char(c) end
    if c < 0x800 then return string.char(0xc0 + div(c, 64), 0x80 + c % 64) end
    if c < 0x10000 then return string.char(0xe0 + div(c, 4096), 0x80 + div(c, 64) % 64, 0x80 + c % 64) end
    return string.char(0xf0 + div(c, 262144), 0x80 + div(c, 4096) % 64, 0x80 + div(c, 64) % 64, 0x80 + c % 64)
  end

  -- text gives UTF-16 as UTF-8, up to its terminator.
  local function text(r, off, n)
    local parts, i = {}, 0
    while i + 2 <= n do
      local c = le16(r, off + i)
      i = i + 2
      if c == 0 then break end
      if c >= 0xd800 and c < 0xe000 then
        local low = i + 2 <= n and le16(r, off + i) or 0
        if c < 0xdc00 and low >= 0xdc00 and low < 0xe000 then
          c = 0x10000 + (c - 0xd800) * 1024 + low - 0xdc00
          i = i + 2
        else
          c = 0xfffd
        end
      end
      parts[#parts + 1] = utf8(c)
    end
    return table.concat(parts)
  end

  local function query(r)
    local kind = u8(r, F.query_type)
    if not r.bad and kind == 1 then
      guid(r, F.application_guid, F.application)
    elseif not r.bad and kind ~= 2 then
      fail(r)
    end
    rest(r, F.payload)
  end

  -- tail reads the parts in the order in which they stand, and what is between them.
  local function tail(r, parts)
    table.sort(parts, function(a, b)
      if a.offset ~= b.offset then return a.offset < b.offset end
      return a.place < b.place
    end)
    for _, p in ipairs(parts) do
      if p.size > 0 and not r.bad then
        local gap = p.offset + 4 - r.pos
        if gap < 0 or gap > left(r) then
          fail(r)
        elseif gap > 0 then
          open(r, F.gaps, r.pos, gap)
          bytes(r, F.gaps_data, gap)
          close(r)
        end
        local off = bytes(r, p.row, p.size)
        if off and p.row == F.session_name_bytes then
          add(r, F.session_name, off, 0, text(r, off, p.size))
        end
      end
    end
    rest(r, F.trailing)
  end

  local function response(r)
    local parts = {}
    local function announced(offset, size, row)
      local o = u32(r, offset)
      parts[#parts + 1] = { place = #parts, offset = o, size = u32(r, size), row = row }
    end
    announced(F.reply_offset, F.reply_size, F.reply)
    parts[1].place = 9 -- of those at one place it comes last
    local size = u32(r, F.desc_size)
    if not r.bad and size ~= 0x50 then fail(r) end
    u32(r, F.flags)
    u32(r, F.max_players)
    u32(r, F.current_players)
    announced(F.session_name_offset, F.session_name_size, F.session_name_bytes)
    announced(F.password_offset, F.password_size, F.password)
    announced(F.reserved_offset, F.reserved_size, F.reserved)
    announced(F.application_reserved_offset, F.application_reserved_size, F.application_reserved)
    guid(r, F.instance_guid, F.instance)
    guid(r, F.application_guid, F.application)
    tail(r, parts)
  end

  decoders.dplhp = function(r)
    if u8(r, F.lead) ~= 0 then fail(r) end
    local command = u8(r, F.command)
    if r.bad then return "" end
    if command ~= 2 and command ~= 3 then
      fail(r)
      return ""
    end
    u16(r, F.enum_payload)
    if command == 2 then
      query(r)
      return "ENUM_QUERY"
    end
    response(r)
    return "ENUM_RESPONSE"
  end
end

-- NAT path tests and the NAT resolver of DirectPlay 8.
do
  local F = fields.dplnat
  local names = { [5] = "PATH_TEST", [6] = "NAT_RESOLVER_QUERY", [7] = "NAT_RESOLVER_RESPONSE" }

  -- address is that of a response: masked byte by byte, with the source and the message's number.
  local function address(r)
    local ip = {}
    for i = 0, 3 do ip[i + 1] = xor8(at(r, 8 + i), at(r, 4 + i)) end
    local port = xor8(at(r, 12), at(r, 2)) * 256 + xor8(at(r, 13), at(r, 3))
    return format("%d.%d.%d.%d:%d", ip[1], ip[2], ip[3], ip[4], port)
  end

  decoders.dplnat = function(r)
    if u8(r, F.lead) ~= 0 then fail(r) end
    local command = u8(r, F.command)
    if not r.bad and not names[command] then fail(r) end
    u16(r, F.message_id)
    if command == 5 then
      bytes(r, F.key, 8)
    elseif command == 6 then
      u32(r, F.source_id)
      rest(r, F.data)
    elseif command == 7 then
      u32(r, F.source_id)
      bytes(r, F.masked_address, 4)
      bytes(r, F.masked_port, 2)
      if not r.bad then add(r, F.address, r.pos - 6, 0, address(r)) end
    end
    rest(r, F.trailing)
    return names[command] or ""
  end
end
