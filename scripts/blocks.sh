# shellcheck shell=bash
# What a page of the documents finds when scripts/blocks runs it: HOME is empty, each port is free, and these commands do what a
# reader's machine would do. A program that does not end by itself goes on in the background, one of each kind at a time.
set -euo pipefail
mkdir -p "$HOME" "$FOLDER/system/godwit"
export TOKEN=""

# wait_for COMMAND…: until it succeeds, at most 60 seconds.
wait_for() {
  local end=$((SECONDS + 60))
  until "$@" >/dev/null 2>&1; do
    if [ "$SECONDS" -ge "$end" ]; then
      echo "after 60 s it is not so: $*" >&2
      tail -n 20 "$FOLDER"/*.log >&2
      return 1
    fi
    sleep 0.2
  done
}

# stop FILE: ends the program whose process id is in a file.
stop() {
  [ -s "$1" ] || return 0
  kill "$(cat "$1")" 2>/dev/null || true
  while kill -0 "$(cat "$1")" 2>/dev/null; do sleep 0.1; done
  rm -f "$1"
}

# sudo: the same user is enough for what runs here.
sudo() {
  while [[ "${1:-}" == -* ]]; do
    if [ "$1" = -u ]; then shift; fi
    shift
  done
  "$@"
}

# godwit: a server and a tracker of a receiver run until the next one of their kind.
godwit() {
  case "${1:-} $*" in
    serve*)
      stop "$FOLDER/server.pid"
      : >"$FOLDER/server.log"
      "$GODWIT" "$@" >"$FOLDER/server.log" 2>&1 &
      echo $! >"$FOLDER/server.pid"
      wait_for grep -q 'https\?://' "$FOLDER/server.log" || { cat "$FOLDER/server.log" >&2 && return 1; }
      ;;
    track*" --until-sent"*) "$GODWIT" "$@" ;;
    track*)
      stop "$FOLDER/tracker.pid"
      : >"$FOLDER/tracker.log"
      "$GODWIT" "$@" >"$FOLDER/tracker.log" 2>&1 &
      echo $! >"$FOLDER/tracker.pid"
      ;;
    *) "$GODWIT" "$@" ;;
  esac
}

# serve_phone [OPTION…]: a server in ~/godwit with the device phone, whose token is in TOKEN.
serve_phone() {
  export GODWIT_DATA="$HOME/godwit"
  add_device phone
  godwit serve "$@"
}

# add_device NAME: a device, whose token is in TOKEN.
add_device() { TOKEN=$("$GODWIT" device add "$1" --json | sed -nE 's/.*"token" ?: ?"([^"]+)".*/\1/p'); }

# as_administrator: TOKEN is the one of the server's administrator.
as_administrator() { TOKEN=$(cat "$GODWIT_DATA/admin-token"); }

# points DEVICE: how many points the store has of it.
points() { "$GODWIT" export --device "$1" --format csv | tail -n +2 | wc -l; }

# has_points DEVICE [NUMBER]: the store has at least so many points of it, 1 unless given.
has_points() { [ "$(points "$1")" -ge "${2:-1}" ]; }

# recorded_days DIR: a folder with a recorded walk.
recorded_days() {
  mkdir -p "$1"
  cp "$ROOT/Tests/GodwitFilesTests/Fixtures/korita-zbevnica.gpx" "$1/walk.gpx"
}

# start_receiver: gpsd with a recorded receiver, again and again.
start_receiver() {
  if [ -s "$FOLDER/receiver.pid" ]; then return; fi
  cp "$ROOT/Examples/Boat/sail.nmea" "$FOLDER/receiver.nmea"
  WRITE_PAD=0.01 gpsfake -q -P "$GPSD_PORT" -c 0.05 "$FOLDER/receiver.nmea" >"$FOLDER/receiver.log" 2>&1 &
  echo $! >"$FOLDER/receiver.pid"
}

# start_postgres: a cluster of its own with the role and the database godwit. PostgreSQL does not run as root.
start_postgres() {
  local programs
  programs=$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -n 1)
  local data="$FOLDER/postgres" user=()
  mkdir -p "$data"
  if [ "$(id -u)" = 0 ]; then
    chown postgres "$data"
    user=(setpriv --reuid=postgres --regid=postgres --clear-groups)
  fi
  "${user[@]}" "$programs/initdb" --auth trust --username godwit --encoding UTF8 --locale C "$data" >"$FOLDER/postgres.log"
  "${user[@]}" "$programs/postgres" -D "$data" -p "$POSTGRES_PORT" -k "$data" -c listen_addresses=127.0.0.1 >>"$FOLDER/postgres.log" 2>&1 &
  export PGHOST=127.0.0.1 PGPORT="$POSTGRES_PORT" PGUSER=godwit
  wait_for psql -d postgres -c 'SELECT 1'
}

# start_broker CONFIGURATION: an MQTT broker with these lines, beside its port.
start_broker() {
  printf 'listener %s 127.0.0.1\n%s\n' "$BROKER_PORT" "$1" >"$FOLDER/broker.conf"
  mosquitto -c "$FOLDER/broker.conf" >"$FOLDER/broker.log" 2>&1 &
  wait_for bash -c "exec 3<>/dev/tcp/127.0.0.1/$BROKER_PORT"
}

# answers PATTERN COMMAND…: what a command prints has a pattern.
answers() {
  local pattern=$1 answer
  shift
  answer=$("$@" 2>&1)
  grep -qE -- "$pattern" <<<"$answer" || { echo "\"$*\" does not answer \"$pattern\": $answer" >&2 && return 1; }
}
