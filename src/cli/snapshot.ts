// Snapshots: a machine with all its disks, or one volume, as it was at one instant; and the way back.
import { since } from '../kinds/cells.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import type { KindOf } from '../kinds/kind.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineRestore } from '../kinds/snapshot/virtual-machine-restore.ts'
import { VirtualMachineSnapshot } from '../kinds/snapshot/virtual-machine-snapshot.ts'
import { VolumeSnapshot } from '../kinds/snapshot/volume-snapshot.ts'
import { CliError } from './cli-error.ts'
import { type Call, EXIT, type Run, type World } from './command.ts'
import { connect } from './connect.ts'
import { timeoutOf } from './machine.ts'
import { nameOf } from './output.ts'
import { waitFor } from './progress.ts'
import { removeOne } from './removal.ts'
import { confirm, notFoundNear, printList, printOne } from './show.ts'
import { suffixOf } from './vm-create.ts'

type MachineSnapshot = KindOf<typeof VirtualMachineSnapshot>
/** A frozen file system and a commit on every disk; a full copy is not made. Milliseconds. */
const TIMEOUT_MS = 5 * 60_000
const MACHINE = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine' } as const

export const snapshotList: Run = async (call, world) => {
  const { client, namespace } = await connect(call, world)
  const everywhere = call.on('all-namespaces')
  const { items } = await client.list(VirtualMachineSnapshot, everywhere ? {} : { namespace })
  const now = world.host.clock.now()
  return printList(call, world, {
    kind: VirtualMachineSnapshot,
    items,
    fields: [
      ...(everywhere ? [{ name: 'Namespace', value: (one: MachineSnapshot) => one.metadata.namespace }] : []),
      { name: 'Name', value: (one) => one.metadata.name },
      { name: 'Machine', value: (one) => one.spec?.source?.name },
      { name: 'State', value: stateOf },
      { name: 'How', wide: true, value: (one) => one.status?.indications?.join(', ') },
      { name: 'Age', value: (one) => since(one.status?.creationTime ?? one.metadata.creationTimestamp, now) },
    ],
  })
}

function stateOf({ status }: MachineSnapshot): string {
  return status?.readyToUse ? 'Ready' : (status?.phase ?? 'InProgress')
}

export const snapshotShow: Run = async (call, world) => {
  const connection = await connect(call, world)
  const kind = VirtualMachineSnapshot
  return printOne(call, world, kind, await notFoundNear(world, connection, kind, call.args[0] ?? ''))
}

export const snapshotDelete: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  const question = `Delete snapshot "${name}"? The machine stays as it is.`
  return removeOne(call, world, connection, { kind: VirtualMachineSnapshot, name, question })
}

export const vmSnapshot: Run = async (call, world) => {
  const [machine = '', name = `${machine}-${suffixOf(world)}`] = call.args
  const connection = await connect(call, world)
  const { client, namespace } = connection
  await notFoundNear(world, connection, VirtualMachine, machine)
  const made = await client.create(
    VirtualMachineSnapshot,
    {
      apiVersion: 'snapshot.kubevirt.io/v1beta1',
      kind: 'VirtualMachineSnapshot',
      metadata: { name, namespace },
      spec: { source: { ...MACHINE, name: machine } },
    } as MachineSnapshot,
    { namespace },
  )
  if (!call.on('no-wait'))
    await waitFor(world, {
      client,
      kind: VirtualMachineSnapshot,
      name,
      namespace,
      timeoutMs: timeoutOf(call, TIMEOUT_MS),
      what: `snapshot ${name} is ready`,
      next: `croft snapshot show ${name} -n ${namespace}`,
      look: (now) => lookAt(name, now),
    })
  world.terminal.out(`${nameOf(VirtualMachineSnapshot, made)} ${call.on('no-wait') ? 'created' : 'ready'}\n`)
  world.terminal.note(`The way back: croft vm restore ${machine} ${name}\n`)
  return EXIT.done
}

function lookAt(name: string, now: MachineSnapshot | undefined) {
  const failed = now?.status?.phase === 'Failed'
  if (now === undefined || failed)
    throw new CliError({
      what: `Snapshot "${name}" could not be taken.`,
      why: now?.status?.error?.message ?? 'it was deleted meanwhile',
      code: EXIT.failed,
      reason: 'SnapshotFailed',
    })
  const why = now.status?.error?.message
  return {
    done: now.status?.readyToUse === true,
    step: `${name}: ${stateOf(now)}${why ? ` (${why})` : ''}`,
  }
}

