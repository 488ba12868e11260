#!/bin/sh
# Boot the images and see that they do what docs/guest.md says. Prints times; exit code 0 or 1.
#   test.sh [--install] [--cache DIR] [IMAGE]            the demo image, by BIOS, UEFI and Secure Boot
#   test.sh [--install] [--cache DIR] --debian [IMAGE]   the Debian image, by BIOS and UEFI
# Without IMAGE it builds one.
set -eu
prog=test.sh
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

usage() { sed -n '2,5s/^# //p' "$0"; }

# ---- a guest to talk to -----------------------------------------------------------

# boot: start QEMU on an overlay of $image with a NoCloud disk; sets qemu (its pid) and begun.
boot() {
  qemu-img create -q -f qcow2 -F qcow2 -b "$image" "$work/disk.qcow2"
  machine=q35
  set --
  case $firmware in
    uefi)
      set -- -drive "if=pflash,format=raw,unit=0,readonly=on,file=$ovmf/OVMF_CODE_4M.fd"
      cp $ovmf/OVMF_VARS_4M.fd "$work/vars.fd"
      ;;
    secure)
      # shim and GRUB want more of it here.
      machine=q35,smm=on memory=$((memory < 512 ? 512 : memory))
      set -- -global driver=cfi.pflash01,property=secure,value=on \
        -drive "if=pflash,format=raw,unit=0,readonly=on,file=$ovmf/OVMF_CODE_4M.secboot.fd"
      cp $ovmf/OVMF_VARS_4M.ms.fd "$work/vars.fd"
      ;;
  esac
  [ "$firmware" = bios ] || set -- "$@" -drive "if=pflash,format=raw,unit=1,file=$work/vars.fd"
  : >"$work/serial.log"
  # The accelerator is emulation whatever the machine can do: what is tested is the image.
  qemu-system-x86_64 -nodefaults -no-user-config -machine "$machine" -accel tcg,thread=multi -cpu max \
    -m "$memory" -smp 2 -display none -device VGA "$@" \
    -chardev "socket,id=serial,path=$work/serial,server=on,wait=off,logfile=$work/serial.log" -serial chardev:serial \
    -qmp "unix:$work/qmp,server=on,wait=off" \
    -drive "if=none,id=root,file=$work/disk.qcow2,format=qcow2" -device virtio-blk-pci,drive=root,bootindex=1 \
    -drive "if=none,id=seed,file=$work/seed.iso,format=raw,readonly=on" -device virtio-blk-pci,drive=seed \
    -netdev "user,id=net,hostfwd=tcp:127.0.0.1:$port-:22" -device virtio-net-pci,netdev=net \
    -device virtio-rng-pci -device virtio-balloon-pci -device virtio-serial-pci \
    -chardev "socket,id=agent,path=$work/agent,server=on,wait=off" \
    -device virtserialport,chardev=agent,name=org.qemu.guest_agent.0 </dev/null >"$work/qemu.log" 2>&1 &
  qemu=$!
  begun=$(date +%s%N)
}

seconds() { echo "$(($(date +%s%N) - begun))" | awk '{ printf "%.1f", $1 / 1e9 }'; }
pass() { printf '%-7s %-48s %6s s\n' "$firmware" "$1" "$(seconds)"; }
fail() {
  printf '%-7s FAILED: %s (%s s)\n' "$firmware" "$1" "$(seconds)"
  tail -n 15 "$work/serial.log" "$work/qemu.log" >&2
  exit 1
}

