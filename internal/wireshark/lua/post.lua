-- The post-dissector: what the analysis says of a packet.
local okPost, post = pcall(Proto, "dpdissect", "dpdissect analysis")
if okPost then
  local A, experts = analysis, {}
  register(post, analysisDefs)

  local list = {}
  for _, e in ipairs(expertDefs) do
    local ok, info = pcall(ProtoExpert.new, e.name, e.label, expert.group[e.group], expert.severity[e.severity])
    if ok then
      experts[e.word] = { info = info, label = e.label }
      list[#list + 1] = info
    end
  end
  post.experts = list

  local function warn(item, key, text)
    local e = experts[key]
    if e then item:add_proto_expert_info(e.info, text or e.label) end
  end

  local function text(item, d, value)
    if value and value ~= "" then put(item, d, nil, unescape(value)) end
  end

  local function count(item, d, value, least)
    local n = number(value)
    if n and n >= least then put(item, d, nil, n) end
  end

  local function counts(item, d, value)
    for v in string.gmatch(value or "", "[^,]+") do count(item, d, v, 1) end
  end

  -- links adds the frames that a frame is about: by the numbers of this file.
  local function links(item, k)
    local here = k.frame and "here." or ""
    count(item, A.retry_of, k[here .. "retry_of"], 1)
    count(item, A.acked_in, k[here .. "acked_in"], 1)
    counts(item, A.acks, k[here .. "acks"])
    if k.frame then
      count(item, A.input_retry_of, k.retry_of, 1)
      count(item, A.input_acked_in, k.acked_in, 1)
      counts(item, A.input_acks, k.acks)
    end
    if k.ack_rtt_ms and #k.ack_rtt_ms < 24 and string.find(k.ack_rtt_ms, "^%d+%.?%d*$") then
      put(item, A.ack_rtt_ms, nil, tonumber(k.ack_rtt_ms))
    end
  end

  -- findings adds rules and their messages, which stand below the line for programs in order.
  local function findings(item, e)
    local severities = split(e.keys["note.severity"])
    for i, rule in ipairs(split(e.keys["note.rule"])) do
      local severity, message = severities[i] or "", e.messages[i] or ""
      put(item, A.rule, nil, rule)
      put(item, A.severity, nil, severity)
      message = string.gsub(message, "^%a+: ", "")
      local tail = " (" .. rule .. ")"
      if sub(message, -#tail) == tail then message = sub(message, 1, -#tail - 1) end
      warn(item, "finding." .. severity, rule .. ": " .. message)
    end
    for _, m in ipairs(e.messages) do put(item, A.message, nil, m) end
  end

  local function words(item, k)
    local at_ = nil
    if number(k["error.offset"]) then at_ = unescape(k["error.field"] or "") .. " at byte " .. k["error.offset"] end
    for _, w in ipairs(split(k.analysis)) do
      put(item, A.words, nil, w)
      warn(item, w, w == "malformed" and at_ or nil)
    end
  end

  local handle -- tells whether a field is asked for

  local function explain(tree, e)
    local k = e.keys
    local hidden = handle and not tree.visible and not tree:referenced(handle)
    if hidden and not k["note.rule"] and (not k.analysis or k.analysis == "ack") then return end -- no expert info either
    local item = tree:add(post)
    if hidden then
      words(item, k)
      findings(item, e)
      return
    end
    count(item, A.frame, k.frame, 1)
    count(item, A.connection, k.conn, 0)
    text(item, A.direction, k.dir)
    text(item, A.protocol, k.protocol)
    text(item, A.type, k.type)
    words(item, k)
    links(item, k)
    findings(item, e)
    text(item, A.error_field, k["error.field"])
    count(item, A.error_offset, k["error.offset"], 0)
    for _, d in ipairs(layoutDefs) do text(item, d, k[d.key]) end
  end

  -- missed shows a packet that a dissector of Wireshark's own took first.
  local function missed(pinfo, tree, entries)
    local p, payloads = namedIn(entries), { payloadField() }
    local range = p and #payloads > 0 and payloads[#payloads].range
    if not range then return end
    show(p, range:tvb(), pinfo, tree, entries)
    pinfo.conversation = p.proto
  end

  post.dissector = function(_, pinfo, tree)
    local taken = last == pinfo.number
    last = nil
    local entries = comment()
    if not entries then return end
    if not taken then missed(pinfo, tree, entries) end
    last = nil
    for _, e in ipairs(entries) do explain(tree, e) end
  end

  handle = Dissector.get("dpdissect")

  post:register_heuristic("udp", function(tvb, pinfo, tree)
    local entries = comment()
    local p = namedIn(entries)
    if not p or last == pinfo.number then return false end
    show(p, tvb, pinfo, tree, entries)
    return true
  end)
  register_postdissector(post)
end
