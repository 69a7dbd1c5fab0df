#!/usr/bin/env python3
"""Measures the work of each node of a distributed store per point: processor time, write-ahead log and statements.

Usage: measure.py GODWIT [WORKERS…], such as: measure.py .build/release/godwit 0 2 4
0 is a PostgreSQL server without Citus. Needs wrk, PostgreSQL with pg_stat_statements, and Citus for more than 0 workers. All nodes run on
this machine, with the default configuration except for memory, connections and extensions.
Environment: BATCH (points per request, 25), SECONDS (duration of the load, 30), DEVICES (64), CONNECTIONS (32).
"""
import glob, json, os, shutil, signal, socket, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
BATCH, SECONDS, DEVICES, CONNECTIONS = (
    int(os.environ.get(name, value)) for name, value in
    [("BATCH", 25), ("SECONDS", 30), ("DEVICES", 64), ("CONNECTIONS", 32)])
TICKS = os.sysconf("SC_CLK_TCK")


def as_postgres(command):
    """Runs a command as the user postgres if this user is root, because PostgreSQL does not run as root."""
    drop = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
    subprocess.run(drop + command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Node:
    """A PostgreSQL server in a folder of its own."""

    def __init__(self, name, folder, libraries):
        self.name, self.folder, self.port = name, f"{folder}/{name}", free_port()
        as_postgres([f"{PROGRAMS}/initdb", "--no-sync", "-D", self.folder, "-U", "godwit", "-E", "UTF8", "--locale=C", "-A", "trust"])
        settings = [f"port = {self.port}", "listen_addresses = '127.0.0.1'", f"unix_socket_directories = '{folder}'",
                    f"shared_preload_libraries = '{','.join(libraries)}'", "shared_buffers = 256MB", "max_wal_size = 4GB",
                    "max_connections = 300", "max_prepared_transactions = 300", "pg_stat_statements.track_utility = on"]
        if "citus" in libraries:
            settings.append("citus.node_conninfo = 'sslmode=disable'")
        with open(f"{self.folder}/postgresql.conf", "a") as file:
            file.write("\n".join(settings) + "\n")
        as_postgres([f"{PROGRAMS}/pg_ctl", "-D", self.folder, "-w", "-l", f"{self.folder}/log", "start"])
        for library in libraries:
            self.sql(f"CREATE EXTENSION {library}")

    def sql(self, statement):
        return subprocess.run(
            [f"{PROGRAMS}/psql", "-XAtq", "-h", "127.0.0.1", "-p", str(self.port), "-U", "godwit", "-c", statement, "postgres"],
            check=True, capture_output=True, text=True).stdout.strip()

    def state(self):
        """Returns the seconds of processor time, the bytes of log and the statements since the start."""
        with open(f"{self.folder}/postmaster.pid") as file:
            first = int(file.readline())
        seconds = 0
        for path in glob.glob("/proc/[0-9]*/stat"):
            try:
                with open(path) as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            process = int(path.split("/")[2])
            if process == first:
                # Includes the sessions that have ended.
                seconds += sum(int(field) for field in fields[11:15]) / TICKS
            elif int(fields[1]) == first:
                seconds += sum(int(field) for field in fields[11:13]) / TICKS
        log = int(self.sql("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"))
        calls = int(self.sql("SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements"))
        return seconds, log, calls

    def stop(self):
        as_postgres([f"{PROGRAMS}/pg_ctl", "-D", self.folder, "-m", "immediate", "-w", "stop"])


def measure(godwit, workers):
    folder = tempfile.mkdtemp(prefix="godwit-distribution-")
    os.chmod(folder, 0o777)
    nodes, server = [], None
    try:
        libraries = (["citus"] if workers else []) + ["pg_stat_statements"]
        for number in range(workers + 1):
            nodes.append(Node("coordinator" if number == 0 else f"worker {number}".replace(" ", "-"), folder, libraries))
        coordinator = nodes[0]
        environment = dict(os.environ, GODWIT_STORE=f"postgres://godwit@127.0.0.1:{coordinator.port}/postgres", GODWIT_DATA=folder + "/data")

        def run(*arguments):
            return subprocess.run([godwit, *arguments], env=environment, check=True, capture_output=True, text=True).stdout
        tokens = [json.loads(run("device", "add", f"device-{number}", "--json"))["token"] for number in range(DEVICES)]
        if workers:
            coordinator.sql(f"SELECT citus_set_coordinator_host('127.0.0.1', {coordinator.port})")
            for worker in nodes[1:]:
                coordinator.sql(f"SELECT citus_add_node('127.0.0.1', {worker.port})")
            run("store", "distribute", "--shards", "32")
        port = free_port()
        server = subprocess.Popen([godwit, "serve", "--listen", f"127.0.0.1:{port}", "--upload-limit", "0", "--client-connections", "0"],
                                  env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(4)

        def load(seconds, hour):
            result = subprocess.run(
                ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", "Load/devices.lua", f"http://127.0.0.1:{port}"],
                env=dict(os.environ, TOKENS=",".join(tokens), BATCH=str(BATCH), HOUR=str(hour), LUA_PATH="./?.lua"),
                cwd=os.path.dirname(HERE), check=True, capture_output=True, text=True).stdout
            return dict(line.split() for line in result.splitlines() if len(line.split()) == 2)
        hour = int(time.time() / 3600)
        # Opens the sessions, fills the caches and creates the partition.
        load(5, hour - 500)
        before, points = [node.state() for node in nodes], int(coordinator.sql("SELECT sum(points) FROM devices"))
        begin = time.time()
        figures = load(SECONDS, hour - 400)
        after = [node.state() for node in nodes]
        points = int(coordinator.sql("SELECT sum(points) FROM devices")) - points
        print(f"\n{workers} workers: {points} points in {time.time() - begin:.0f} s, {points / SECONDS:.0f} points/s, "
              f"errors {figures.get('errors')}, p50 {figures.get('p50_us')} µs")
        print("| node | processor time of a point, µs | log of a point, bytes | statements of an upload |\n|---|---|---|---|")
        total = [0, 0, 0]
        for node, old, new in zip(nodes, before, after):
            work = [(new[i] - old[i]) / points * factor for i, factor in enumerate((1e6, 1, BATCH))]
            total = [sum(pair) for pair in zip(total, work)]
            print(f"| {node.name} | {work[0]:.1f} | {work[1]:.0f} | {work[2]:.1f} |")
        print(f"| all | {total[0]:.1f} | {total[1]:.0f} | {total[2]:.1f} |")
    finally:
        if server:
            server.send_signal(signal.SIGINT)
            server.wait()
        for node in nodes:
            node.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for count in sys.argv[2:] or ["0", "2", "4"]:
        measure(os.path.abspath(sys.argv[1]), int(count))
