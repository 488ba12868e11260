// Templates and their versions: each names the other, and a version never changes.
import { deepEqual } from '../../../base/equality.ts'
import type { Cause } from '../../../base/errors.ts'
import type { KubeObject } from '../../../base/object.ts'
import type { AnyKind, Rule } from '../../kind.ts'
import { instanceSpecWithDefaults } from '../../kubevirt/defaults/instance-spec.ts'
import { invalid, notFound, required } from '../../kubevirt/rules/causes.ts'
import { instanceSpecCauses } from '../../kubevirt/rules/instance-spec.ts'
import type { MachineSpec } from '../../kubevirt/types.ts'

const group = { group: 'harvesterhci.io', version: 'v1beta1' } as const
const templateRef = { ...group, plural: 'virtualmachinetemplates', kind: 'VirtualMachineTemplate' } as AnyKind
const versionRef = {
  ...group,
  plural: 'virtualmachinetemplateversions',
  kind: 'VirtualMachineTemplateVersion',
} as AnyKind
const keyPairRef = { ...group, plural: 'keypairs', kind: 'KeyPair' } as AnyKind

interface VersionSpec {
  readonly templateId?: string
  readonly keyPairIds?: readonly string[]
  readonly vm?: { readonly spec?: MachineSpec }
}

export const templateRule: Rule = (next, previous, look) => {
  if (!next || !previous) return {}
  const id = (next['spec'] as { readonly defaultVersionId?: string } | undefined)?.defaultVersionId
  const old = (previous['spec'] as { readonly defaultVersionId?: string } | undefined)?.defaultVersionId
  if (!id || id === old) return {}
  const [namespace, name = ''] = id.split('/')
  const version = look.get(versionRef, namespace, name)
  const own = `${next.metadata.namespace}/${next.metadata.name}`
  if (version && (version['spec'] as VersionSpec).templateId === own) return {}
  return { causes: [invalid('spec.defaultVersionId', `${id} is no version of template ${own}`)] }
}

export const templateVersionRule: Rule = (next, previous, look) => {
  if (!next) return previous ? deletion(previous, look) : {}
  const spec = next['spec'] as VersionSpec
  if (previous)
    return deepEqual(spec, previous['spec'])
      ? {}
      : {
          refuse: {
            code: 405,
            reason: 'MethodNotAllowed',
            message: 'a version of a template cannot be changed; make a new version',
          },
        }
  const causes: Cause[] = []
  const [namespace, name = ''] = (spec.templateId ?? '').split('/')
  if (namespace !== next.metadata.namespace)
    causes.push(
      invalid(
        'spec.templateId',
        `template ${spec.templateId} must be in namespace ${next.metadata.namespace}`,
      ),
    )
  else if (!look.get(templateRef, namespace, name))
    causes.push(notFound('spec.templateId', `template ${spec.templateId} not found`))
  spec.keyPairIds?.forEach((id, index) => {
    const [space, key = ''] = id.split('/')
    if (!look.get(keyPairRef, space, key))
      causes.push(notFound(`spec.keyPairIds[${index}]`, `KeyPair ${id} not found`))
  })
  return { causes: [...causes, ...machineCauses(spec.vm?.spec)] }
}

function machineCauses(machine: MachineSpec | undefined): readonly Cause[] {
  const run = machine?.template?.spec
  if (!run) return [required('spec.vm.spec.template.spec', 'a version must hold a machine')]
  const whole = instanceSpecWithDefaults(run, { architecture: run.architecture || 'amd64' })
  return instanceSpecCauses(whole, 'spec.vm.spec.template.spec', { sized: !machine.instancetype })
}

function deletion(version: KubeObject, look: Parameters<Rule>[2]): ReturnType<Rule> {
  const [namespace, name = ''] = ((version['spec'] as VersionSpec).templateId ?? '').split('/')
  const template = look.get(templateRef, namespace, name)
  const id = `${version.metadata.namespace}/${version.metadata.name}`
  const isDefault =
    (template?.['spec'] as { readonly defaultVersionId?: string } | undefined)?.defaultVersionId === id
  if (!template || template.metadata.deletionTimestamp || !isDefault) return {}
  return {
    refuse: {
      code: 400,
      reason: 'BadRequest',
      message: `${id} is the default version of template ${namespace}/${name}; choose another default first`,
    },
  }
}
