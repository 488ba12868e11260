# shellcheck shell=sh
# Putting a bootable disk together in a plain file: no loop device, no mount, no root.
# Sourced after lib.sh.
#
#   1 MiB   BIOS boot partition  GRUB's core image, found by the code in the boot sector
#   2 MiB   EFI system partition shim and GRUB as Debian signs them: boots with Secure Boot too
#   18 MiB  root                 ext4, last, so that it can grow; kernel and grub.cfg in /boot
#
# Both ways end in the same /boot/grub/grub.cfg on the root file system.

bios_mib=1 esp_mib=2 root_mib=18

# The packages the boot loaders are taken from, unpacked by the builder in $1 below.
# shellcheck disable=SC2034 # for the builders
boot_packages='grub-common grub-pc-bin grub-efi-amd64-signed shim-signed'

# make_ext4 TREE IMAGE SIZE_MIB UUID LABEL: a file system holding TREE, the same bytes each time.
make_ext4() {
  find "$1" -depth -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  # Features are pinned: newer e2fsprogs turn some on that GRUB 2.06 cannot read.
  E2FSPROGS_FAKE_TIME=$SOURCE_DATE_EPOCH mke2fs -q -F -t ext4 -b 4096 -m 1 -L "$5" -U "$4" \
    -O '^metadata_csum_seed,^orphan_file' \
    -E "hash_seed=$4,lazy_itable_init=0,lazy_journal_init=0" -d "$1" "$2" "$3M" || die "mke2fs failed"
  # mke2fs copies the change time, which cannot be set on a file. Inode numbers are dense in a
  # new file system, so walking them reaches every file without quoting a name.
  used=$(dumpe2fs -h "$2" 2>/dev/null | awk -F: '/^Inode count/ { n = $2 } /^Free inodes/ { n -= $2 } END { print n }')
  {
    inode=2
    while [ "$inode" -le "$used" ]; do
      echo "set_inode_field <$inode> ctime @$SOURCE_DATE_EPOCH"
      # "own=root": everything belongs to root, whoever builds.
      [ "${own:-}" != root ] || printf 'set_inode_field <%d> uid 0\nset_inode_field <%d> gid 0\n' "$inode" "$inode"
      inode=$((inode == 2 ? 11 : inode + 1)) # 3 to 10 are the file system's own
    done
  } >"$2.fix"
  E2FSPROGS_FAKE_TIME=$SOURCE_DATE_EPOCH debugfs -w -f "$2.fix" "$2" >/dev/null 2>&1 || die "debugfs failed"
  rm "$2.fix"
}

# le HEX...: the bytes of a 64-bit little-endian number.
le64() {
  n=$1 bytes=''
  for _ in 1 2 3 4 5 6 7 8; do
    bytes="$bytes\\$(printf %03o $((n & 255)))"
    n=$((n >> 8))
  done
  # shellcheck disable=SC2059 # the escapes are the point
  printf "$bytes"
}

# patch FILE OFFSET: overwrite bytes of FILE with stdin.
patch() { dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }

# put FILE DISK MIB: copy FILE into DISK, leaving holes where it has zeros.
put() { dd if="$1" of="$2" bs=1M seek="$3" conv=notrunc,sparse status=none; }

# make_disk DISK ROOT_IMAGE ROOT_UUID TOOLS: the whole disk; TOOLS is where boot_packages are unpacked.
make_disk() {
  disk=$1 root_image=$2 root_uuid=$3 tools=$4
  size=$(($(stat -c %s "$root_image") / 1048576 + root_mib + 1))
  rm -f "$disk" && truncate -s "${size}M" "$disk"
  # The disk's own uuids are made from the root's, so they are fixed as well.
  sfdisk -q "$disk" <<END || die "sfdisk failed"
label: gpt
label-id: 00000001${root_uuid#????????}
start=${bios_mib}MiB, size=$((esp_mib - bios_mib))MiB, type=21686148-6449-6E6F-744E-656564454649, uuid=00000002${root_uuid#????????}
start=${esp_mib}MiB, size=$((root_mib - esp_mib))MiB, type=U, uuid=00000003${root_uuid#????????}
start=${root_mib}MiB, size=$((size - root_mib - 1))MiB, type=L, uuid=00000004${root_uuid#????????}
END
  put "$root_image" "$disk" "$root_mib"
  efi_loader
  bios_loader
}

# Where GRUB goes on: the menu of the root file system.
grub_stub() {
  printf '%s %s root\n' "$1" "$root_uuid"
  # shellcheck disable=SC2016 # for GRUB to expand
  printf 'set prefix=($root)/boot/grub\nconfigfile $prefix/grub.cfg\n'
}

efi_loader() {
  esp=$work/esp.img
  rm -f "$esp" && truncate -s "$((root_mib - esp_mib))M" "$esp"
  grub_stub 'search.fs_uuid' >"$work/stub.cfg"
  touch -d "@$SOURCE_DATE_EPOCH" "$work/stub.cfg"
  export MTOOLS_SKIP_CHECK=1
  mformat -i "$esp" -N 43524f46 -v ESP :: &&
    mmd -i "$esp" ::EFI ::EFI/BOOT ::EFI/debian &&
    # The removable-media path: firmware boots it with no entry in its variables.
    mcopy -m -i "$esp" "$tools/usr/lib/shim/shimx64.efi.signed" ::EFI/BOOT/BOOTX64.EFI &&
    mcopy -m -i "$esp" "$tools/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed" ::EFI/BOOT/grubx64.efi &&
    # The folder is fixed in the signed binary.
    mcopy -m -i "$esp" "$work/stub.cfg" ::EFI/debian/grub.cfg || die "cannot make the EFI partition"
  put "$esp" "$disk" "$esp_mib"
}

# What grub-install does, done by hand because that wants a block device.
bios_loader() {
  modules=$tools/usr/lib/grub/i386-pc
  grub_stub 'search.fs_uuid' >"$work/core.cfg"
  run_tool "$tools" usr/bin/grub-mkimage -O i386-pc -d "$modules" -c "$work/core.cfg" -p /boot/grub \
    -o "$work/core.img" biosdisk part_gpt ext2 search_fs_uuid normal configfile linux || die "grub-mkimage failed"
  # core.img's first sector says where the rest is (offset 500), the boot sector where core.img
  # is (offset 92), in sectors of 512 bytes.
  sector=$((bios_mib * 2048))
  le64 $((sector + 1)) | patch "$work/core.img" 500
  put "$work/core.img" "$disk" "$bios_mib"
  # Only the code: bytes 440 on are the partition table's. The two NOPs at 102 make it trust
  # the drive number that the BIOS hands over.
  cp "$modules/boot.img" "$work/boot.img"
  le64 "$sector" | patch "$work/boot.img" 92
  printf '\220\220' | patch "$work/boot.img" 102
  dd if="$work/boot.img" of="$disk" bs=440 count=1 conv=notrunc status=none
}

# run_tool TREE PROGRAM ARGUMENTS...: run a program out of unpacked packages with the
# libraries beside it, so that nothing needs to be installed for it.
run_tool() {
  tree=$1 program=$2
  shift 2
  "$tree/lib64/ld-linux-x86-64.so.2" --library-path \
    "$tree/usr/lib/x86_64-linux-gnu:$tree/lib/x86_64-linux-gnu" "$tree/$program" "$@"
}
