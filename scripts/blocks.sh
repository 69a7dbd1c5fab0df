# shellcheck shell=bash
# The environment of a page that scripts/blocks runs: HOME is empty, each port is free, and these functions replace commands of a reader's
# machine. A program that does not end by itself continues in the background, one of each kind at a time.
set -euo pipefail
mkdir -p "$HOME" "$FOLDER/system/godwit"
export TOKEN=""

# wait_for COMMAND…: repeats a command until it succeeds, for at most 60 seconds.
wait_for() {
  local end=$((SECONDS + 60))
  until "$@" >/dev/null 2>&1; do
    if [ "$SECONDS" -ge "$end" ]; then
      echo "not true within 60 s: $*" >&2
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

# sudo: runs a command as the same user, which is sufficient except for PostgreSQL.
sudo() {
  local user=""
  while [[ "${1:-}" == -* ]]; do
    if [ "$1" = -u ]; then
      user=$2
      shift
    fi
    shift
  done
  if [ "$user" = postgres ]; then as_postgres "$@"; else "$@"; fi
}

# as_postgres COMMAND…: runs a command as the user postgres, because PostgreSQL does not run as root.
as_postgres() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; else "$@"; fi
}

# godwit: a server, or a tracker with a receiver, runs until the next one of its kind starts.
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

# serve_phone [OPTION…]: runs a server in ~/godwit with the device phone, whose token is stored in TOKEN.
serve_phone() {
  export GODWIT_DATA="$HOME/godwit"
  add_device phone
  godwit serve "$@"
}

# add_device NAME: adds a device, whose token is stored in TOKEN.
add_device() { TOKEN=$("$GODWIT" device add "$1" --json | sed -nE 's/.*"token" ?: ?"([^"]+)".*/\1/p'); }

# as_administrator: stores the token of the server's administrator in TOKEN.
as_administrator() { TOKEN=$(cat "$GODWIT_DATA/admin-token"); }

# points DEVICE: prints the number of points of a device in the store.
points() { "$GODWIT" export --device "$1" --format csv | tail -n +2 | wc -l; }

# has_points DEVICE [NUMBER]: whether the store has at least NUMBER points of a device (default: 1).
has_points() { [ "$(points "$1")" -ge "${2:-1}" ]; }

# recorded_days DIR: creates a folder with a recorded walk.
recorded_days() {
  mkdir -p "$1"
  cp "$ROOT/Tests/GodwitFilesTests/Fixtures/korita-zbevnica.gpx" "$1/walk.gpx"
}

# start_receiver: starts gpsd with a recording of a receiver in a loop.
start_receiver() {
  if [ -s "$FOLDER/receiver.pid" ]; then return; fi
  cp "$ROOT/Examples/Boat/sail.nmea" "$FOLDER/receiver.nmea"
  WRITE_PAD=0.01 gpsfake -q -P "$GPSD_PORT" -c 0.05 "$FOLDER/receiver.nmea" >"$FOLDER/receiver.log" 2>&1 &
  echo $! >"$FOLDER/receiver.pid"
}

# postgres_programs: prints the folder of PostgreSQL's programs.
postgres_programs() { find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -n 1; }

# start_postgres: starts a cluster with the role and the database godwit. PostgreSQL does not run as root.
start_postgres() {
  local data="$FOLDER/postgres"
  mkdir -p "$data"
  if [ "$(id -u)" = 0 ]; then chown postgres "$data"; fi
  as_postgres "$(postgres_programs)/initdb" --auth trust --username godwit --encoding UTF8 --locale C "$data" >"$FOLDER/postgres.log"
  as_postgres "$(postgres_programs)/postgres" -D "$data" -p "$POSTGRES_PORT" -k "$data" -c listen_addresses=127.0.0.1 >>"$FOLDER/postgres.log" 2>&1 &
  export PGHOST=127.0.0.1 PGPORT="$POSTGRES_PORT" PGUSER=godwit
  wait_for psql -d postgres -c 'SELECT 1'
}

