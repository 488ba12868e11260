#!/bin/sh
# Try the demo guest's YAML reader on this machine's awk: what each document is to become.
set -u
reader=$(dirname "$0")/demo/root/lib/croft/yaml.awk
failed=0

# becomes DOCUMENT VARIABLE VALUE [VARIABLE VALUE...]
becomes() {
  assignments=$(printf '%s\n' "$1" | awk -v prefix=d -f "$reader")
  document=$1
  shift
  while [ $# -gt 0 ]; do
    value=$(eval "$assignments"; eval "printf '%s.' \"\${$1-unset}\"")
    if [ "$value" != "$2." ]; then
      printf 'FAILED: %s is "%s", not "%s", in\n%s\n' "$1" "${value%.}" "$2" "$document"
      failed=1
    fi
    shift 2
  done
}

becomes 'a: plain # comment' d_a plain d__keys a
becomes 'a: x#y:z' d_a 'x#y:z'
becomes "a: it's \$(date) \`id\` \"q\"" d_a "it's \$(date) \`id\` \"q\""
becomes "a: 'it''s: # no comment'" d_a "it's: # no comment"
becomes 'a: "tab\there \"q\" \u00e9 \x41"' d_a "$(printf 'tab\there "q" \303\251 A')"
becomes 'a: one
  two' d_a 'one two'
becomes 'a: ~
b:
c: null' d_a '' d_b '' d_c '' d__keys 'a b c'
becomes 'local-hostname: x
"quoted key": y' d_local_hostname x d_quoted_key y d__keys 'local-hostname quoted key'
becomes 'a:
- one
-   b: 1
    c: 2
- - x
  - y
-' d_a__n 4 d_a_0 one d_a_1_b 1 d_a_1_c 2 d_a_2__n 2 d_a_2_1 y d_a_3 ''
becomes 'a:
    - deep
b: {c: [1, "x,y", {d: e}], f: http://g/h}' d_a_0 deep d_b_c__n 3 d_b_c_1 'x,y' d_b_c_2_d e d_b_f http://g/h
becomes 'a: [one,  # comment
  two]
b: []' d_a__n 2 d_a_1 two d_b__n 0
becomes '{"instance-id":"i","public-keys":{"0":"ssh-rsa A b"}}' d_instance_id i d_public_keys__keys 0 d_public_keys_0 'ssh-rsa A b'
becomes 'a: |
  first: line
    second # kept

  last
b: x' d_a 'first: line
  second # kept

last
' d_b x
becomes 'a: |-
  x
b: >
  folded
  text

  para
c: |+
  x

d: y' d_a x d_b 'folded text
para
' d_c 'x

' d_d y
becomes "$(printf 'a: b\r\nc:\r\n  d: e\r')" d_a b d_c_d e
becomes '---
a: b
...' d_a b

# What is not understood is said, with the line.
becomes 'a: b: c' d__error 'line 1: a second ": " in one value; quote it'
becomes 'a: [1, 2' d__error 'line 1: bracket is not closed'
becomes "$(printf 'a:\n\t- x')" d__error 'line 2: tab used as indentation'
becomes 'a: "x' d__error 'line 1: quote is not closed'
becomes 'a: b
word
c: d' d__error 'line 2: expected "key: value"'
becomes 'a: &x y' d__error 'line 1: anchors and aliases are not supported'

[ $failed = 0 ] && echo "yaml reader: all well"
exit $failed
