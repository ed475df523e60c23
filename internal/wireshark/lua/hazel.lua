-- Records of DTLS, as Hazel carries them.
local records
do
  local F = fields.hazel

  local function isVersion(v) return v == 0xfefd or v == 0xfeff or v == 0 end

  local function big24(r, off) return at(r, off) * 65536 + be16(r, off + 1) end

  local function some(r, row, n)
    if n > 0 then bytes(r, row, n) end
  end

  -- vectors takes a Hello apart without recording: what its parts are, nil when it is not one.
  local function vectors(r, kind, off, n)
    local stop, failed = off + n, false
    local function fixed(k)
      if failed or stop - off < k then
        failed = true
        return nil
      end
      off = off + k
      return off - k
    end
    local function vector(k)
      local at_, v = fixed(k), 0
      for i = 0, at_ and k - 1 or -1 do v = v * 256 + at(r, at_ + i) end
      fixed(v)
      return v
    end
    local h = { session = 0, cookie = 0, suites = 0 }
    if kind == 1 then
      fixed(34)
      h.session, h.cookie, h.suites = vector(1), vector(1), vector(2)
      vector(1)
    elseif kind == 3 then
      fixed(2)
      h.cookie = vector(1)
      failed = failed or off ~= stop
    elseif kind == 2 then
      fixed(34)
      h.session = vector(1)
      fixed(2)
      fixed(1)
    else
      return nil
    end
    return not failed and h or nil
  end

  local function hello(r, kind, h, stop)
    b16(r, kind == 1 and F.records_client_version or F.records_server_version)
    if kind ~= 3 then
      bytes(r, F.records_random, 32)
      u8(r, F.records_session_id_length)
      if h.session == 1 then
        u8(r, F.records_session_version)
      else
        some(r, F.records_session_id, h.session)
      end
    end
    if kind == 2 then
      b16(r, F.records_cipher_suite)
      bytes(r, F.records_compression_methods, 1)
    else
      u8(r, F.records_cookie_length)
      some(r, F.records_cookie, h.cookie)
    end
    if kind == 1 then
      b16(r, F.records_cipher_suites_length)
      some(r, F.records_cipher_suites, h.suites)
      some(r, F.records_compression_methods, u8(r, F.records_compression_methods_length))
    end
    some(r, F.records_extensions, stop - r.pos)
  end

  -- handshake records a handshake message that fills its record, and reports whether it is one.
  local function handshake(r, n)
    local off = r.pos
    if n < 12 then return false end
    local kind, length, from, size = at(r, off), big24(r, off + 1), big24(r, off + 6), big24(r, off + 9)
    if 12 + size ~= n or from + size > length then return false end
    local h = nil
    if from == 0 and size == length then h = vectors(r, kind, off + 12, size) end
    u8(r, F.records_handshake_type)
    big(r, F.records_handshake_length, 3)
    b16(r, F.records_message_seq)
    big(r, F.records_fragment_offset, 3)
    big(r, F.records_fragment_length, 3)
    if h then
      hello(r, kind, h, off + n)
    else
      some(r, F.records_data, size)
    end
    return true
  end

  -- carried names the message that a sealed record holds, by its size.
  local carried = { [16 + 1] = "DISCONNECT", [16 + 3] = "PING", [16 + 4] = "ACKNOWLEDGEMENT" }

  local function body(r, content, epoch, n)
    if content == 0x16 and epoch == 0 and handshake(r, n) then return end
    if content == 0x15 and epoch == 0 and n == 2 then
      u8(r, F.records_alert_level)
      u8(r, F.records_alert_description)
      return
    end
    some(r, F.records_data, n)
    if content == 0x17 and epoch > 0 and carried[n] then add(r, F.records_carries, r.pos, 0, carried[n]) end
  end

  local function record(r)
    local content = u8(r, F.records_content_type)
    if not r.bad and (content < 0x14 or content > 0x17) then fail(r) end
    local version = b16(r, F.records_version)
    if not r.bad and not isVersion(version) then fail(r) end
    local epoch = b16(r, F.records_epoch)
    big(r, F.records_sequence, 6)
    local n = b16(r, F.records_length)
    if not r.bad and left(r) >= n then
      body(r, content, epoch, n)
    elseif n > 0 then
      bytes(r, F.records_data, n)
    end
  end

  records = function(r)
    repeat
      open(r, F.records, r.pos, math.min(left(r), 13))
      record(r)
      close(r)
    until left(r) == 0
  end
