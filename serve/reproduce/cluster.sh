#!/usr/bin/env bash
# Runs tasks on a real Slurm of two nodes with one core each, both on this machine.
# fails: stops a node in the middle of the work, and compares the bits of every result with a
# run without Slurm. scales: measures how the time on two nodes compares with the time on one.
# Needs root, for Slurm's daemons, and Debian packages, which it installs if they are missing.
# Usage: cluster.sh fails|scales PROGRAM FOLDER [reproduce|sweep FLAGS…]
# Without a subcommand, "fails" runs a reproduction and a sweep; "scales" runs a reproduction.
set -euo pipefail
what=$1
program=$(realpath "$2")
mkdir -p "$3"
dir=$(realpath "$3")
shift 3
command=("$@")
reproduction=(reproduce -preset quick -only "table 1")
sweep=(sweep -experiment particles/flow@quick -over encoder.zdim=1,2,4 -seeds 2)

missing=()
for p in slurmctld slurmd sbatch:slurm-client munged:munge; do
  command -v "${p%%:*}" >/dev/null || missing+=("${p##*:}")
done
if ((${#missing[@]})); then
  export DEBIAN_FRONTEND=noninteractive
  apt-get -o Acquire::Retries=3 update
  apt-get -o Acquire::Retries=3 install -y --no-install-recommends "${missing[@]}"
fi

host=$(hostname -s)
slurm="$dir/slurm"
mkdir -p "$slurm"/{state,log} /run/munge
chown munge: /run/munge
cat >"$slurm/slurm.conf" <<CONF
ClusterName=reproduction
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CryptoType=crypto/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool-%n
SlurmctldPidFile=$slurm/ctld.pid
SlurmdPidFile=$slurm/slurmd-%n.pid
SlurmctldLogFile=$slurm/log/ctld.log
SlurmdLogFile=$slurm/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=20
SlurmctldPort=26817
NodeName=n[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=[27001-27002] CPUs=1 State=UNKNOWN
PartitionName=main Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$slurm/slurm.conf"

munge_started=
finish() {
  scancel --me 2>/dev/null || true
  for p in "$slurm"/slurmd-*.pid "$slurm/ctld.pid"; do
    if [ -f "$p" ]; then kill "$(cat "$p")" 2>/dev/null || true; fi
  done
  if [ -n "$munge_started" ]; then kill "$(cat /run/munge/munged.pid)" 2>/dev/null || true; fi
}
trap finish EXIT

if ! munge -n >/dev/null 2>&1; then
  su -s /bin/sh munge -c /usr/sbin/munged
  munge_started=1
  sleep 1
fi
slurmctld -f "$SLURM_CONF"
sleep 2
for n in n1 n2; do slurmd -N "$n" -f "$SLURM_CONF"; done
for _ in $(seq 40); do
  if [ "$(sinfo -h -o '%D %T')" = "2 idle" ]; then break; fi
  sleep 0.5
done
sinfo

submit() { "$program" "${command[@]}" -dir "$on_slurm" -slurm; }
# says whether all tasks are done
complete() { "$program" "${command[@]}" -dir "$on_slurm" -list | tail -1 | grep -q 'about 0s'; }
# waits until Slurm has no jobs of ours left, or until $1 models are trained
wait_for() {
  while [ -n "$(squeue -h --me)" ]; do
    if (($(find "$on_slurm/models" -name "*.safetensors" 2>/dev/null | wc -l) >= $1)); then return; fi
    sleep 2
  done
}

if [ "$what" = scales ]; then
  ((${#command[@]})) || command=("${reproduction[@]}")
  on_slurm="$dir/on-slurm"
  took=()
  for nodes in 2 1; do
    if ((nodes == 1)); then scontrol update NodeName=n2 State=DRAIN Reason="one node is measured"; fi
    rm -rf "$on_slurm"
    began=$(date +%s%N)
    submit
    wait_for 1000000
    took[nodes]=$((($(date +%s%N) - began) / 1000000))
    complete || { echo "not all tasks were done"; exit 1; }
    echo "== nodes: $nodes, ms: ${took[nodes]}"
  done
  echo "== two nodes take $((100 * took[2] / took[1])) % of the time of one"
  exit
fi

# runs a command on Slurm, where a node fails, and again without Slurm, and compares the results
fails() {
  command=("$@")
  on_slurm="$dir/$1-on-slurm" here="$dir/$1-here"
  echo "== $1 on two nodes"
  local began=$SECONDS
  submit
  wait_for 2
  echo "== node n2 fails, after $((SECONDS - began)) s"
  local victims=() daemons=("$(cat "$slurm/slurmd-n2.pid")") e victim parent
  for e in /proc/[0-9]*/environ; do
    if { tr '\0' '\n' <"$e" | grep -qx 'SLURMD_NODENAME=n2'; } 2>/dev/null; then
      victim=${e#/proc/}
      victim=${victim%/environ}
      victims+=("$victim")
      parent=$(ps -o ppid= -p "$victim" | tr -d ' ')
      if grep -qx slurmstepd "/proc/$parent/comm" 2>/dev/null; then daemons+=("$parent"); fi
    fi
  done
  # the daemons first: a node that fails cannot report that its jobs have ended
  kill -KILL "${daemons[@]}" "${victims[@]}" 2>/dev/null || true
  sleep 30
  slurmd -N n2 -f "$SLURM_CONF"
  echo "== node n2 is back; it had ${#victims[@]} processes of jobs"
  for _ in 1 2 3; do
    wait_for 1000000
    if complete; then break; fi
    echo "== what is left is submitted again"
    submit
  done
  "$program" "${command[@]}" -dir "$on_slurm" -status
  echo "== $1 on Slurm, with a node that failed: $((SECONDS - began)) s"

  began=$SECONDS
  local out=()
  if [ "$1" = sweep ]; then out=(-out "$here.json"); fi
  "$program" "${command[@]}" -dir "$here" -jobs 2 "${out[@]}"
  echo "== $1 without Slurm: $((SECONDS - began)) s"
  "$program" "${command[@]}" -dir "$here" -compare "$on_slurm"
  if [ "$1" = sweep ]; then
    "$program" "${command[@]}" -dir "$on_slurm" -done -out "$on_slurm.json"
    cmp "$here.json" "$on_slurm.json"
    cmp "$here.csv" "$on_slurm.csv"
    echo "== the files of both sweeps are the same"
  fi
}

if ((${#command[@]})); then
  fails "${command[@]}"
else
  fails "${reproduction[@]}"
  fails "${sweep[@]}"
fi
