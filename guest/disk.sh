# shellcheck shell=sh
# Putting a bootable disk together in a plain file: no loop device, no mount, no root.
# Sourced after lib.sh.
#
#   1 MiB    boot  FAT, the EFI system partition: kernel, initramfs and the boot loaders
#   then     root  ext4, last on the disk, so that it can grow
#
# BIOS: SYSLINUX. GRUB would do, but under emulation it takes 8 s longer (it moves the unpacked
# kernel's 54 MB byte by byte). UEFI: shim and GRUB as Debian signs them, so that Secure Boot works.
# Both read the same two files, /vmlinuz and /initrd, so a newer kernel needs no new configuration.

# The packages the boot loaders come from; the builder unpacks them.
# shellcheck disable=SC2034 # for the builders
boot_packages='syslinux syslinux-common grub-efi-amd64-signed shim-signed'

# make_ext4 TREE IMAGE SIZE_MIB UUID LABEL: a file system holding TREE, the same bytes each time.
make_ext4() {
  find "$1" -depth -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  truncate -s "$3M" "$2"
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

# put FILE DISK MIB: copy FILE into DISK, leaving holes where it has zeros.
put() { dd if="$1" of="$2" bs=1M seek="$3" conv=notrunc,sparse status=none; }

# make_boot IMAGE SIZE_MIB TOOLS KERNEL INITRD COMMAND_LINE: the boot partition.
make_boot() {
  # shellcheck disable=SC2154 # work is set by lib.sh
  boot=$1 tools=$3 stage=$work/boot
  mkdir -p "$stage"
  printf 'DEFAULT linux\nPROMPT 0\nTIMEOUT 0\nLABEL linux\nLINUX /vmlinuz\nINITRD /initrd\nAPPEND %s\n' "$6" >"$stage/syslinux.cfg"
  printf 'linux /vmlinuz %s\ninitrd /initrd\nboot\n' "$6" >"$stage/grub.cfg"
  cp "$4" "$stage/vmlinuz"
  cp "$5" "$stage/initrd"
  cp "$tools/usr/lib/shim/shimx64.efi.signed" "$stage/BOOTX64.EFI"
  cp "$tools/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed" "$stage/grubx64.efi"
  find "$stage" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
  export MTOOLS_SKIP_CHECK=1 # no doubts about a FAT without a real drive's geometry
  rm -f "$boot"
  # EFI/BOOT is where firmware looks without an entry in its variables; EFI/debian is written into
  # the signed GRUB.
  # shellcheck disable=SC2015 # die is meant for any of them
  truncate -s "$2M" "$boot" &&
    mformat -i "$boot" -N 43524f46 -v BOOT :: &&
    mmd -i "$boot" ::EFI ::EFI/BOOT ::EFI/debian &&
    mcopy -m -i "$boot" "$stage/vmlinuz" "$stage/initrd" "$stage/syslinux.cfg" :: &&
    mcopy -m -i "$boot" "$stage/BOOTX64.EFI" "$stage/grubx64.efi" ::EFI/BOOT &&
    mcopy -m -i "$boot" "$stage/grub.cfg" ::EFI/debian &&
    TMPDIR=$work "$tools/usr/bin/syslinux" --install "$boot" || die "cannot make the boot partition"
}

# make_disk DISK BOOT_IMAGE ROOT_IMAGE ROOT_UUID TOOLS: the whole disk.
make_disk() {
  disk=$1 uuid=${4#????????}
  boot_mib=$(($(stat -c %s "$2") / 1048576)) root_mib=$(($(stat -c %s "$3") / 1048576))
  rm -f "$disk"
  # One MiB before and one after, where the partition table and its copy are.
  truncate -s "$((boot_mib + root_mib + 2))M" "$disk"
  # The disk's own uuids are made from the root's, so they are fixed as well.
  sfdisk -q "$disk" <<END || die "sfdisk failed"
label: gpt
label-id: 00000001$uuid
start=1MiB, size=${boot_mib}MiB, type=U, uuid=00000002$uuid, attrs=LegacyBIOSBootable
start=$((boot_mib + 1))MiB, size=${root_mib}MiB, type=L, uuid=00000003$uuid
END
  # The code of the boot sector; bytes 440 on are the partition table's.
  dd if="$5/usr/lib/syslinux/mbr/gptmbr.bin" of="$disk" bs=440 count=1 conv=notrunc status=none
  put "$2" "$disk" 1
  put "$3" "$disk" $((boot_mib + 1))
}
