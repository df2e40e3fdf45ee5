#!/usr/bin/env bash
# A real Flink cluster on this machine, one process each: a JobManager and some TaskManagers. Nothing of Thalweg is on their
# class path: jobs bring their own jars.
#   cluster.sh start [TASKMANAGERS]   2 by default
#   cluster.sh taskmanager            one more
#   cluster.sh jobmanager             the JobManager again, after it died
#   cluster.sh status                 process ids, and what the JobManager says
#   cluster.sh stop                   all of them
#   FLINK_DIR    folder of the cluster: jars, configuration, logs, process ids; .thalweg/cluster by default
#   FLINK_REST   port of the REST API and the web page, 8081 by default
#   FLINK_RPC    port of the JobManager, 6123 by default
#   FLINK_SLOTS  slots of each TaskManager, 2 by default
#   FLINK_HEAP   heap of a TaskManager for jobs, 1g by default
#   THALWEG_JAVA_OPTS  options of each JVM, none by default
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=${FLINK_DIR:-$root/.thalweg/cluster}
rest=${FLINK_REST:-8081}
rpc=${FLINK_RPC:-6123}
. "$root/build/jdk.sh"

say() { echo "cluster: $*" >&2; }

fetch() {
  [ -e "$dir/lib/complete" ] && return
  say "fetching Flink's jars, once"
  mkdir -p "$dir/lib"
  (cd "$root" && ./mvnw -q -B -f deploy/local-cluster/pom.xml dependency:copy-dependencies \
    -DincludeScope=runtime "-DoutputDirectory=$dir/lib")
  touch "$dir/lib/complete"
}

configure() {
  cat >"$dir/config.yaml" <<EOF
jobmanager.rpc.address: 127.0.0.1
jobmanager.rpc.port: $rpc
jobmanager.bind-host: 127.0.0.1
rest.address: 127.0.0.1
rest.port: $rest
rest.bind-port: "$rest"
rest.bind-address: 127.0.0.1
web.upload.dir: $dir/upload
io.tmp.dirs: $dir/tmp
taskmanager.host: 127.0.0.1
taskmanager.bind-host: 127.0.0.1
taskmanager.numberOfTaskSlots: ${FLINK_SLOTS:-2}
taskmanager.load-balance.mode: SLOTS
# What bin/taskmanager.sh would work out of the size of the process.
taskmanager.cpu.cores: ${FLINK_SLOTS:-2}
taskmanager.memory.task.heap.size: ${FLINK_HEAP:-1g}
taskmanager.memory.task.off-heap.size: 0m
taskmanager.memory.network.min: 128m
taskmanager.memory.network.max: 128m
taskmanager.memory.managed.size: 0m
taskmanager.memory.framework.heap.size: 128m
taskmanager.memory.framework.off-heap.size: 128m
taskmanager.memory.jvm-metaspace.size: 256m
taskmanager.memory.jvm-overhead.min: 192m
taskmanager.memory.jvm-overhead.max: 192m
# A process that was killed is given up after seconds, not after a minute.
heartbeat.interval: 2000
heartbeat.timeout: 10000
# A starved machine is slow, not broken.
pekko.ask.timeout: 30 s
pekko.startup-timeout: 180 s
# Live reads find their way by a metric.
metrics.fetcher.update-interval: 1000
# For so long the JobManager waits for metrics of a process that was killed, and shows none meanwhile; 10 minutes otherwise.
web.timeout: 15000
EOF
  cat >"$dir/log4j2.properties" <<'EOF'
rootLogger.level = INFO
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{ISO8601} %p %c: %m%n%ex
EOF
}

