-- kNet over UDP. Numbers have varying lengths: a set top bit says that more follows.
do
  local F = fields.knet

  -- vle15 is 7 bits, or 7 and 8.
  local function vle15(r, row)
    local n = 1
    if left(r) > 0 and at(r, r.pos) >= 0x80 then n = 2 end
    local off = take(r, n)
    if not off then return 0 end
    local v = at(r, off)
    if n == 2 then v = v % 128 + at(r, off + 1) * 128 end
    add(r, row, off, n, v)
    return v
  end

  -- size30 is how many bytes the number has that begins here, as far as n bytes tell.
  local function size30(r, n)
    if n == 0 or at(r, r.pos) < 0x80 then return 1 end
    if n == 1 or at(r, r.pos + 1) < 0x80 then return 2 end
    return 4
  end

  -- vle30 is 7 bits, 7 and 7, or 7, 7 and 16.
  local function vle30(r, row)
    local n = size30(r, left(r))
    local off = take(r, n)
    if not off then return 0 end
    local v = at(r, off) % 128
    if n >= 2 then v = v + at(r, off + 1) % 128 * 128 end
    if n == 4 then v = v + at(r, off + 2) * 16384 + at(r, off + 3) * 4194304 end
    add(r, row, off, n, v)
    return v
  end

  -- vle31 is 15 bits, or 15 and 16.
  local function vle31(r, row)
    local n = 2
    if left(r) >= 2 and at(r, r.pos + 1) >= 0x80 then n = 4 end
    local off = take(r, n)
    if not off then return 0 end
    local v = le16(r, off) % 32768
    if n == 4 then v = v + le16(r, off + 2) * 32768 end
    add(r, row, off, n, v)
    return v
  end

  -- dependencies reads both arrays; all deltas stand before all indexes, and are shown in pairs.
  local function dependencies(r, d)
    local from = r.pos
    local n = u8(r, F.in_order_delta_count)
    local start = r.count
    local deltas, indexes = {}, {}
    local function number(into)
      local off = r.pos
      local v = vle15(r, F.dependencies_delta)
      if not r.bad then into[#into + 1] = { off = off, len = r.pos - off, v = v } end
      return not r.bad
    end
    for _ = 1, n do
      if not number(deltas) then break end
    end
    for _ = 1, #deltas do
      if not number(indexes) then break end
    end
    r.count = start
    local ids = {}
    for i, x in ipairs(deltas) do
      local packet = (d.id - x.v - 1) % 4194304
      ids[i] = packet
      open(r, F.dependencies, x.off, 0)
      add(r, F.dependencies_delta, x.off, x.len, x.v)
      add(r, F.dependencies_packet_id, x.off, 0, packet)
      local y = indexes[i]
      if y then add(r, F.dependencies_message_index, y.off, y.len, y.v) end
      close(r)
      d.depends[i] = { packet = packet, index = y and y.v or 0 }
    end
    if not r.bad and n > 0 then list(r, F.depends_on, from, ids) end
  end

  -- order reads the indexes of a message of spec, and records what it depends on.
  local function order(r, d, code)
    local from, at_ = r.pos, {}
    if code >= 1 and code <= 5 then
      at_[1] = code
    elseif code == 6 then
      at_[1] = u8(r, F.messages_in_order_index) + 1
    elseif code == 7 then
      local n = u8(r, F.messages_in_order_index_count)
      local off = n > 0 and bytes(r, F.messages_in_order_indexes, n)
      for i = 1, off and n or 0 do at_[i] = at(r, off + i - 1) + 1 end
    end
    if r.bad or code == 0 then return end
    local packets, messages = {}, {}
    for _, i in ipairs(at_) do
      local x = d.depends[i]
      if x then
        packets[#packets + 1] = x.packet
        messages[#messages + 1] = x.index
      end
    end
    list(r, F.messages_depends_on, from, packets)
    list(r, F.messages_depends_on_messages, from, messages)
  end

  local function fragment(r, d, start)
    if start then
      local count = vle30(r, F.messages_fragment_count)
      u8(r, F.messages_transfer_id)
      if not r.bad and not d.spec and count < 2 then fail(r) end
      return
    end
    u8(r, F.messages_transfer_id)
    vle30(r, F.messages_fragment_number)
  end

  -- kinds that messages may be, from the lowest id on, and the size of their bodies.
  local low = { "PingRequest", "PingReply", "FlowControlRequest", "PacketAck" }
  local size = { PingRequest = 1, PingReply = 1, FlowControlRequest = 2, PacketAck = 7 }
  local high = { [0x3fffffff] = "Disconnect", [0x3ffffffe] = "DisconnectAck" }
  local handshake = { [0x3ffffffd] = "ConnectSyn", [0x3ffffffc] = "ConnectSynAck", [0x3ffffffb] = "ConnectAck" }

  -- kindOf says what an id means, nil where it is the application's.
  local function kindOf(id, n, L, spec)
    if id > 4 then return high[id] or spec and handshake[id] or nil end
    local zero, one = low[id + 1], low[id]
    if L.ids == "0" then return zero end
    if L.ids == "1" then return one end
    local fitsZero = zero and size[zero] == n
    local fitsOne = one and size[one] == n
    if fitsOne and not (fitsZero and spec) then return one end
    return fitsZero and zero or nil
  end

  -- packetAck reads the body of one: a PacketID, and a bit for each of those after it.
  local function packetAck(r, L, spec)
    local off = take(r, 7)
    if not off then return end
    local id, seq = le16(r, off) + at(r, off + 2) * 65536, le32(r, off + 3)
    local lo, hi = seq, 0
    if spec then
      local extra = div(id, 4194304)
      id = id % 4194304
      if L.ack_bits == "word-first" then
        hi = extra
      else
        lo, hi = seq % 1073741824 * 4 + extra, div(seq, 1073741824)
      end
    end
    add(r, F.messages_ack_packet_id, off, 3, id)
    add(r, F.messages_ack_bits, off + 3, 4, { lo, hi })
    local ids = {}
    if id < 4194304 then ids[1] = id end
    for i = 0, 33 do
      if i == 32 then lo = hi end
      if lo % 2 == 1 then ids[#ids + 1] = (id + 1 + i) % 4194304 end
      lo = div(lo, 2)
    end
    list(r, F.messages_acked, off, ids)
  end

  local function body(r, n, kind, L, spec)
    if kind and size[kind] == n then
      if kind == "PacketAck" then
        packetAck(r, L, spec)
      elseif kind == "FlowControlRequest" then
        u16(r, F.messages_rate)
      else
        u8(r, F.messages_ping_id)
      end
    elseif kind == "PacketAck" then
      fail(r)
    elseif n > 0 then
      bytes(r, F.messages_data, n)
    end
  end

  local function content(r, d, m, L)
    if r.bad then return end
    local n, kind = m.length, nil
    if m.start or not m.fragment then
      if n == 0 or n < size30(r, math.min(n, 2, left(r))) then
        fail(r)
        return
      end
      local off = r.pos
      local id = vle30(r, F.messages_id)
      if r.bad then return end
      n = n - (r.pos - off)
      if not m.fragment then kind = kindOf(id, n, L, d.spec) end
      if kind then add(r, F.messages_name, r.pos, 0, kind) end
    elseif n == 0 and not d.spec then
      fail(r)
      return
    end
    body(r, n, kind, L, d.spec)
  end

  local function message(r, d, L)
    open(r, F.messages, r.pos, 0)
    local off = take(r, 2)
    if off then
      local u = le16(r, off)
      local m = { length = u % 2048, start = has(u, 0x8000), fragment = u >= 0x4000, reliable = has(u, 0x1000) }
      add(r, F.messages_length, off, 2, m.length)
      add(r, F.messages_fragment_start, off + 1, 0, m.start)
      add(r, F.messages_fragment, off + 1, 0, has(u, 0x4000))
      if d.spec then
        local code = div(u, 2048) % 8
        add(r, F.messages_in_order_code, off + 1, 0, code)
        order(r, d, code)
      else
        add(r, F.messages_in_order, off + 1, 0, has(u, 0x2000))
        add(r, F.messages_reliable, off + 1, 0, m.reliable)
        if has(u, 0x0800) then add(r, F.messages_unused_bit, off + 1, 0, true) end
        if m.reliable then
          local from = r.pos
          local delta = vle15(r, F.messages_reliable_delta)
          if not r.bad then add(r, F.messages_reliable_number, from, 0, (d.base + delta) % 2147483648) end
        end
      end
      if m.fragment then fragment(r, d, m.start) end
      content(r, d, m, L)
    end
    close(r)
  end

  local function isConnect(r)
    return r.n > 0 and r.n <= 8 and not string.find(r.s, "[^\0]")
  end

  decoders["knet"] = function(r, L, _, kind)
    if kind == "CONNECT" or not kind and L.dialect ~= "spec" and isConnect(r) then
      rest(r, F.connect_data)
      return "CONNECT"
    end
    local d = { spec = L.dialect == "spec", depends = {}, base = 0 }
    local off = take(r, 3)
    if not off then return "DATAGRAM" end
    local flags
    if d.spec then
      flags = at(r, off + 2)
      d.id = le16(r, off) + flags % 64 * 65536
    else
      flags = at(r, off)
      d.id = flags % 64 + le16(r, off + 1) * 64
    end
    add(r, F.packet_id, 0, 3, d.id)
    add(r, F.in_order, 0, 0, has(flags, 0x80))
    add(r, F.reliable, 0, 0, has(flags, 0x40))
    if d.spec and has(flags, 0x80) then
      dependencies(r, d)
    elseif not d.spec and has(flags, 0x40) then
      d.base = vle31(r, F.reliable_base)
    end
    while left(r) > 0 do message(r, d, L) end
    return "DATAGRAM"
  end
end
