// The virt-launcher Pod of an instance: what the scheduler, quotas, `kubectl get pods` and other people's tools see
// of a machine. The agent of its node runs it as QEMU.
import { boundedName, hashedName } from '../../base/derived-name.ts'
import { Pod } from '../../kinds/core/pod.ts'
import { apiVersionOf } from '../../kinds/kind.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { controllerRef } from '../owner.ts'
import { podResources } from './resources.ts'

export const LAUNCHER_IMAGE = 'croft/virt-launcher'
/** The Pod outlives the guest's own grace period, so that a slow shutdown is never cut by the Pod's. Seconds. */
const EXTRA_GRACE_SECONDS = 30
const DEFAULT_GRACE_SECONDS = 30

export function podName(vmi: VirtualMachineInstance): string {
  return hashedName(`virt-launcher-${vmi.metadata.name}`, vmi.metadata.uid!)
}

type PodSpec = NonNullable<Pod['spec']>
type PodVolume = NonNullable<PodSpec['volumes']>[number]

/** Only what the scheduler must know: claims. Secrets and config maps are read by the agent. */
function podVolumes(vmi: VirtualMachineInstance): readonly PodVolume[] {
  return (vmi.spec?.volumes ?? []).flatMap((volume) => {
    const claimName = volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name
    return claimName ? [{ name: boundedName(volume.name, 63), persistentVolumeClaim: { claimName } }] : []
  })
}

/** Annotations of tools that apply to the instance alone. */
const NOT_COPIED = ['kubectl.kubernetes.io/last-applied-configuration']

function podAnnotations(vmi: VirtualMachineInstance): Readonly<Record<string, string>> {
  const own = Object.entries(vmi.metadata.annotations ?? {}).filter(([key]) => !NOT_COPIED.includes(key))
  return {
    ...Object.fromEntries(own),
    'kubevirt.io/domain': vmi.metadata.name!,
    'kubectl.kubernetes.io/default-container': 'compute',
  }
}

export function launcherPod(vmi: VirtualMachineInstance): Pod {
  const spec = vmi.spec!
  const name = vmi.metadata.name!
  const nodeSelector = { ...spec.nodeSelector, 'kubevirt.io/schedulable': 'true' }
  const grace = Number(spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS)
  return {
    apiVersion: apiVersionOf(Pod),
    kind: Pod.kind,
    metadata: {
      name: podName(vmi),
      namespace: vmi.metadata.namespace!,
      labels: {
        ...vmi.metadata.labels,
        'kubevirt.io': 'virt-launcher',
        'kubevirt.io/created-by': vmi.metadata.uid!,
        'vm.kubevirt.io/name': boundedName(name, 63),
        'vmi.kubevirt.io/id': boundedName(name, 63),
      },
      annotations: podAnnotations(vmi),
      ownerReferences: [controllerRef(VirtualMachineInstance, vmi)],
    },
    spec: {
      restartPolicy: 'Never',
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: grace + EXTRA_GRACE_SECONDS,
      nodeSelector,
      ...(spec.affinity ? { affinity: spec.affinity as NonNullable<PodSpec['affinity']> } : {}),
      ...(spec.tolerations ? { tolerations: spec.tolerations as NonNullable<PodSpec['tolerations']> } : {}),
      ...(spec.topologySpreadConstraints
        ? {
            topologySpreadConstraints: spec.topologySpreadConstraints as unknown as NonNullable<
              PodSpec['topologySpreadConstraints']
            >,
          }
        : {}),
      ...(spec.priorityClassName ? { priorityClassName: spec.priorityClassName } : {}),
      ...(spec.schedulerName ? { schedulerName: spec.schedulerName } : {}),
      ...(spec.hostname ? { hostname: spec.hostname } : {}),
      ...(spec.subdomain ? { subdomain: spec.subdomain } : {}),
      containers: [{ name: 'compute', image: LAUNCHER_IMAGE, resources: podResources(spec) }],
      volumes: podVolumes(vmi),
    },
  }
}
