#!/usr/bin/env bash
# A real Flink cluster on this machine, one process each: a JobManager and some TaskManagers. Nothing of Thalweg is on their
# class path: jobs bring their own jars.
#   cluster.sh start [TASKMANAGERS] [--ha]   2 by default; --ha: ZooKeeper and a second JobManager, which takes over if the first dies
#   cluster.sh taskmanager                   one more
#   cluster.sh jobmanager                    a JobManager again, after it died
#   cluster.sh s3                            only fetch Flink's file system for S3, to name the folder plugins in FLINK_PLUGINS_DIR
#   cluster.sh status                        process ids, and what a JobManager says
#   cluster.sh stop                          all of them
#   FLINK_DIR    folder of the cluster: configuration, logs, process ids; .thalweg/cluster by default
#   FLINK_LIB    folder of Flink's jars, which clusters may share; lib in the folder of the cluster by default
#   FLINK_REST   port of the REST API and the web page, 8081 by default
#   FLINK_REST_2 that of the second JobManager, 8082 by default
#   FLINK_RPC    port of the JobManager, 6123 by default; with --ha, JobManagers choose theirs
#   FLINK_ZOOKEEPER  port of ZooKeeper, 2181 by default
#   FLINK_S3     true: with Flink's file system for S3, for jobs whose checkpoints.dir is there; without it by default. For S3,
#                AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be in the environment; they are written nowhere
#   FLINK_HA_STORAGE  where --ha keeps its jobs: file://FOLDER or s3://BUCKET/FOLDER, which means FLINK_S3=true; file://$FLINK_DIR/ha by
#                default
#   S3_ENDPOINT  of a server that is not Amazon's, such as http://127.0.0.1:9000
#   FLINK_CONF   a file of more lines for Flink's config.yaml, none by default
#   FLINK_SLOTS  slots of each TaskManager, 2 by default
#   FLINK_HEAP   heap of a TaskManager for jobs, 1g by default
#   THALWEG_JAVA_OPTS  options of each JVM, none by default
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=${FLINK_DIR:-$root/.thalweg/cluster}
lib=${FLINK_LIB:-$dir/lib}
rest=${FLINK_REST:-8081}
rest2=${FLINK_REST_2:-8082}
zookeeper=${FLINK_ZOOKEEPER:-2181}
rpc=${FLINK_RPC:-6123}
storage=${FLINK_HA_STORAGE:-file://$dir/ha}
. "$root/build/jdk.sh"

say() { echo "cluster: $*" >&2; }

# fetch_once FOLDER WHAT OPTION: for all clusters that share the folder, of which several may start at once.
fetch_once() {
  [ -e "$1/complete" ] && return
  mkdir -p "$1"
  (
    ! command -v flock >/dev/null || flock 9
    if [ -e "$1/complete" ]; then exit; fi
    say "fetching $2, once"
    cd "$root"
    ./mvnw -q -B -f deploy/local-cluster/pom.xml dependency:copy-dependencies "$3" "-DoutputDirectory=$1" 9>&-
    touch "$1/complete"
  ) 9>"$1/lock"
}

fetch() { fetch_once "$lib" "Flink's jars" -DincludeScope=runtime; }

# Flink loads a file system from a folder of its own.
fetch_s3() {
  fetch_once "$lib/s3" "Flink's file system for S3" -DincludeArtifactIds=flink-s3-fs-hadoop
  mkdir -p "$dir/plugins/s3"
  cp "$lib"/s3/*.jar "$dir/plugins/s3/"
}

uses_s3() {
  [ "${FLINK_S3:-}" = true ] || case $ha$storage in trues3:*) ;; *) false ;; esac
}

# check_credentials REASON
check_credentials() {
  for name in AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY; do
    [ -n "${!name:-}" ] || { say "$1, which needs $name in the environment"; exit 2; }
  done
}

check_s3() {
  case ${FLINK_S3:-} in
    '') ;;
    true) check_credentials "FLINK_S3 is 'true'" ;;
    *) say "FLINK_S3 must be true or empty, was '$FLINK_S3'"; exit 2 ;;
  esac
}

check_storage() {
  case $storage in
    file:///*) ;;
    s3://?*/?*) check_credentials "FLINK_HA_STORAGE is '$storage'" ;;
    *) say "FLINK_HA_STORAGE must look like file:///FOLDER or s3://BUCKET/FOLDER, was '$storage'"; exit 2 ;;
  esac
}

