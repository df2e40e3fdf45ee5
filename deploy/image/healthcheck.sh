#!/usr/bin/env bash
# Whether the server in this container answers, in plain HTTP on THALWEG_HEALTH_PORT (8080). A server with TLS is probed from outside.
set -euo pipefail
exec 3<>"/dev/tcp/127.0.0.1/${THALWEG_HEALTH_PORT:-8080}"
printf 'GET /livez HTTP/1.0\r\nhost: localhost\r\n\r\n' >&3
IFS= read -r status <&3
[[ $status == HTTP/1.[01]\ 200\ * ]]