export const vmRestore: Run = async (call, world) => {
  const [machine = '', snapshot = ''] = call.args
  const connection = await connect(call, world)
  const { client, namespace } = connection
  const vm = await notFoundNear(world, connection, VirtualMachine, machine)
  const kept = await notFoundNear(world, connection, VirtualMachineSnapshot, snapshot)
  requireFits(machine, kept)
  if (vm.status?.created === true)
    throw new CliError({
      what: `${machine} runs; a machine is restored while it is off.`,
      next: `croft vm stop ${machine} -n ${namespace}`,
      code: EXIT.conflict,
      reason: 'Running',
    })
  if (
    !(await confirm(call, world, `Put "${machine}" back to "${snapshot}"? What was written since is lost.`))
  ) {
    world.terminal.note('Nothing was restored.\n')
    return EXIT.failed
  }
  const name = `${snapshot}-restore-${suffixOf(world)}`
  await client.create(
    VirtualMachineRestore,
    {
      apiVersion: 'snapshot.kubevirt.io/v1beta1',
      kind: 'VirtualMachineRestore',
      metadata: { name, namespace },
      spec: { target: { ...MACHINE, name: machine }, virtualMachineSnapshotName: snapshot },
    } as KindOf<typeof VirtualMachineRestore>,
    { namespace },
  )
  if (!call.on('no-wait')) {
    await waitForRestore(call, world, connection, name)
    await replacedDisks(call, world, connection, vm)
  }
  world.terminal.note(
    `${machine} ${call.on('no-wait') ? 'goes' : 'is'} back at ${snapshot}. Start it: croft vm start ${machine}\n`,
  )
  return EXIT.done
}

function requireFits(machine: string, { metadata, spec, status }: MachineSnapshot): void {
  const of = spec?.source?.name ?? ''
  if (of !== machine)
    throw new CliError({
      what: `Snapshot "${metadata.name}" is of machine "${of}", not of "${machine}".`,
      code: EXIT.refused,
      reason: 'OtherMachine',
    })
  if (status?.readyToUse !== true)
    throw new CliError({
      what: `Snapshot "${metadata.name}" is not ready.`,
      ...(status?.error?.message ? { why: status.error.message } : {}),
      code: EXIT.conflict,
      reason: 'NotReady',
    })
}

type Connected = Awaited<ReturnType<typeof connect>>

/** The disks of before are still whole; they go only when that is wanted. */
async function replacedDisks(
  call: Call,
  world: World,
  { client, namespace }: Connected,
  before: KindOf<typeof VirtualMachine>,
): Promise<void> {
  const after = await client.get(VirtualMachine, before.metadata.name ?? '', { namespace })
  const present = new Set(claimsOf(after))
  for (const claim of claimsOf(before).filter((one) => !present.has(one))) {
    if (call.on('delete-old')) await client.delete(PersistentVolumeClaim, claim, { namespace })
    else world.terminal.note(`The disk of before is kept: croft volume delete ${claim} -n ${namespace}\n`)
  }
}

function claimsOf({ spec }: KindOf<typeof VirtualMachine>): readonly string[] {
  return (spec?.template?.spec?.volumes ?? []).flatMap(
    ({ persistentVolumeClaim, dataVolume }) => persistentVolumeClaim?.claimName ?? dataVolume?.name ?? [],
  )
}

async function waitForRestore(
  call: Call,
  world: World,
  { client, namespace }: Connected,
  name: string,
): Promise<void> {
  await waitFor(world, {
    client,
    kind: VirtualMachineRestore,
    name,
    namespace,
    timeoutMs: timeoutOf(call, TIMEOUT_MS),
    what: `restore ${name} is done`,
    look(now) {
      const failure = now?.status?.conditions?.find(
        ({ type, status }) => type === 'Failure' && status === 'True',
      )
      if (failure)
        throw new CliError({
          what: 'The machine could not be restored.',
          why: String(failure.message ?? failure.reason ?? ''),
          code: EXIT.failed,
          reason: 'RestoreFailed',
        })
      const waits = now?.status?.conditions?.find(({ type }) => type === 'Progressing')
      return {
        done: now?.status?.complete === true,
        step: `${name}: ${String(waits?.reason ?? 'restoring')}`,
      }
    },
  })
}

export const volumeSnapshot: Run = async (call, world) => {
  const [volume = '', name = `${volume}-${suffixOf(world)}`] = call.args
  const connection = await connect(call, world)
  const { client, namespace } = connection
  await notFoundNear(world, connection, PersistentVolumeClaim, volume)
  const made = await client.create(
    VolumeSnapshot,
    {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: { name, namespace },
      spec: { source: { persistentVolumeClaimName: volume } },
    } as KindOf<typeof VolumeSnapshot>,
    { namespace },
  )
  if (!call.on('no-wait'))
    await waitFor(world, {
      client,
      kind: VolumeSnapshot,
      name,
      namespace,
      timeoutMs: timeoutOf(call, TIMEOUT_MS),
      what: `snapshot ${name} is ready`,
      look: (now) => ({
        done: now?.status?.readyToUse === true,
        step: `${name}: ${now?.status?.error?.message ?? 'InProgress'}`,
      }),
    })
  world.terminal.out(`${nameOf(VolumeSnapshot, made)} ${call.on('no-wait') ? 'created' : 'ready'}\n`)
  return EXIT.done
}
