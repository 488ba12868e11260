// Each invariant's checker against a product that is wrong on purpose: what it protects from must be found within some
// seeds, or the checker is worth nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failed, ok } from '../../base/result.ts'
import type { AnyDecider } from '../../kinds/decide.ts'
import { Replica } from '../../kinds/longhorn/replica.ts'
import { addExport } from '../../node/volume/daemon.ts'
import { type EpochRecord, exportName } from '../../node/volume/epoch/record.ts'
import { layersOf, nodeOf } from '../../node/volume/layers.ts'
import type { Member } from '../../node/volume/member.ts'
import { simulateVolume, type VolumeSimulation, volumeDeciders } from './simulate-volume.ts'
import type { StorageAgent } from './storage-agent.ts'

/** `from`: the first seed, where it takes one of some luck. */
type Wrong = Omit<VolumeSimulation, 'seed' | 'deciders'> &
  Partial<Pick<VolumeSimulation, 'deciders'>> & { readonly from?: number }

async function caught(what: RegExp, seeds: number, { from = 1, ...wrong }: Wrong): Promise<void> {
  const others: string[] = []
  const onlyFaults = !/8|14/.test(what.source)
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { problems } = await simulateVolume({ deciders: volumeDeciders, onlyFaults, ...wrong, seed })
    if (problems.some((problem) => what.test(problem))) return
    if (problems[0] !== undefined) others.push(problems[0])
  }
  assert.fail(`not found in ${seeds} seeds: ${what}; found: ${others.slice(0, 3).join('; ') || 'nothing'}`)
}

/** The members' orders with some of them done wrong. */
function wrongMember(
  orders: (member: Member, agent: StorageAgent) => Partial<Member>,
): (member: Member, agent: StorageAgent) => Member {
  return (member, agent) => ({ ...member, ...orders(member, agent) })
}

/** The volume decider, with what it does changed. */
function wrongDecider(change: (actions: readonly unknown[], seen: SeenReplicas) => readonly unknown[]) {
  return (): readonly AnyDecider[] =>
    volumeDeciders().map((one) => ({
      ...one,
      decide: (seen, now) => {
        const decision = one.decide(seen, now)
        return {
          ...decision,
          actions: change(decision.actions, seen as SeenReplicas) as typeof decision.actions,
        }
      },
    }))
}

interface SeenReplicas {
  readonly replicas: readonly Replica[]
}

test('V1: disks that keep nothing of a flush', () =>
  caught(/V1:/, 20, { noFlush: true, faults: ['replica-kill', 'power-off-all'] }))

test('V2: replicas that are not made equal after an unclean end', () =>
  caught(/V[26]:/, 20, { from: 6, noEqualise: true, faults: ['machine-kill', 'replica-kill'] }))

test('V3: a replica that opens the next epoch beside the one that is written', () =>
  caught(/V3:/, 5, {
    faults: [],
    member: wrongMember((member, agent) => ({
      meta: async () => {
        const meta = await member.meta()
        const daemon = agent.slots.get(member.replica)?.daemon
        if (!daemon || !meta.ok || meta.value.epoch === 0) return meta
        const { replica } = member
        const next = exportName({ replica, incarnation: meta.value.incarnation }, meta.value.epoch + 1)
        await addExport(daemon, next, nodeOf(meta.value.head))
        return meta
      },
    })),
  }))

test('V4: writes that are acknowledged when one replica has them', () =>
  caught(/V4:|V2:/, 20, { from: 5, threshold: 1, faults: ['link-cut', 'disk-error'] }))

test('V5: a smaller set without a new epoch', () =>
  caught(/V5:/, 20, {
    from: 4,
    faults: ['replica-kill'],
    commit: (commit) => (next, before) =>
      commit(
        before.epoch > 0 && next.inSync.length < before.inSync.length
          ? { ...next, epoch: before.epoch }
          : next,
        before,
      ),
  }))

test('V6: a replica that counts from the moment it joins', () =>
  caught(/V[126]:/, 20, {
    from: 5,
    faults: ['replica-kill'],
    commit: (commit) => (next, before) => {
      const { joining, ...rest } = next
      const hasty: EpochRecord = joining ? { ...rest, inSync: [...rest.inSync, joining] } : next
      return commit(hasty, before)
    },
  }))