# make_machines: creates db1 and db2, each with a cluster in Debian's layout: configuration and data are in separate folders.
make_machines() {
  local machine port
  for machine in db1 db2; do
    mkdir -p "$FOLDER/$machine/etc" "$FOLDER/$machine/data"
    if [ "$(id -u)" = 0 ]; then chown -R postgres "$FOLDER/$machine"; fi
    port=$PRIMARY_PORT
    if [ "$machine" = db2 ]; then port=$STANDBY_PORT; fi
    as_postgres "$(postgres_programs)/initdb" --data-checksums --auth-local trust --auth-host scram-sha-256 --username postgres \
      --encoding UTF8 --locale C "$FOLDER/$machine/data" >>"$FOLDER/machines.log"
    mv "$FOLDER/$machine/data/"*.conf "$FOLDER/$machine/etc"
    cat >>"$FOLDER/$machine/etc/postgresql.conf" <<END
port = $port
data_directory = '$FOLDER/$machine/data'
hba_file = '$FOLDER/$machine/etc/pg_hba.conf'
ident_file = '$FOLDER/$machine/etc/pg_ident.conf'
unix_socket_directories = '$FOLDER/$machine'
END
    on_machine "$machine" <<<'pg_ctlcluster 15 main start'
  done
}

# on_machine MACHINE: runs the commands of its input as if on this machine.
on_machine() {
  local machine=$1 port=$PRIMARY_PORT
  if [ "$machine" = db2 ]; then port=$STANDBY_PORT; fi
  sed -e "s#/etc/postgresql/15/main#$FOLDER/$machine/etc#g; s#/var/lib/postgresql/15/main#$FOLDER/$machine/data#g" \
    -e "s#/usr/lib/postgresql/15/bin#$(postgres_programs)#g; s#10\.0\.0\.0/24#127.0.0.0/8#; s#'\*'#'127.0.0.1'#" \
    -e "s#host=db1.example#host=127.0.0.1 port=$PRIMARY_PORT#; s#host=db2.example#host=127.0.0.1 port=$STANDBY_PORT#" \
    >"$FOLDER/$machine.commands"
  # shellcheck source=/dev/null disable=SC2030
  (export PGHOST="$FOLDER/$machine" PGPORT=$port PGUSER=postgres MACHINE="$FOLDER/$machine"; . "$FOLDER/$machine.commands")
}

# pg_ctlcluster VERSION CLUSTER ACTION: replaces Debian's program, for the cluster of a machine.
# shellcheck disable=SC2031
pg_ctlcluster() {
  case $3 in
    start)
      as_postgres "$(postgres_programs)/postgres" -D "$MACHINE/data" -c config_file="$MACHINE/etc/postgresql.conf" \
        >>"$FOLDER/machines.log" 2>&1 &
      wait_for psql -d postgres -c 'SELECT 1'
      ;;
    restart)
      pg_ctlcluster "$1" "$2" stop
      pg_ctlcluster "$1" "$2" start
      ;;
    *) as_postgres "$(postgres_programs)/pg_ctl" -D "$MACHINE/data" -m fast -w "$3" >>"$FOLDER/machines.log" ;;
  esac
}

# follows MACHINE: whether the cluster of a machine is a standby that is connected to its primary.
follows() { on_machine "$1" <<<"psql -Atc 'SELECT count(*) FROM pg_stat_wal_receiver' | grep -qx 1"; }

# crash MACHINE: kills all processes of its cluster.
crash() {
  local first
  first=$(head -n 1 "$FOLDER/$1/data/postmaster.pid")
  # shellcheck disable=SC2046
  kill -KILL "$first" $(ps -o pid= --ppid "$first")
}

# start_broker CONFIGURATION: starts an MQTT broker with these lines of configuration and a port.
start_broker() {
  printf 'listener %s 127.0.0.1\n%s\n' "$BROKER_PORT" "$1" >"$FOLDER/broker.conf"
  mosquitto -c "$FOLDER/broker.conf" >"$FOLDER/broker.log" 2>&1 &
  wait_for bash -c "exec 3<>/dev/tcp/127.0.0.1/$BROKER_PORT"
}

# answers PATTERN COMMAND…: whether the output of a command matches a pattern.
answers() {
  local pattern=$1 answer
  shift
  answer=$("$@" 2>&1)
  grep -qE -- "$pattern" <<<"$answer" || { echo "\"$*\" printed no match for \"$pattern\": $answer" >&2 && return 1; }
}