# within SECONDS WHAT COMMAND...: retry a command until it succeeds.
within() {
  limit=$(($(date +%s) + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ "$(date +%s)" -lt "$limit" ] || fail "$what"
    kill -0 "$qemu" 2>/dev/null || fail "$what: QEMU ended"
    sleep 0.2
  done
  pass "$what"
}

# The sockets serve one client at a time and drop it with its input, hence the sleep.
qmp() { { printf '{"execute":"qmp_capabilities"}\n{"execute":"%s"}\n' "$1"; sleep 0.5; } | socat - "UNIX-CONNECT:$work/qmp"; }
agent() { { printf '%s\n' "$1"; sleep "${2:-1}"; } | socat - "UNIX-CONNECT:$work/agent"; }
agent_answers() { agent '{"execute":"guest-sync","arguments":{"id":4711}}' | grep -q 4711; }
agent_has_address() { agent '{"execute":"guest-network-get-interfaces"}' | grep -q '"ip-address": *"10\.0\.2\.'; }
prompts() { [ "$(grep -c "$name login:" "$work/serial.log")" -ge "$1" ]; }
in_guest() {
  ssh -q -p "$port" -i "$work/key" -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \
    -o ConnectTimeout=20 croft@127.0.0.1 "$@"
}
gone() { ! kill -0 "$qemu" 2>/dev/null; }
ended() { # SECONDS WHAT
  limit=$(($(date +%s) + $1))
  until gone; do
    [ "$(date +%s)" -lt "$limit" ] || fail "$2"
    sleep 0.1
  done
  wait "$qemu" || fail "$2: QEMU ended with status $?"
  pass "$2"
}
stop_qemu() { [ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true; }

# A port nobody listens on. Another program may take it in between; then QEMU says so and the test fails.
free_port() {
  port=$((20000 + $$ % 20000))
  while (exec 2>/dev/null; socat -u OPEN:/dev/null "TCP4-CONNECT:127.0.0.1:$port,connect-timeout=1"); do port=$((port + 1)); done
}

make_seed() {
  mkdir -p "$work/seed"
  ssh-keygen -q -t ed25519 -N '' -f "$work/key"
  printf 'instance-id: %s\nlocal-hostname: from-meta-data\n' "test-$$" >"$work/seed/meta-data"
  cat >"$work/seed/user-data" <<END
#cloud-config
hostname: $name   # wins over local-hostname
users:
  - default
  - name: croft
    ssh_authorized_keys: [ "$(cat "$work/key.pub")" ]
    sudo: ALL=(ALL) NOPASSWD:ALL
    shell: /bin/sh
chpasswd:
  expire: false
  users:
    - {name: croft, password: "it's: secret", type: text}
ssh_pwauth: true
write_files:
  - path: /etc/written
    permissions: '0640'
    content: |
      first line
        second line
runcmd:
  - [ sh, -c, 'echo "a  list" >> /etc/ran' ]
  - 'echo text >> /etc/ran'
END
  xorriso -as mkisofs -quiet -o "$work/seed.iso" -V cidata -J -r "$work/seed" >/dev/null 2>&1 || die "xorriso failed"
}

# ---- what is expected -------------------------------------------------------------

check_guest() {
  within "$patience" "login prompt on the serial console" prompts 1
  within "$patience" "guest agent answers" agent_answers
  within "$patience" "guest agent tells the address" agent_has_address
  within "$patience" "ssh with the key from cloud-init" in_guest true
  in_guest cloud-init status --wait >"$work/status" || fail "cloud-init: $(cat "$work/status")"
  grep -q 'status: done' "$work/status" || fail "cloud-init: $(cat "$work/status")"
  pass "cloud-init status: done"
  [ "$(in_guest hostname)" = "$name" ] || fail "hostname"
  [ "$(in_guest sudo cat /etc/written)" = "$(printf 'first line\n  second line')" ] || fail "write_files"
  [ "$(in_guest cat /etc/ran)" = "$(printf 'a  list\ntext')" ] || fail "runcmd: $(in_guest cat /etc/ran)"
  [ "$(in_guest sudo id -u)" = 0 ] || fail "sudo"
  pass "hostname, files, commands, sudo"
}

check_demo() {
  boot
  check_guest
  in_guest sudo cat /dev/vcs1 | grep -q "$name login:" || fail "login prompt on the VGA console"
  pass "login prompt on the VGA console"
  # shellcheck disable=SC2016 # for the guest to compute
  { printf 'croft\n'; sleep 2; printf "it's: secret\n"; sleep 3; printf 'echo serial-$((40 + 2))\n'; sleep 2; } |
    socat - "UNIX-CONNECT:$work/serial" >/dev/null
  grep -q 'serial-42' "$work/serial.log" || fail "login on the serial console with the password from cloud-init"
  pass "login on the serial console with the password"
  in_guest 'write-test write /home/croft/records 20 && write-test check /home/croft/records 20' | grep -q 'ok: 20' ||
    fail "write-test"
  if [ "$firmware" = secure ]; then
    in_guest sudo dmesg | grep -qi 'secure boot enabled' || fail "Secure Boot is not on"
    pass "Secure Boot is on"
  fi
  prompts_before=$(grep -c "$name login:" "$work/serial.log")
  begun=$(date +%s%N)
  in_guest sudo reboot || true
  within "$patience" "reboot to the login prompt" prompts $((prompts_before + 1))
  within "$patience" "ssh" in_guest true
  in_guest write-test check /home/croft/records 20 >/dev/null || fail "written data after the reboot"
  [ "$(in_guest 'wc -l </etc/ran')" -eq 2 ] || fail "runcmd ran a second time"
  begun=$(date +%s%N)
  qmp system_powerdown >/dev/null
  ended 30 "power off by ACPI"
}

check_debian() {
  boot
  check_guest
  in_guest systemctl is-system-running --wait >"$work/status" || true
  pass "systemd: $(cat "$work/status")"
  begun=$(date +%s%N)
  qmp system_powerdown >/dev/null
  ended 120 "power off by ACPI"
}

# ---- main -------------------------------------------------------------------------

debian=no image='' cache='' install=no
while [ $# -gt 0 ]; do
  case $1 in
    --debian) debian=yes ;;
    --install) install=yes ;;
    --cache) cache=${2:?--cache needs a directory}; shift ;;
    -h | --help) usage; exit 0 ;;
    -*) usage_error "unknown option $1" ;;
    *) image=$1 ;;
  esac
  shift
done

ovmf=/usr/share/OVMF
need_amd64
make_work
need qemu-system-x86_64:qemu-system-x86 qemu-img:qemu-utils $ovmf/OVMF_CODE_4M.fd:ovmf socat:socat \
  xorriso:xorriso ssh:openssh-client
qemu='' firmware=''
trap 'stop_qemu; clean_work' EXIT

if [ $debian = yes ]; then
  kind=debian memory=1024 patience=300 firmwares='bios uefi'
else
  kind=demo memory=256 patience=60 firmwares='bios uefi secure'
fi
if [ -z "$image" ]; then
  image=$work/$kind.qcow2
  set -- "$image"
  [ -z "$cache" ] || set -- --cache "$cache" "$@"
  [ $install = no ] || set -- --install "$@"
  "$here/build-$kind" "$@"
fi
image=$(realpath "$image")
name=guest-test
make_seed
free_port
for firmware in $firmwares; do check_$kind; done
echo "all well"
