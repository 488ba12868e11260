// Disks that are made together with a machine.
import type { Cause } from '../../../base/errors.ts'
import { dataVolumeSpecCauses } from '../../cdi/rules/data-volume-spec.ts'
import type { MachineSpec } from '../types.ts'
import { duplicate, invalid, required } from './causes.ts'

export function dataVolumeTemplateCauses(spec: MachineSpec, namespace: string): readonly Cause[] {
  const templates = spec.dataVolumeTemplates ?? []
  const volumes = spec.template.spec?.volumes ?? []
  const seen = new Map<string, number>()
  return templates.flatMap((template, index) => {
    const field = `spec.dataVolumeTemplates[${index}]`
    const { name, namespace: own } = template.metadata ?? {}
    if (!name)
      return [required(`${field}.name`, "'name' field must not be empty for DataVolumeTemplate entry")]
    const causes: Cause[] = []
    const earlier = seen.get(name)
    if (earlier !== undefined)
      causes.push(
        duplicate(
          `${field}.name`,
          `spec.dataVolumeTemplates[${earlier}] and ${field} must not have the same name '${name}'`,
        ),
      )
    else seen.set(name, index)
    if (own && own !== namespace)
      causes.push(
        invalid(
          `${field}.namespace`,
          `namespace ${own} of DataVolumeTemplate ${name} differs from the namespace ${namespace} of the machine`,
        ),
      )
    causes.push(...dataVolumeSpecCauses(template.spec, `${field}.spec`))
    const used = volumes.some(
      (volume) => volume.dataVolume?.name === name || volume.persistentVolumeClaim?.claimName === name,
    )
    if (!used)
      causes.push(
        invalid(
          field,
          `DataVolumeTemplate entry ${name} must be referenced in the VMI template's 'volumes' list`,
        ),
      )
    return causes
  })
}