# launch NAME HEAP MAIN-CLASS [OPTION…]: a process that outlives this script.
launch() {
  local name=$1 heap=$2 main=$3
  shift 3
  mkdir -p "$dir/pid" "$dir/log" "$dir/tmp" "$dir/upload"
  # shellcheck disable=SC2086
  nohup "$JAVA_HOME/bin/java" "-Xmx$heap" "@$root/build/java.options" --add-modules jdk.incubator.vector ${THALWEG_JAVA_OPTS:-} \
    "-Dlog4j2.configurationFile=$dir/log4j2.properties" "-Dlog.file=$dir/log/$name.log" -cp "$dir/lib/*" "$main" --configDir "$dir" "$@" \
    >>"$dir/log/$name.log" 2>&1 </dev/null &
  echo $! >"$dir/pid/$name"
  say "$name is process $! (log: $dir/log/$name.log)"
}

jobmanager() {
  launch jobmanager 512m org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint
}

taskmanager() {
  local n=1
  while alive "taskmanager-$n"; do n=$((n + 1)); done
  launch "taskmanager-$n" "$(heap)" org.apache.flink.runtime.taskexecutor.TaskManagerRunner \
    -D "taskmanager.resource-id=taskmanager-$n"
}

# The heap for jobs and a little for Flink itself.
heap() {
  local job=${FLINK_HEAP:-1g}
  case $job in
    *g) echo "$((${job%g} * 1024 + 256))m" ;;
    *m) echo "$((${job%m} + 256))m" ;;
    *) say "FLINK_HEAP must look like 512m or 2g, was '$job'"; exit 2 ;;
  esac
}

alive() { [ -e "$dir/pid/$1" ] && kill -0 "$(cat "$dir/pid/$1")" 2>/dev/null; }

# await TASKMANAGERS: at least so many have found the JobManager.
await() {
  local found
  for _ in $(seq 1 480); do
    found=$(curl -sf "http://127.0.0.1:$rest/overview" 2>/dev/null | sed -n 's/.*"taskmanagers":\([0-9]*\),.*/\1/p' || true)
    if [ "${found:--1}" -ge "$1" ]; then
      say "ready with $found TaskManagers: http://127.0.0.1:$rest"
      return
    fi
    alive jobmanager || { say "the JobManager ended; its log: $dir/log/jobmanager.log"; troubles; exit 1; }
    sleep 0.5
  done
  say "not ready after 4 minutes; logs: $dir/log"
  troubles
  exit 1
}

# The last complaints of the JobManager; where it had none, its last words.
troubles() {
  { grep -E 'ERROR|Exception|Could not|already in use' "$dir/log/jobmanager.log" || cat "$dir/log/jobmanager.log"; } | tail -n 10 >&2
}

# Returns when all processes have ended: until then they write to the folder, which the caller may want to delete.
stop() {
  for pid in "$dir"/pid/*; do
    [ -e "$pid" ] && kill "$(cat "$pid")" 2>/dev/null || true
  done
  for pid in "$dir"/pid/*; do
    [ -e "$pid" ] || continue
    end "$(basename "$pid")"
    rm -f "$pid"
  done
}

# end NAME: waits for a process that was told to stop, and kills it if it does not.
end() {
  for _ in $(seq 1 150); do
    alive "$1" || { say "$1 has stopped"; return; }
    sleep 0.2
  done
  say "$1 has not stopped within 30 seconds and is killed"
  kill -9 "$(cat "$dir/pid/$1")" 2>/dev/null || true
  while alive "$1"; do sleep 0.2; done
}

status() {
  for pid in "$dir"/pid/*; do
    [ -e "$pid" ] || continue
    name=$(basename "$pid")
    if alive "$name"; then echo "$name $(cat "$pid")"; else echo "$name dead"; fi
  done
  curl -sf "http://127.0.0.1:$rest/overview" && echo
}

case ${1:-} in
  start)
    if alive jobmanager; then say "runs already; see: cluster.sh status"; exit 1; fi
    thalweg_jdk java
    fetch
    configure
    jobmanager
    for _ in $(seq 1 "${2:-2}"); do taskmanager; done
    await "${2:-2}"
    ;;
  jobmanager | taskmanager)
    [ -e "$dir/config.yaml" ] || { say "there is no cluster in $dir; begin with: cluster.sh start"; exit 1; }
    thalweg_jdk java
    "$1"
    await 0
    ;;
  status) status ;;
  stop) stop ;;
  *)
    sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