end

-- Hazel.
do
  local F = fields.hazel
  local framed = { ["0.1"] = true, ack3 = true, current = true, fork36 = true, dtls = true }
  local games = { [1] = "net", [2] = "net", [5] = "net", [4] = "spawn", [6] = "client", [7] = "client" }

  -- packed gives a packed number at an offset and its length, 0 when it is not there.
  local function packed(r, off, n)
    local v, scale = 0, 1
    for i = 0, math.min(n, 5) - 1 do
      local b = at(r, off + i)
      v = v + b % 128 * scale
      if b < 128 then return v % 4294967296, i + 1 end
      scale = scale * 128
    end
    return 0, 0
  end

  -- nextMessage gives the length of the message at an offset, nil when it does not fit.
  local function nextMessage(r, off, n)
    if n < 3 then return nil end
    local length = le16(r, off)
    if 3 + length > n then return nil end
    return length
  end

  -- tiled reports whether messages fill n bytes exactly.
  local function tiled(r, off, n)
    local count = 0
    while n > 0 do
      local length = nextMessage(r, off, n)
      if not length or count == 512 then return false end
      count = count + 1
      off, n = off + 3 + length, n - 3 - length
    end
    return true
  end

  -- gameHead gives the length of what stands in front of the messages of a GameData or
  -- GameDataTo, nil when messages do not fill the rest.
  local function gameHead(r, tag, off, n)
    if n <= 4 or tag ~= 5 and tag ~= 6 then return nil end
    local head = 4
    if tag == 6 then
      local _, size = packed(r, off + 4, n - 4)
      if size == 0 then return nil end
      head = 4 + size
    end
    if head < n and tiled(r, off + head, n - head) then return head end
    return nil
  end

  local function named(r, row, tags, tag)
    local name = tags.names[tag]
    if name then add(r, row, r.pos, 0, name) end
  end

  -- gameIDs records the ids at the beginning of a game message.
  local function gameIDs(r, tag, off, n)
    local kind = games[tag]
    local v, size = packed(r, off, n)
    if not kind or size == 0 then return end
    if kind == "net" then
      add(r, F.messages_messages_net_id, off, 0, v)
      if tag == 2 and n > size then add(r, F.messages_messages_call_id, off + size, 0, at(r, off + size)) end
    elseif kind == "spawn" then
      add(r, F.messages_messages_spawn_id, off, 0, v)
      local w, more = packed(r, off + size, n - size)
      if more > 0 then add(r, F.messages_messages_client_id, off + size, 0, w) end
    else
      add(r, F.messages_messages_client_id, off, 0, v)
    end
  end

  local function game(r, tag, head, n)
    local shown, stop = 0, r.pos + n
    u32(r, F.messages_game_id)
    if tag == 6 then
      local v = packed(r, r.pos, head - 4)
      local off = take(r, head - 4)
      if off then add(r, F.messages_target_id, off, head - 4, v) end
    end
    while r.pos < stop and not r.bad do
      local size = le16(r, r.pos)
      open(r, F.messages_messages, r.pos, 3 + size)
      u16(r, F.messages_messages_length)
      local inner = u8(r, F.messages_messages_tag)
      named(r, F.messages_messages_name, F.messages_messages_tag, inner)
      gameIDs(r, inner, r.pos, size)
      if size > 0 then bytes(r, F.messages_messages_data, size) end
      close(r)
      shown = shown + 1
    end
    return shown
  end

  local function messages(r)
    local shown = 0
    while left(r) > 0 do
      local n = le16(r, r.pos)
      open(r, F.messages, r.pos, 3 + n)
      u16(r, F.messages_length)
      local tag = u8(r, F.messages_tag)
      named(r, F.messages_name, F.messages_tag, tag)
      local head = gameHead(r, tag, r.pos, n)
      if head and shown < 512 then
        shown = shown + game(r, tag, head, n)
      elseif n > 0 then
        bytes(r, F.messages_data, n)
      end
      close(r)
    end
  end

  local function payload(r, dialect)
    local n = left(r)
    if framed[dialect] and n > 0 and tiled(r, r.pos, n) then
      messages(r)
    else
      rest(r, F.data)
    end
  end

  local function acknowledgement(r)
    local id = b16(r, F.id)
    local known = not r.bad
    local recent = 0
    if left(r) > 0 then recent = u8(r, F.recent) end
    if known then
      local ids = { id }
      for i = 0, 7 do
        if recent % 2 == 1 then ids[#ids + 1] = (id - 1 - i) % 65536 end
        recent = div(recent, 2)
      end
      list(r, F.acked, 1, ids)
    end
    if left(r) > 0 then fail(r) end
  end

  local function disconnect(r)
    local off, n = rest(r, F.data)
    if n < 5 or not off or at(r, off) ~= 1 then return end
    local length = nextMessage(r, off + 1, n - 1)
    if length and length >= 1 and length == n - 4 then add(r, F.reason, 5, 0, at(r, off + 4)) end
  end

  local function mtuTest(r)
    b16(r, F.id)
    local n = left(r) - 2
    if n > 0 then bytes(r, F.padding, n) end
    u16(r, F.size)
  end

  local function v01(r, row)
    b16(r, F.message_id)
    b16(r, row)
    b16(r, F.id)
    rest(r, F.data)
  end

  local function plausible(r) return left(r) >= 6 and at(r, r.pos + 5) < at(r, r.pos + 4) end

  local function fork(r, dialect)
    if dialect == "current" and not plausible(r) then
      fail(r)
      return
    end
    b16(r, F.id)
    u16(r, F.message_id)
    local count, index = u8(r, F.fragment_count), u8(r, F.fragment_index)
    if not r.bad and index >= count then fail(r) end
    if index == 0 and left(r) > 0 then u8(r, F.send_option) end
    rest(r, F.data)
  end

  local function fragment(r, code, kind, dialect, guess)
    if code == 0x03 then
      b16(r, F.id)
      rest(r, F.data)
    elseif code ~= 0x0b and kind == "FRAGMENT" then
      rest(r, F.data)
    elseif kind == "FRAGMENT_START" then
      v01(r, F.fragment_count)
    elseif guess and left(r) < 6 then
      fail(r)
    elseif dialect == "fork36" or dialect == "current" then
      fork(r, dialect)
    elseif guess and plausible(r) and (be16(r, r.pos + 2) == 0 or be16(r, r.pos + 2) > 255) then
      fork(r, dialect)
    else
      v01(r, F.fragment_index)
    end
  end

  decoders.hazel = function(r, L, _, told)
    local guess = not L.dialect
    if r.n == 0 or told == "" and guess then -- the analysis knows of no type
      fail(r)
      return ""
    end
    local code = at(r, 0)
    local what = hazelTypes[code]
    what = what and what[L.dialect or ""]
    if not what then
      fail(r)
      return ""
    end
    local kind, dialect = what[1], what[2]
    if sub(kind, 1, 4) == "DTLS" then
      records(r)
      return kind
    end
    u8(r, code < 0x08 and F.type or code < 0x10 and F.type_2 or F.type_3)
    if kind == "NONE" then
      payload(r, dialect)
    elseif kind == "RELIABLE" then
      b16(r, F.id)
      payload(r, dialect)
    elseif kind == "HELLO" then
      b16(r, F.id)
      if left(r) > 0 then u8(r, F.version) end
      rest(r, F.data)
    elseif kind == "DISCONNECT" then
      disconnect(r)
    elseif kind == "ACKNOWLEDGEMENT" then
      acknowledgement(r)
    elseif kind == "PING" then
      b16(r, F.id)
      rest(r, F.trailing)
    elseif kind == "MTU_TEST" then
      mtuTest(r)
    else
      fragment(r, code, kind, dialect, guess)
    end
    return kind
  end
end

-- Announcements of games in the local network.
do
  local F = fields["hazel-lan"]

  decoders["hazel-lan"] = function(r)
    if b16(r, F.magic) ~= 0x0402 then fail(r) end
    rest(r, F.text)
    return "ANNOUNCEMENT"
  end
end
