// What the pages of volumes read: claims, and, for whoever may, the volumes and copies behind them.
import { useMemo } from 'react'
import { MACHINES } from '../../data/kinds.ts'
import { useObjects } from '../../data/use-objects.ts'
import { useMay } from '../kit/may.ts'
import { type Claim, REPLICAS, type Replica, STORAGE_NAMESPACE, VOLUMES, type Volume } from '../kit/places.ts'
import { machinesWith } from './volume-facts.ts'

export interface Behind {
  readonly volumeOf: (claim: Claim) => Volume | undefined
  readonly copiesOf: (claim: Claim) => readonly Replica[]
  readonly machinesOf: (claim: Claim) => readonly string[]
  /** Whether volumes and copies are shown at all. */
  readonly isOpen: boolean
}

export function useBehind(namespace: string | undefined): Behind {
  const mayVolumes = useMay({ verb: 'list', place: VOLUMES, namespace: STORAGE_NAMESPACE })
  const mayCopies = useMay({ verb: 'list', place: REPLICAS, namespace: STORAGE_NAMESPACE })
  const volumes = useObjects(VOLUMES, { namespace: STORAGE_NAMESPACE, skip: mayVolumes !== true })
  const copies = useObjects(REPLICAS, { namespace: STORAGE_NAMESPACE, skip: mayCopies !== true })
  const machines = useObjects(MACHINES, { namespace })
  return useMemo(() => {
    const byVolume = Map.groupBy(copies.list, ({ spec }) => spec?.volumeName ?? '')
    const nameOf = ({ spec }: Claim) => spec?.volumeName ?? ''
    return {
      isOpen: mayVolumes === true,
      volumeOf: (claim) => volumes.objects.get(`${STORAGE_NAMESPACE}/${nameOf(claim)}`),
      copiesOf: (claim) => byVolume.get(nameOf(claim)) ?? [],
      machinesOf: (claim) => machinesWith(claim, machines.list),
    }
  }, [mayVolumes, volumes.objects, copies.list, machines.list])
}
