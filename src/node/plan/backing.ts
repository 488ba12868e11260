// What stands behind a disk of a machine: where its bytes are and how QEMU reaches them.

/** One replica's export. */
export interface NbdChild {
  readonly server:
    | { readonly unix: string }
    | {
        readonly host: string
        readonly port: number
        /** Absent: without TLS. */
        readonly tlsCreds?: string
        /** This host's certificates, as QEMU wants them in a folder, for whoever makes that object. */
        readonly tlsFolder?: string
      }
  readonly exportName: string
}

export type DiskBacking =
  /** One child: plain NBD. Several: quorum with the vote threshold at their number, local child first. */
  | { readonly kind: 'nbd'; readonly children: readonly NbdChild[] }
  | {
      readonly kind: 'file'
      readonly path: string
      readonly format: 'raw' | 'qcow2'
      readonly readOnly?: boolean
    }
  /** A block device of the host. */
  | { readonly kind: 'block'; readonly path: string }

/** A volume of the VMI with what stands behind it. */
export interface PlannedVolume {
  readonly name: string
  readonly backing: DiskBacking
  /** Size as the guest sees it, where known. Bytes. */
  readonly sizeBytes?: number
  /** Name of the Longhorn volume, where it stands on one. */
  readonly longhornVolume?: string
}
