// Writes the agent's part of a VirtualMachineInstance's and a Pod's status: only where something differs, only over
// the version that was looked at.
import { deepEqual } from '../base/equality.ts'
import { ApiError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import { Pod } from '../kinds/core/pod.ts'
import type { Kind } from '../kinds/kind.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import type { AgentOptions } from './agent-options.ts'
import type { MachineView } from './plan/machine-view.ts'
import { podStatus } from './plan/pod-status.ts'
import { vmiStatus } from './plan/vmi-status.ts'

/** `stale`: somebody else wrote in the meantime; look again. */
export type Written = 'written' | 'unchanged' | 'stale' | 'gone'

export interface ReportTarget {
  readonly pod: Pod
  readonly vmi: VirtualMachineInstance | undefined
  readonly view: MachineView
  readonly qemuVersion: string
}

export async function report(
  options: AgentOptions,
  { pod, vmi, view, qemuVersion }: ReportTarget,
): Promise<Written> {
  const now = options.host.clock.now()
  const final = vmi?.status?.phase === 'Succeeded' || vmi?.status?.phase === 'Failed'
  // The instance first: its decider reads the Pod's end as news only where the agent has said nothing.
  const first =
    vmi && !final
      ? await writeStatus(options, VirtualMachineInstance, vmi, vmiStatus(vmi, pod, view, now))
      : 'unchanged'
  if (first === 'stale') return first
  const place = { hostIp: options.nodeIp, qemuVersion, vmiUid: vmi?.metadata.uid ?? pod.metadata.uid ?? '' }
  const second = await writeStatus(options, Pod, pod, podStatus(pod, view, place, now))
  return second === 'unchanged' ? first : second
}

async function writeStatus(
  { client, informers }: AgentOptions,
  kind: Kind,
  object: KubeObject,
  status: Readonly<Record<string, unknown>>,
): Promise<Written> {
  const present = (object['status'] ?? {}) as Readonly<Record<string, unknown>>
  const changed = Object.entries(status).filter(
    ([key, value]) => !deepEqual(present[key] ?? null, value ?? null),
  )
  if (changed.length === 0) return 'unchanged'
  const { name = '', namespace, resourceVersion } = object.metadata
  const patch = {
    metadata: { resourceVersion },
    status: Object.fromEntries(changed),
  } as unknown as JsonObject
  try {
    const written = await client.patch(kind, name, patch, {
      subresource: 'status',
      ...(namespace ? { namespace } : {}),
    })
    informers.absorb(kind, written)
    return 'written'
  } catch (error) {
    if (error instanceof ApiError && error.code === 409) return 'stale'
    if (error instanceof ApiError && error.code === 404) return 'gone'
    throw error
  }
}
