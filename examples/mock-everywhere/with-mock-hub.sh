#!/usr/bin/env bash
# Runs a command beside a mock hub, with its address and credentials in the environment:
#
#   ./with-mock-hub.sh npm test
#
# The exit code is that of the command. If that is 0, it is the one of the mock hub: 1 if your application has broken a
# rule of the hub.
#
# OPENDELIVERY     the program; default node_modules/.bin/opendelivery
# MOCK_PORT        default 4010; 0 picks a free port
# MOCK_OPTIONS     more options of `opendelivery mock`, separated by blanks
# MOCK_VIOLATIONS  the file for what was broken; default violations.xml
set -uf
log="${TMPDIR:-/tmp}/mock-hub-$$.log"
: >"$log"

# shellcheck disable=SC2086 # MOCK_OPTIONS has several words
"${OPENDELIVERY:-node_modules/.bin/opendelivery}" mock --port "${MOCK_PORT:-4010}" --fail-on-violations \
  --violations "${MOCK_VIOLATIONS:-violations.xml}" ${MOCK_OPTIONS:-} >"$log" 2>&1 &
mock=$!
trap 'kill "$mock" 2>/dev/null; rm -f "$log"' EXIT

until grep -q '^control it:' "$log"; do
  if ! kill -0 "$mock" 2>/dev/null; then
    cat "$log" >&2
    exit 1
  fi
  sleep 0.1
done
for variable in $(grep -o 'HUB_[A-Z_]*=[^ ]*' "$log" | head -n 4); do
  export "${variable?}"
done

"$@"
code=$?
kill "$mock"
wait "$mock"
broken=$?
tail -n 1 "$log" >&2
[ "$code" -ne 0 ] || code=$broken
exit "$code"