configure() {
  cat >"$dir/config.yaml" <<EOF
jobmanager.rpc.address: 127.0.0.1
jobmanager.rpc.port: $rpc
jobmanager.bind-host: 127.0.0.1
rest.address: 127.0.0.1
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
# For so long the JobManager waits for metrics of a process that was killed, and shows none meanwhile; 10 minutes otherwise. A JobManager
# that takes over asks itself for its applications and ends if it does not answer within this time, so it must suffice on a starved machine.
web.timeout: 30000
EOF
  [ -n "${FLINK_CONF:-}" ] && cat "$FLINK_CONF" >>"$dir/config.yaml"
  [ "$ha" ] && cat >>"$dir/config.yaml" <<EOF
high-availability.type: zookeeper
high-availability.storageDir: $storage
high-availability.cluster-id: /local
high-availability.zookeeper.quorum: 127.0.0.1:$zookeeper
# A JobManager that was killed loses the lead after so long.
high-availability.zookeeper.client.session-timeout: 10000
EOF
  uses_s3 && [ -n "${S3_ENDPOINT:-}" ] && cat >>"$dir/config.yaml" <<EOF
s3.endpoint: $S3_ENDPOINT
s3.endpoint.region: ${AWS_REGION:-us-east-1}
s3.path.style.access: true
EOF
  cat >"$dir/zookeeper.cfg" <<EOF
dataDir=$dir/zookeeper
clientPort=$zookeeper
clientPortAddress=127.0.0.1
tickTime=2000
admin.enableServer=false
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

# launch NAME HEAP MAIN-CLASS [ARGUMENT…]: a process that outlives this script.
launch() {
  local name=$1 heap=$2 main=$3
  shift 3
  mkdir -p "$dir/pid" "$dir/log" "$dir/tmp" "$dir/upload" "$dir/plugins"
  # shellcheck disable=SC2086
  FLINK_PLUGINS_DIR="$dir/plugins" nohup "$JAVA_HOME/bin/java" "-Xmx$heap" "@$root/build/java.options" --add-modules jdk.incubator.vector ${THALWEG_JAVA_OPTS:-} \
    "-Dlog4j2.configurationFile=$dir/log4j2.properties" "-Dlog.file=$dir/log/$name.log" -cp "$lib/*" "$main" "$@" \
    >>"$dir/log/$name.log" 2>&1 </dev/null &
  echo $! >"$dir/pid/$name"
  say "$name is process $! (log: $dir/log/$name.log)"
}

zookeeper() {
  launch zookeeper 128m org.apache.flink.shaded.zookeeper3.org.apache.zookeeper.server.ZooKeeperServerMain "$dir/zookeeper.cfg"
}

# The first that is not alive: jobmanager or, with high availability, jobmanager-2.
jobmanager() {
  local name=jobmanager port=$rest
  if alive jobmanager; then
    [ "$ha" ] || { say "the JobManager is alive; see: cluster.sh status"; exit 1; }
    alive jobmanager-2 && { say "both JobManagers are alive; see: cluster.sh status"; exit 1; }
    name=jobmanager-2 port=$rest2
  fi
  launch "$name" 512m org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint --configDir "$dir" \
    -D "rest.port=$port" -D "rest.bind-port=$port"
}

taskmanager() {
  local n=1
  while alive "taskmanager-$n"; do n=$((n + 1)); done
  launch "taskmanager-$n" "$(heap)" org.apache.flink.runtime.taskexecutor.TaskManagerRunner --configDir "$dir" \
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

# overview PORT: what the JobManager with this REST port says of the cluster; one that is not the leader asks the leader.
overview() { curl -sf "http://127.0.0.1:$1/overview" 2>/dev/null; }

# await TASKMANAGERS: at least so many have found the JobManager that leads.
await() {
  local found port
  for _ in $(seq 1 480); do
    for port in "$rest" ${ha:+"$rest2"}; do
      found=$(overview "$port" | sed -n 's/.*"taskmanagers":\([0-9]*\),.*/\1/p' || true)
      if [ "${found:--1}" -ge "$1" ]; then
        say "ready with $found TaskManagers: http://127.0.0.1:$port"
        return
      fi
    done
    alive jobmanager || alive jobmanager-2 || { say "the JobManager ended; its log: $dir/log/jobmanager.log"; troubles; exit 1; }
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
  { overview "$rest" || overview "$rest2"; } && echo
}

# A cluster that was started with high availability keeps it.
ha=
[ -e "$dir/config.yaml" ] && grep -q '^high-availability' "$dir/config.yaml" && ha=true

case ${1:-} in
  start)
    if alive jobmanager || alive jobmanager-2; then say "runs already; see: cluster.sh status"; exit 1; fi
    shift
    managers=2 ha=
    for argument; do
      case $argument in
        --ha) ha=true ;;
        *[!0-9]*) say "start takes a number of TaskManagers and --ha, was '$argument'"; exit 2 ;;
        *) managers=$argument ;;
      esac
    done
    check_s3
    if [ "$ha" ]; then check_storage; fi
    thalweg_jdk java
    fetch
    if uses_s3; then fetch_s3; fi
    configure
    if [ "$ha" ]; then zookeeper; fi
    jobmanager
    if [ "$ha" ]; then jobmanager; fi
    for _ in $(seq 1 "$managers"); do taskmanager; done
    await "$managers"
    ;;
  jobmanager | taskmanager)
    [ -e "$dir/config.yaml" ] || { say "there is no cluster in $dir; begin with: cluster.sh start"; exit 1; }
    thalweg_jdk java
    "$1"
    await 0
    ;;
  s3)
    thalweg_jdk java
    fetch_s3
    echo "$dir/plugins"
    ;;
  status) status ;;
  stop) stop ;;
  *)
    sed -n '2,24s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
