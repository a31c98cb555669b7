#!/bin/sh
# certificates.sh [FOLDER] [HOST…]: makes a certificate authority, and a certificate with its key for each host of the cluster. FOLDER is `certificates` if
# absent; an authority that is there signs further hosts. Keep ca.key away from the machines of the cluster.
set -eu
folder=${1:-certificates}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- clickhouse-1-1 clickhouse-1-2 clickhouse-2-1 clickhouse-2-2 keeper-1 keeper-2 keeper-3 postgres-1 postgres-2
days=825
umask 077
mkdir -p "$folder"
cd "$folder"
[ -f ca.key ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=Tidemark cluster" \
  -keyout ca.key -out ca.pem
for host in "$@"; do
  case $host in
    *[!0-9.]*) name="DNS:$host" ;;
    *) name="IP:$host" ;;
  esac
  mkdir -p "$host"
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$host" -keyout "$host/node.key" -out "$host/node.csr"
  printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$name" >"$host/extensions"
  openssl x509 -req -in "$host/node.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days "$days" -extfile "$host/extensions" -out "$host/node.pem"
  rm "$host/node.csr" "$host/extensions"
  cp ca.pem "$host/ca.pem"
  chmod 644 "$host/node.pem" "$host/ca.pem"
done
chmod 644 ca.pem
