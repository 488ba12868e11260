// Why a node takes no machines, or runs them badly.
import { humanDuration } from '../base/duration.ts'
import { parseTime } from '../base/time.ts'
import type { Node } from '../kinds/core/node.ts'
import {
  type About,
  conditionOf,
  fine,
  fineBut,
  saying,
  type Tell,
  text,
  type Why,
  withNotes,
  wrong,
} from './why.ts'

export interface NodeFacts {
  readonly node: Node
}

export function whyNode({ node }: NodeFacts, tell: Tell): Why {
  const name = node.metadata.name ?? ''
  const about: About = { kind: 'Node', name }
  const { conditions } = node.status ?? {}
  const ready = conditionOf(conditions, 'Ready')
  if (ready?.status === 'False')
    return wrong(
      about,
      text(tell, 'why.node.notReady', { message: ready.message ?? ready.reason ?? '' }),
      text(tell, 'why.node.silent.next'),
    )
  if (ready?.status !== 'True')
    return wrong(
      about,
      text(tell, 'why.node.silent', { time: silenceOf(node, tell) }),
      text(tell, 'why.node.silent.next'),
    )
  const pressure = saying(conditions, 'DiskPressure', 'True')
  if (pressure)
    return wrong(
      about,
      text(tell, 'why.node.notReady', { message: pressure.message ?? '' }),
      text(tell, 'why.volume.noRoom.next'),
    )
  const good =
    node.spec?.unschedulable === true
      ? fineBut(about, text(tell, 'why.node.cordoned'), text(tell, 'why.node.cordoned.next', { name }))
      : fine(tell, about)
  return withNotes(good, [slowNote(node, tell)])
}

/** How long ago it was last heard of, in words. */
export function silenceOf(node: Node, { now }: Tell): string {
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready')
  // A heartbeat comes only every five minutes; it was certainly heard of until shortly before it was found silent.
  const times = [ready?.lastHeartbeatTime, ready?.status === 'Unknown' ? ready.lastTransitionTime : undefined]
  const heard = times.flatMap((time) => parseTime(String(time ?? '')) ?? [])
  const since = heard.length > 0 ? Math.max(...heard) : parseTime(node.metadata.creationTimestamp ?? '')
  return since === undefined ? '?' : humanDuration((now - since) / 1000)
}

export function slowNote(node: Node, tell: Tell): string | undefined {
  if (!saying(node.status?.conditions, 'croft.io/HardwareVirtualization', 'False')) return undefined
  return `${text(tell, 'why.vm.slow', { node: node.metadata.name ?? '' })} ${text(tell, 'why.vm.slow.next')}`
}
