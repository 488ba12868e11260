# shellcheck shell=sh
# What the image builders share: arguments, checks, Debian packages, disk assembly.
# Sourced, never run. The caller sets prog, its own name; this sets work, out and cache for it.

# Time stamp of everything inside an image. Any fixed number would do; this is the day
# Debian 12 was released. A caller may export another one, as reproducible builds do.
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1686355200}"
export LC_ALL=C TZ=UTC
# sbin is not in every user's path, but mke2fs, debugfs and sfdisk live there.
PATH=$PATH:/usr/sbin:/sbin
umask 022

prog=${prog:?}
started=$(date +%s)
say() { printf '%s %3ss  %s\n' "$prog:" "$(($(date +%s) - started))" "$*" >&2; }
die() {
  printf '%s: %s\n' "$prog" "$*" >&2
  exit 1
}

# ---- arguments and preconditions -------------------------------------------------

# parse_args "$@": the arguments every builder takes.
parse_args() {
  out='' cache='' install=no
  while [ $# -gt 0 ]; do
    case $1 in
      --cache) [ $# -ge 2 ] || usage_error "--cache needs a directory"; cache=$2; shift ;;
      --cache=*) cache=${1#*=} ;;
      --install) install=yes ;;
      -h | --help) usage; exit 0 ;;
      -*) usage_error "unknown option $1" ;;
      *) [ -z "$out" ] || usage_error "more than one output file given"; out=$1 ;;
    esac
    shift
  done
  [ -n "$out" ] || usage_error "the output file is missing"
  [ -d "$(dirname "$out")" ] || die "folder $(dirname "$out") does not exist"
}

usage_error() {
  printf '%s: %s\n' "$prog" "$1" >&2
  usage >&2
  exit 2
}

need_amd64() {
  command -v dpkg >/dev/null || die "dpkg not found: this needs Debian"
  arch=$(dpkg --print-architecture)
  [ "$arch" = amd64 ] || die "only amd64 is supported so far, this machine is $arch"
}

# need COMMAND-OR-FILE:PACKAGE... (after make_work): with --install gets the missing packages, else names them and stops.
need() {
  missing=''
  for pair; do
    [ -e "${pair%%:*}" ] || command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair#*:}"
  done
  [ -n "$missing" ] || return 0
  if [ "$install" = no ]; then
    die "missing Debian packages; install them with: apt-get install --no-install-recommends$missing (or pass --install)"
  fi
  [ "$(id -u)" = 0 ] || die "--install needs root; run: apt-get install --no-install-recommends$missing"
  say "installing Debian packages:$missing"
  # A fresh machine or container has no package lists yet.
  # shellcheck disable=SC2086 # a list of words
  apt_install $missing || { apt-get update >"$work/apt.log" 2>&1 && apt_install $missing; } || {
    tail -n 20 "$work/apt.log" >&2
    die "apt-get could not install:$missing"
  }
}

apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends install "$@" >"$work/apt.log" 2>&1
}

# ---- temp directory and output ---------------------------------------------------

