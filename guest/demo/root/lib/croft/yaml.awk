# YAML (the part of it that cloud-init documents use) to shell variables.
#   awk -v prefix=ud -f yaml.awk FILE     prints assignments that are safe to eval
# Maps:   {a: {b-c: x}}   ud__keys='a'  ud_a__keys='b-c'  ud_a_b_c='x'
# Lists:  {a: [x, y]}     ud_a__n='2'   ud_a_0='x'        ud_a_1='y'
# Understands block and flow maps and lists, plain, quoted, literal (|) and folded (>) text,
# comments. Not anchors, aliases, complex keys, several documents. JSON is flow YAML.
# On text it does not understand it prints ud__error='line N: ...' and stops.

{ sub(/\r$/, ""); line[NR] = $0 }
END {
  count = NR; pos = 1; failed = 0
  if (seek()) parse(prefix, -1)
  if (!failed && seek()) fail("unexpected indentation")
  if (failed) exit 1
}

function fail(why) {
  if (!failed) print prefix "__error=" quote("line " pos ": " why)
  failed = 1; pos = count + 1
}
function quote(s) { gsub(/'/, "'\\''", s); return "'" s "'" }
function name(s) { gsub(/[^A-Za-z0-9_]/, "_", s); return s }
function set(path, value) { print name(path) "=" quote(value) }
function indent(s) { match(s, /^ */); return RLENGTH }
function trim(s) { sub(/^[ \t]+/, "", s); sub(/[ \t]+$/, "", s); return s }

# Go to the next line that says something; false at the end.
function seek() {
  while (pos <= count) {
    if (line[pos] ~ /^\t/) { fail("tab used as indentation"); return 0 }
    if (line[pos] ~ /^\.\.\.[ \t]*$/) { pos = count + 1; return 0 }
    if (line[pos] !~ /^[ \t]*(#|$)/ && line[pos] !~ /^(---|%YAML.*|%TAG.*)[ \t]*(#.*)?$/) return 1
    pos++
  }
  return 0
}

# The node at pos, indented deeper than `outer`.
function parse(path, outer,   ind, text) {
  ind = indent(line[pos]); text = substr(line[pos], ind + 1)
  if (text ~ /^-([ \t]|$)/) list(path, ind)
  else if (key_end(text)) map(path, ind)
  else { line[pos] = ""; value(path, text, outer) }
}

# Where the colon after a key stands, 0 if the line is no "key: value".
function key_end(s,   i, c) {
  c = substr(s, 1, 1)
  if (c == "\"" || c == "'") {
    i = close_quote(s, 1)
    if (!i || substr(s, i + 1) !~ /^[ \t]*:([ \t]|$)/) return 0
    return i + index(substr(s, i + 1), ":")
  }
  if (index("[{&*!|>%@`#", c)) return 0
  for (i = 1; i <= length(s); i++) {
    c = substr(s, i, 1)
    if (c == ":" && substr(s, i + 1, 1) ~ /^[ \t]?$/) return i
    if (c == "#" && i > 1 && substr(s, i - 1, 1) ~ /[ \t]/) return 0
  }
  return 0
}

function map(path, ind,   text, end, key, keys, i) {
  while (seek() && indent(line[pos]) == ind) {
    text = substr(line[pos], ind + 1); end = key_end(text)
    if (!end) { fail("expected \"key: value\""); break }
    key = trim(substr(text, 1, end - 1))
    if (key ~ /^["']/) key = unquote(key)
    keys = keys (keys == "" ? "" : " ") key
    text = trim(substr(text, end + 1))
    if (text ~ /^#/) text = ""
    line[pos] = ""
    if (text != "") value(path "_" key, text, ind)
    else if (seek() && indent(line[pos]) > ind) parse(path "_" key, ind)
    # A list may stand as far left as its key.
    else if (pos <= count && indent(line[pos]) == ind && substr(line[pos], ind + 1) ~ /^-([ \t]|$)/) list(path "_" key, ind)
    else set(path "_" key, "")
  }
  if (seek() && indent(line[pos]) > ind) fail("unexpected indentation")
  if (!failed) set(path "__keys", keys)
}

function list(path, ind,   n, text, rest) {
  n = 0
  while (seek() && indent(line[pos]) == ind && substr(line[pos], ind + 1) ~ /^-([ \t]|$)/) {
    text = substr(line[pos], ind + 2); rest = trim(text)
    if (rest == "" || rest ~ /^#/) {
      line[pos] = ""
      if (seek() && indent(line[pos]) > ind) parse(path "_" n, ind)
      else set(path "_" n, "")
    } else {
      # The dash is only indentation to what follows it.
      line[pos] = substr(line[pos], 1, ind) " " text
      parse(path "_" n, ind)
    }
    n++
  }
  if (seek() && indent(line[pos]) > ind) fail("unexpected indentation")
  if (!failed) set(path "__n", n)
}

# A value that starts with `text` on line pos (blanked by the caller), under a node at `outer`.
function value(path, text, outer,   first, skipped) {
  sub(/^!![a-z]+[ \t]*/, "", text)
  first = substr(text, 1, 1)
  if (first == "|" || first == ">") set(path, block(text, outer))
  else if (first == "[" || first == "{") flow_value(path, text)
  else if (first == "&" || first == "*") fail("anchors and aliases are not supported")
  else if (first == "\"" || first == "'") {
    while (!close_quote(text, 1) && pos < count) text = go_on(text)
    if (!close_quote(text, 1)) { fail("quote is not closed"); return }
    if (trim(uncomment(substr(text, close_quote(text, 1) + 1))) != "") { fail("text after a closing quote"); return }
    set(path, unquote(substr(text, 1, close_quote(text, 1)))); pos++
  } else {
    text = uncomment(text); pos++
    # Plain text goes on over deeper lines.
    for (skipped = pos; seek() && indent(line[pos]) > outer; skipped = pos)
      text = text breaks(pos - skipped) uncomment(line[pos++])
    if (key_end(text)) { pos--; fail("a second \": \" in one value; quote it"); return }
    set(path, text == "~" || text == "null" ? "" : text)
  }
}

# What stands between two lines of one text: a blank, or as many line ends as lines were empty.
function breaks(empty,   s) { s = empty ? "" : " "; while (empty-- > 0) s = s "\n"; return s }
# Quoted text and the line it goes on with. A backslash at the end hides the line end.
function go_on(text,   next_text, empty) {
  empty = 0
  while (pos < count && (next_text = trim(line[++pos])) == "") empty++
  if (match(text, /\\+$/) && RLENGTH % 2) return substr(text, 1, length(text) - 1) next_text
  sub(/[ \t]+$/, "", text)
  return text breaks(empty) next_text
}

function uncomment(s) { if (match(s, /(^|[ \t])#/)) s = substr(s, 1, RSTART - 1); return trim(s) }

function block(head, outer,   fold, chomp, ind, out, s, blank, last) {
  fold = head ~ /^>/; head = uncomment(head)
  chomp = head ~ /-/ ? "-" : head ~ /\+/ ? "+" : ""
  ind = match(head, /[1-9]/) ? (outer < 0 ? 0 : outer) + substr(head, RSTART, 1) : 0
  out = ""; blank = ""; last = ""
  for (pos++; pos <= count; pos++) {
    s = line[pos]
    if (s ~ /^[ ]*$/ && (!ind || length(s) <= ind)) { blank = blank "\n"; continue }
    if (!ind) { ind = indent(s); if (ind <= outer) break }
    if (indent(s) < ind) break
    s = substr(s, ind + 1)
    if (!fold) out = out blank s "\n"
    else if (out == "") out = blank s
    else if (s ~ /^[ \t]/ || last ~ /^[ \t]/) out = out "\n" blank s
    else out = out (blank == "" ? " " : blank) s
    blank = ""; last = s
  }
  if (fold && out != "") out = out "\n"
  if (chomp == "+") out = out blank
  else if (chomp == "-") sub(/\n$/, "", out)
  return out
}

# Position of the quote that closes the one at i, 0 if there is none.
function close_quote(s, i,   q, c) {
  q = substr(s, i, 1)
  for (i++; i <= length(s); i++) {
    c = substr(s, i, 1)
    if (q == "\"" && c == "\\") i++
    else if (c == q && q == "'" && substr(s, i + 1, 1) == q) i++
    else if (c == q) return i
  }
  return 0
}

function unquote(s,   q, out, i, c) {
  q = substr(s, 1, 1); s = substr(s, 2, length(s) - 2)
  if (q == "'") { gsub(/''/, "'", s); return s }
  out = ""
  for (i = 1; i <= length(s); i++) {
    c = substr(s, i, 1)
    if (c != "\\") { out = out c; continue }
    c = substr(s, ++i, 1)
    if (c == "n") out = out "\n"
    else if (c == "t") out = out "\t"
    else if (c == "r") out = out "\r"
    else if (c == "0") out = out ""
    else if (c == "e") out = out "\033"
    else if (c == "x") { out = out utf8(hex(substr(s, i + 1, 2))); i += 2 }
    else if (c == "u") { out = out utf8(hex(substr(s, i + 1, 4))); i += 4 }
    else out = out c
  }
  return out
}
function hex(s,   i, n) {
  n = 0; s = tolower(s)
  for (i = 1; i <= length(s); i++) n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
  return n
}
function utf8(n) {
  if (n < 128) return sprintf("%c", n)
  if (n < 2048) return sprintf("%c%c", 192 + int(n / 64), 128 + n % 64)
  return sprintf("%c%c%c", 224 + int(n / 4096), 128 + int(n / 64) % 64, 128 + n % 64)
}

# Flow style may run over several lines: join until the brackets balance.
function flow_value(path, text) {
  while (!balanced(text) && pos < count) text = open_quote ? go_on(text) : flow_uncomment(text) " " trim(line[++pos])
  if (!balanced(text)) { fail("bracket is not closed"); return }
  flow_text = text; flow_at = 1
  flow(path)
  if (!failed && trim(uncomment(substr(flow_text, flow_at))) != "") fail("text after a closing bracket")
  pos++
}
# Whether a quoted text starts at i: in flow style only where a new item may; "it's" is plain.
function quote_at(s, i,   before) {
  if (substr(s, i, 1) !~ /^["']$/) return 0
  before = substr(s, 1, i - 1); sub(/[ \t]+$/, "", before)
  return before ~ /[[{,:]$/
}
# Where in flow text a comment starts (find_comment), or where its brackets end; 0 for nowhere.
function scan(s, find_comment,   i, c, depth) {
  depth = 0; open_quote = 0
  for (i = 1; i <= length(s); i++) {
    c = substr(s, i, 1)
    if (quote_at(s, i)) { i = close_quote(s, i); if (!i) { open_quote = 1; return 0 } }
    else if (c == "#" && substr(s, i - 1, 1) ~ /^[ \t]$/) return find_comment ? i : 0
    else if (c == "[" || c == "{") depth++
    else if ((c == "]" || c == "}") && --depth == 0 && !find_comment) return i
  }
  return 0
}
function balanced(s) { return scan(s, 0) }
function flow_uncomment(s,   i) { i = scan(s, 1); return i ? trim(substr(s, 1, i - 1)) : s }
function flow_space() { while (substr(flow_text, flow_at, 1) ~ /^[ \t]$/) flow_at++ }
function flow_scalar(stop,   start, end) {
  flow_space(); start = flow_at
  if (substr(flow_text, start, 1) ~ /^["']$/) {
    end = close_quote(flow_text, start); flow_at = end + 1
    return unquote(substr(flow_text, start, end - start + 1))
  }
  while (flow_at <= length(flow_text) && !index(stop, substr(flow_text, flow_at, 1))) {
    # Inside a map a colon ends the key only where a blank follows.
    if (substr(flow_text, flow_at, 2) ~ /^:[ \t]?$/ && index(stop, ",") && stop_colon) break
    flow_at++
  }
  return trim(substr(flow_text, start, flow_at - start))
}
function flow(path,   open, n, key, keys, scalar) {
  if (failed) return
  flow_space(); open = substr(flow_text, flow_at, 1)
  if (open != "[" && open != "{") {
    stop_colon = 0; scalar = flow_scalar(",]}")
    set(path, scalar == "null" || scalar == "~" ? "" : scalar)
    return
  }
  flow_at++; n = 0; keys = ""
  for (;;) {
    flow_space()
    if (flow_at > length(flow_text)) { fail("bracket is not closed"); return }
    if (substr(flow_text, flow_at, 1) == (open == "[" ? "]" : "}")) { flow_at++; break }
    if (open == "[") flow(path "_" n)
    else {
      stop_colon = 1; key = flow_scalar(",]}"); flow_space()
      keys = keys (n ? " " : "") key
      if (substr(flow_text, flow_at, 1) == ":") { flow_at++; flow(path "_" key) }
      else set(path "_" key, "")
    }
    if (failed) return
    n++; flow_space()
    if (substr(flow_text, flow_at, 1) == ",") flow_at++
    else if (substr(flow_text, flow_at, 1) !~ /^[]}]$/) { fail("comma expected"); return }
  }
  if (open == "[") set(path "__n", n)
  else set(path "__keys", keys)
}
