// Whether a healed cluster is as its users wish, and whether what they deleted left anything behind. Reads the store
// itself, so that no cache can be wrong about it.
import { parseJson } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import type { Cluster } from './cluster.ts'

const decoder = new TextDecoder()

function objects(cluster: Cluster, place: string): readonly KubeObject[] {
  const page = cluster.server.store?.range(`/registry/${place}/`)
  return (page?.entries ?? []).map((entry) => parseJson(decoder.decode(entry.value)) as unknown as KubeObject)
}

const nameOf = (one: KubeObject): string => one.metadata.name ?? ''

/** What is not yet as wished. */
export function unsettled(cluster: Cluster): readonly string[] {
  const { server, problems } = cluster
  if (!server.ready) return ['the server is not ready']
  const open: string[] = []
  const machines = objects(cluster, 'kubevirt.io/virtualmachines')
  for (const machine of machines) {
    const name = nameOf(machine)
    if (machine.metadata.deletionTimestamp !== undefined) {
      open.push(`machine ${name} is being deleted`)
      continue
    }
    const { runStrategy } = machine['spec'] as { readonly runStrategy?: string }
    const { printableStatus } = (machine['status'] ?? {}) as { readonly printableStatus?: string }
    const running = problems.running(`default/${name}`)
    if (runStrategy === 'Always' && (running !== 1 || printableStatus !== 'Running')) {
      open.push(`machine ${name} should run: ${running} QEMU, status ${printableStatus}`)
    }
    if (runStrategy === 'Halted' && (running !== 0 || printableStatus !== 'Stopped')) {
      open.push(`machine ${name} should be stopped: ${running} QEMU, status ${printableStatus}`)
    }
  }
  for (const pod of objects(cluster, 'core/pods')) {
    const { phase } = (pod['status'] ?? {}) as { readonly phase?: string }
    if (phase !== 'Running') open.push(`Pod ${nameOf(pod)} is ${phase}`)
    if (pod.metadata.deletionTimestamp !== undefined) open.push(`Pod ${nameOf(pod)} is being deleted`)
  }
  for (const part of [
    ...objects(cluster, 'longhorn.io/replicas'),
    ...objects(cluster, 'longhorn.io/engines'),
  ]) {
    const { desireState } = part['spec'] as { readonly desireState?: string }
    const { currentState } = (part['status'] ?? {}) as { readonly currentState?: string }
    if ((currentState ?? 'stopped') !== desireState)
      open.push(`${part.kind} ${nameOf(part)} is ${currentState}`)
  }
  for (const node of objects(cluster, 'core/nodes')) {
    const conditions = (node['status'] as { conditions?: readonly { type: string; status: string }[] })
      ?.conditions
    const ready = conditions?.find((condition) => condition.type === 'Ready')?.status
    if (ready !== 'True') open.push(`node ${nameOf(node)} is ${ready}`)
  }
  if (!server.idle()) open.push('the controllers are busy')
  return open.length > 0 ? open : remains(cluster)
}

/** What belongs to nothing any more. */
export function remains(cluster: Cluster): readonly string[] {
  const left: string[] = []
  const names = new Set(objects(cluster, 'kubevirt.io/virtualmachines').map(nameOf))
  const claims = objects(cluster, 'core/persistentvolumeclaims')
  for (const vmi of objects(cluster, 'kubevirt.io/virtualmachineinstances')) {
    if (!names.has(nameOf(vmi))) left.push(`instance ${nameOf(vmi)}`)
  }
  for (const pod of objects(cluster, 'core/pods')) {
    const owner = pod.metadata.ownerReferences?.[0]
    if (owner !== undefined && !names.has(owner.name)) left.push(`Pod ${nameOf(pod)}`)
  }
  for (const claim of claims) {
    if (!names.has(nameOf(claim).replace(/-root$/, ''))) left.push(`claim ${nameOf(claim)}`)
  }
  const wanted = new Set(claims.map((claim) => `pvc-${claim.metadata.uid}`))
  for (const place of ['core/persistentvolumes', 'longhorn.io/volumes']) {
    for (const volume of objects(cluster, place)) {
      if (!wanted.has(nameOf(volume))) left.push(`${place} ${nameOf(volume)}`)
    }
  }
  const replicas = objects(cluster, 'longhorn.io/replicas')
  for (const child of [...replicas, ...objects(cluster, 'longhorn.io/engines')]) {
    const { volumeName } = child['spec'] as { readonly volumeName?: string }
    if (!wanted.has(volumeName ?? '')) left.push(`${child.kind} ${nameOf(child)}`)
  }
  const uids = new Set(replicas.map((replica) => replica.metadata.uid))
  const pods = new Set(objects(cluster, 'core/pods').map((pod) => pod.metadata.uid))
  for (const { node } of cluster.hosts) {
    for (const uid of node.files) if (!uids.has(uid)) left.push(`files of replica ${uid} on ${node.name}`)
    for (const uid of node.daemons) if (!uids.has(uid)) left.push(`daemon of replica ${uid} on ${node.name}`)
    for (const { podUid, machine } of node.qemus.values()) {
      if (!pods.has(podUid)) left.push(`QEMU of ${machine} on ${node.name}`)
    }
  }
  return left
}