# make_work: a private directory in $work that is gone on any exit.
make_work() {
  work=$(mktemp -d "${TMPDIR:-/tmp}/croft-guest.XXXXXXXX") || die "no temp directory"
  # apt's download user has to walk through it.
  chmod 755 "$work"
  trap clean_work EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

clean_work() {
  # --one-file-system: should a build tool leave a mount behind, never delete through it.
  rm -rf --one-file-system "$work"
  [ -z "${out:-}" ] || rm -f "$out.$$.tmp"
}

# publish RAW QEMU-IMG-OPTIONS...: convert and put in place in one step, so that a reader of
# $out sees the old image or the new one, never half of it.
publish() {
  raw=$1
  shift
  # -m 1: clusters are written in order, so equal disks give equal files.
  qemu-img convert -m 1 -f raw -O qcow2 "$@" "$raw" "$out.$$.tmp" || die "qemu-img convert failed"
  mv "$out.$$.tmp" "$out" || die "cannot write $out"
  say "$out: $(du -k "$out" | cut -f1) KiB, sha256 $(sha256sum "$out" | cut -d' ' -f1)"
}

# ---- Debian packages -------------------------------------------------------------

# The host's package lists serve where they know what is asked for. Otherwise (none yet, or
# stale) a private copy is fetched, which needs no root and leaves the host alone.
apt_lists=''
apt_cache() {
  if [ -n "$apt_lists" ]; then set -- -o "Dir::State::Lists=$apt_lists" "$@"; fi
  apt-cache "$@"
}
apt_refresh() {
  say "fetching Debian's package lists"
  apt_lists=$work/lists
  mkdir -p "$apt_lists/partial"
  apt-get -qq -o "Dir::State::Lists=$apt_lists" -o "Dir::Cache=$work/aptcache" update >&2 ||
    die "apt-get update failed: is a Debian mirror in reach?"
}

# kernel_package META: the versioned kernel package that a meta package stands for.
kernel_package() {
  apt_cache show --no-all-versions "$1" 2>/dev/null |
    sed -n 's/^Depends:.*\(linux-image-[0-9][^ ,]*\).*/\1/p' | grep -m 1 .
}

# library_packages PACKAGE...: the shared-library packages these need, at any depth.
library_packages() {
  apt_cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
    --no-replaces --no-enhances "$@" | grep -E '^(lib|zlib)' | grep -v perl | sort -u
}

# fetch COMMAND: the packages whose names COMMAND prints, verified by apt, in $work/debs (from
# --cache where they are there). Leaves the names in $fetched.
fetch() {
  mkdir -p "$work/debs"
  # Downloads run as apt's own user.
  if [ "$(id -u)" = 0 ] && id _apt >/dev/null 2>&1; then chown _apt "$work/debs"; fi
  # Lists older than the mirror's last update may name files that are gone; then once more with new
  # ones, names included: the kernel's changes with its version.
  # shellcheck disable=SC2086 # a list of words
  if fetched=$("$1") && fetch_once $fetched; then return; fi
  apt_refresh
  # shellcheck disable=SC2086
  if fetched=$("$1") && fetch_once $fetched; then return; fi
  die "could not get Debian's packages: are Debian's package sources set up, and a mirror in reach?"
}
fetch_once() {
  apt_cache show --no-all-versions "$@" 2>/dev/null |
    awk '/^Package:/ { p = $2 } /^Filename:/ { n = split($2, a, "/"); f = a[n] }
         /^SHA256:/ { s = $2 } /^$/ { print p, f, s }' | sort -u >"$work/wanted"
  [ "$(cut -d' ' -f1 "$work/wanted" | sort -u | wc -l)" -eq "$(printf '%s\n' "$@" | sort -u | wc -l)" ] ||
    return 1
  todo=''
  while read -r package file sum; do
    if [ -n "$cache" ] && [ "$(sha256sum 2>/dev/null <"$cache/$file" | cut -d' ' -f1)" = "$sum" ]; then
      cp "$cache/$file" "$work/debs/"
    else
      todo="$todo $package"
    fi
  done 2>/dev/null <"$work/wanted"
  [ -n "$todo" ] || return 0
  say "downloading$todo"
  # shellcheck disable=SC2086 # a list of words
  (cd "$work/debs" && apt-get -qq ${apt_lists:+-o "Dir::State::Lists=$apt_lists"} download $todo >&2) ||
    return 1
  if [ -n "$cache" ]; then
    # Debian writes a version's colon as %3a in file names, the lists leave the epoch out.
    mkdir -p "$cache" && while read -r package file _; do
      for deb in "$work/debs/${package}"_*.deb; do [ ! -e "$deb" ] || cp "$deb" "$cache/$file"; done
    done <"$work/wanted"
  fi
}

# unpack DIR: extract the packages fetched last.
unpack() {
  dir=$1
  for package in $fetched; do
    for deb in "$work/debs/${package}"_*.deb; do
      dpkg-deb -x "$deb" "$dir" || die "cannot unpack $deb"
    done
  done
}
