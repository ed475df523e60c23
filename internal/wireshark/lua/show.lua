-- Fields and trees.
local protocols, protofields = {}, {}
local last -- number of the packet that was shown latest, nil once the post-dissector saw it

local constructors = {
  FT_BYTES = function(d) return ProtoField.bytes(d.name, d.label, base.NONE, d.doc) end,
  FT_STRING = function(d) return ProtoField.string(d.name, d.label, base.NONE, d.doc) end,
  FT_DOUBLE = function(d) return ProtoField.double(d.name, d.label, d.doc) end,
  FT_FRAMENUM = function(d) return ProtoField.framenum(d.name, d.label, base.NONE, frametype[d.base], 0, d.doc) end,
  FT_BOOLEAN = function(d)
    return ProtoField.bool(d.name, d.label, d.mask and d.base or base.NONE, nil, d.mask or 0, d.doc)
  end,
}
for _, kind in ipairs({ "8", "16", "24", "32", "64" }) do
  constructors["FT_UINT" .. kind] = function(d)
    return ProtoField["uint" .. kind](d.name, d.label, base[d.base], d.names, 0, d.doc)
  end
end

-- register makes the fields of a protocol. What another plugin has is left out.
local function register(proto, defs)
  local list = {}
  for _, d in ipairs(defs) do
    local ok, field = pcall(constructors[d.kind], d)
    if ok then
      protofields[d] = field
      list[#list + 1] = field
    end
  end
  proto.fields = list
end

-- worth gives a value as Wireshark takes it for a definition.
local function worth(d, value)
  if d.kind == "FT_UINT64" then
    if type(value) == "table" then return UInt64(value[1], value[2]) end
    return UInt64(value % 4294967296, div(value, 4294967296))
  end
  if d.version then return format("%d.%d", div(value, 65536), value % 65536) end
  return value
end

-- put adds a value to a tree where somebody wants it, with its range where it has one.
local function put(tree, d, range, value)
  local field = protofields[d]
  if not field or not (tree.visible or tree:referenced(field)) then return tree end
  if not range then return tree:add(field, worth(d, value)) end
  if value == false and d.kind == "FT_BYTES" then return tree:add(field, range) end
  return tree:add(field, range, worth(d, value))
end

local function putFlags(tree, row, range)
  for _, d in ipairs(row.bits) do
    local field = protofields[d]
    if field and (tree.visible or tree:referenced(field)) then tree:add_le(field, range) end
  end
end

-- plant adds the nodes of a reader to a tree; from is where its bytes begin in the buffer.
local function plant(tree, tvb, r, from)
  local nodes, parents = r.nodes, { [0] = tree }
  for i = 1, r.count, 5 do
    local row, len, depth, value = nodes[i], nodes[i + 2], nodes[i + 3], nodes[i + 4]
    local parent, d = parents[depth], row.def
    local range = len > 0 and tvb(from + nodes[i + 1], len) or nil
    if not d then
      parents[depth + 1] = parent
      if parent.visible then parents[depth + 1] = range and parent:add(range, row.label) or parent:add(tvb(from + nodes[i + 1], 0), row.label) end
    elseif d.kind == "FT_BYTES" then
      put(parent, d, range or tvb(from + nodes[i + 1], 0), value)
    elseif row.list then
      for _, v in ipairs(value) do put(parent, d, nil, v) end
    else
      local item = put(parent, d, range, value)
      if row.bits and range then putFlags(item, row, range) end
    end
  end
  if r.bad and tree.visible and r.pos < r.n then tree:add(tvb(from + r.pos, r.n - r.pos), "Undecoded") end
end

-- summary is the type and the numbers of a frame.
local function summary(kind, r)
  local parts = { kind }
  for i = 1, r.count, 5 do
    local row = r.nodes[i]
    if r.nodes[i + 3] == 0 and row.counts then parts[#parts + 1] = row.key .. "=" .. format("%d", r.nodes[i + 4]) end
  end
  return table.concat(parts, " ")
end

-- marksOf are the marks of a frame, as decode shows them in front of its summary.
local function marksOf(keys)
  local text, seen = "", {}
  for _, word in ipairs(split(keys.analysis)) do text = text .. (marks[word] or "") end
  for _, rule in ipairs(split(keys["note.rule"])) do
    if not seen[rule] then text = text .. "[" .. rule .. "] " end
    seen[rule] = true
  end
  return text
end

-- showOne shows a datagram: of its entry in the comment, or as the preferences say.
local function showOne(p, tvb, tree, from, size, length, keys)
  local r = reader(size > 0 and tvb:raw(from, size) or "")
  local layout, told = nil, nil
  if keys then
    layout, told = layoutOf(keys), keys.type and unescape(keys.type) or ""
  else
    layout = p.layout()
  end
  local kind = decoders[p.name](r, layout, length, told)
  local text = summary(told or kind, r)
  if tree.visible or not p.handle or tree:referenced(p.handle) then
    local item = tree:add(p.proto, tvb(from, size))
    plant(item, tvb, r, from)
    item:append_text(" " .. text)
  end
  if not keys then return text end
  text = marksOf(keys) .. text
  if keys["error.offset"] then text = text .. " [Malformed: " .. unescape(keys["error.field"] or "") .. " at byte " .. keys["error.offset"] .. "]" end
  return text
end

-- show shows a packet as a protocol; entries are those of its comment, nil where it has none.
local function show(p, tvb, pinfo, tree, entries)
  local from, captured = 0, tvb:len()
  local parts = {}
  if not entries then
    parts[1] = showOne(p, tvb, tree, 0, captured, tvb:reported_len(), nil)
  end
  for i, e in ipairs(entries or {}) do
    local length = number(e.keys.length)
    local one = protocols[e.keys.protocol or ""]
    if i > 1 and not length or not one then break end
    local size = math.min(length or captured, captured - from)
    if size < 0 then break end
    parts[i] = showOne(one, tvb, tree, from, size, length or tvb:reported_len(), e.keys)
    from = from + size
    if not length then break end
  end
  pinfo.cols.protocol = p.column
  pinfo.cols.info = table.concat(parts, "; ")
  last = pinfo.number
end

local commentField, payloadField = Field.new("frame.comment"), Field.new("udp.payload")

-- comment gives the entries of the packet's comment, nil where it has none.
local function comment()
  local all = { commentField() }
  for i = #all, 1, -1 do
    local text = all[i].value
    if type(text) == "string" and sub(text, 1, 5) == "dpd1 " then return parse(text) end
  end
  return nil
end

-- namedIn is the protocol that the last line of a comment names, nil when it is none of these.
local function namedIn(entries)
  local e = entries and entries[#entries]
  return e and protocols[e.keys.protocol or ""]
end