test('V7: a daemon that was started anew and says that it was not', () => {
  const worlds = new WeakMap<object, Map<string, string>>()
  return caught(/V[127]:/, 20, {
    from: 9,
    faults: ['replica-kill'],
    member: wrongMember((member, agent) => ({
      ask: async (timeoutMs) => {
        const seen = await member.ask(timeoutMs)
        if (seen.state === 'absent') return seen
        const told = worlds.get(agent.world) ?? new Map<string, string>()
        worlds.set(agent.world, told)
        const { incarnation } = seen.report
        const first = told.get(member.replica) ?? incarnation
        told.set(member.replica, first)
        return { ...seen, report: { ...seen.report, incarnation: first } }
      },
      serve: async (order) => {
        const seen = await member.ask(1_000)
        const incarnation = seen.state === 'present' ? seen.report.incarnation : order.incarnation
        return member.serve({ ...order, incarnation })
      },
    })),
  })
})

test('V8: an end that is called clean and was not', () =>
  caught(/V[268]:/, 40, {
    from: 2,
    faults: ['machine-kill', 'replica-kill'],
    commit: (commit) => (next, before) =>
      commit(next.engine ? next : { ...next, cleanShutdown: true }, before),
  }))

test('V9: a replica that freezes a moment after the guest went on', () =>
  caught(/V9:/, 20, {
    from: 4,
    faults: [],
    member: wrongMember((member, agent) => ({
      freeze: async (name) => {
        if (agent.name === 'n1') void agent.process.clock.sleep(150).then(() => member.freeze(name))
        else return member.freeze(name)
        return ok(undefined)
      },
      settleFreeze: async (name) => {
        await agent.process.clock.sleep(200)
        return member.settleFreeze(name)
      },
    })),
  }))

test('V10: a layer whose file goes before what lies on it has taken it in', () =>
  caught(/V10:|V9:/, 20, {
    faults: [],
    member: wrongMember((member, agent) => ({
      removeLayer: async (name) => {
        const meta = await member.meta()
        const layer = meta.ok ? layersOf(meta.value).find((one) => one.name === name) : undefined
        const place = agent.slots.get(member.replica)?.place
        if (layer && place) await agent.host.files.remove(`${place.folder}/${layer.file}`)
        return failed({ reason: 'Wrong', message: 'removed', retry: 'later' as const })
      },
    })),
  }))

test('V12: a control plane that deletes whatever failed last', () =>
  caught(/V12:/, 20, {
    from: 3,
    faults: ['replica-kill', 'disk-error'],
    deciders: wrongDecider((actions, { replicas }) => [
      ...actions,
      ...replicas
        .filter((one) => one.status?.currentState === 'error' && !one.metadata.deletionTimestamp)
        .map(({ metadata: { name, namespace, uid } }) => ({
          do: 'delete',
          target: { kind: Replica, namespace, name, uid },
        })),
    ]),
  }))

test('V13: a hung replica that nobody notices', () => {
  const worlds = new WeakMap<object, Map<string, Awaited<ReturnType<Member['ask']>>>>()
  return caught(/V13:/, 40, {
    from: 11,
    idleUser: true,
    faults: ['replica-hang'],
    member: wrongMember((member, agent) => ({
      ask: async (timeoutMs) => {
        const told = worlds.get(agent.world) ?? new Map<string, Awaited<ReturnType<Member['ask']>>>()
        worlds.set(agent.world, told)
        const seen = await member.ask(timeoutMs)
        if (seen.state === 'present') told.set(member.replica, seen)
        return told.get(member.replica) ?? seen
      },
    })),
  })
})

test('V14: a rebuild that never gets anywhere', () =>
  caught(/V14:/, 10, {
    from: 4,
    faults: ['replica-kill'],
    member: wrongMember(() => ({
      prepareJoin: async () => failed({ reason: 'Wrong', message: 'never', retry: 'later' as const }),
    })),
  }))

test('V15: a second replica on the node of the first', () =>
  caught(/V15:/, 10, {
    faults: [],
    deciders: wrongDecider((actions) =>
      actions.flatMap((action) => {
        const made = action as { readonly do: string; readonly kind?: unknown; readonly object?: Replica }
        if (made.do !== 'create' || made.kind !== Replica || !made.object) return [action]
        const { metadata, spec } = made.object
        const twin = {
          ...made.object,
          metadata: { ...metadata, name: `${metadata.name}x` },
          spec: { ...spec, dataDirectoryName: `${spec?.dataDirectoryName}x` },
        }
        return [action, { ...made, object: twin }]
      }),
    ),
  }))
