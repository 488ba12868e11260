// Rules over a whole VirtualMachine: run strategy, template, disks made with it, what may change when.
import { deepEqual } from '../../../base/equality.ts'
import type { Cause } from '../../../base/errors.ts'
import type { KubeObject } from '../../../base/object.ts'
import type { Rule } from '../../kind.ts'
import { instanceSpecWithDefaults } from '../defaults/instance-spec.ts'
import type { InstanceSpec, MachineSpec, MachineStatus } from '../types.ts'
import { invalid, required } from './causes.ts'
import { dataVolumeTemplateCauses } from './data-volume-templates.ts'
import { instanceSpecCauses } from './instance-spec.ts'

export const RUN_STRATEGIES: readonly string[] = [
  'Always',
  'RerunOnFailure',
  'Manual',
  'Halted',
  'Once',
  'WaitAsReceiver',
]
const AT = 'spec.template.spec'

export const machineRule: Rule = (next, previous) => {
  // What was judged before is not judged again with every write of the status.
  if (!next || (previous && deepEqual(next['spec'], previous['spec']))) return {}
  const spec = next['spec'] as MachineSpec
  const old = previous?.['spec'] as MachineSpec | undefined
  const warnings =
    spec.running === undefined ? [] : ['spec.running is deprecated, please use spec.runStrategy instead.']
  return {
    causes: [
      ...runStrategyCauses(spec),
      ...templateCauses(spec),
      ...dataVolumeTemplateCauses(spec, next.metadata.namespace ?? ''),
      ...(old ? updateCauses(spec, old, previous as KubeObject) : []),
    ],
    warnings,
  }
}

function runStrategyCauses({ running, runStrategy }: MachineSpec): readonly Cause[] {
  if (running !== undefined && runStrategy !== undefined)
    return [
      invalid(
        'spec.running',
        'Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead',
      ),
    ]
  if (running === undefined && !runStrategy)
    return [
      invalid(
        'spec.running',
        'RunStrategy must be specified: set spec.runStrategy, for instance to Always or Halted',
      ),
    ]
  if (runStrategy !== undefined && !RUN_STRATEGIES.includes(runStrategy))
    return [
      invalid(
        'spec.runStrategy',
        `Invalid RunStrategy (${runStrategy}); use ${RUN_STRATEGIES.slice(0, 5).join(', ')}`,
      ),
    ]
  return []
}

function templateCauses(spec: MachineSpec): readonly Cause[] {
  const run = spec.template.spec
  if (!run)
    return [required(AT, 'missing virtual machine template: spec.template.spec must describe the machine')]
  const whole = instanceSpecWithDefaults(run, { architecture: run.architecture || 'amd64' })
  return [
    // Zero is looked for before defaults read it as "not set".
    ...instanceSpecCauses(withWritten(whole, run), AT, { sized: !spec.instancetype }),
  ]
}

/** Defaults must not hide what was written: processors and memory are judged as they stand. */
function withWritten(whole: InstanceSpec, run: InstanceSpec): InstanceSpec {
  const { cpu, memory, resources, ...rest } = whole.domain
  const { domain } = run
  return {
    ...whole,
    domain: {
      ...rest,
      ...(domain.cpu ? { cpu: domain.cpu } : {}),
      ...(domain.memory ? { memory: domain.memory } : {}),
      ...(domain.resources ? { resources: domain.resources } : {}),
    },
  }
}

function updateCauses(next: MachineSpec, old: MachineSpec, stored: KubeObject): readonly Cause[] {
  const causes: Cause[] = []
  const status = stored['status'] as MachineStatus | undefined
  const [run, was] = [next.template.spec, old.template.spec]
  if (was?.architecture && run?.architecture && was.architecture !== run.architecture)
    causes.push(invalid(`${AT}.architecture`, `${AT}.architecture is immutable: it was ${was.architecture}`))
  const snapshot = status?.snapshotInProgress
  if (snapshot) {
    const text = `Cannot update VM disks or volumes until snapshot "${snapshot}" completes`
    if (
      !deepEqual(run?.domain.devices?.disks, was?.domain.devices?.disks) ||
      !deepEqual(run?.volumes, was?.volumes)
    )
      causes.push(invalid(AT, text))
    if (next.running !== old.running || next.runStrategy !== old.runStrategy)
      causes.push(invalid('spec', `Cannot update VM running state until snapshot "${snapshot}" completes`))
  }
  const restore = status?.restoreInProgress
  if (restore && next.runStrategy !== old.runStrategy && next.runStrategy !== 'Halted')
    causes.push(invalid('spec.runStrategy', `Cannot start VM until restore "${restore}" completes`))
  return causes
}
