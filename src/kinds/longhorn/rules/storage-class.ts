// Classes whose volumes Longhorn's driver makes: parameters are read when the class is made, not when the first
// claim fails.
import type { Cause } from '../../../base/errors.ts'
import type { KubeObject } from '../../../base/object.ts'
import { imageRef, storageNodeRef } from '../../foreign.ts'
import type { Rule, RuleAnswer, RuleLook } from '../../kind.ts'
import { invalid } from '../../kubevirt/rules/causes.ts'
import { REPLICAS_MAX, REPLICAS_MIN } from './volume.ts'

export const LONGHORN_DRIVER = 'driver.longhorn.io'
const WORDS: Readonly<Record<string, readonly string[]>> = {
  migratable: ['true', 'false'],
  encrypted: ['true', 'false'],
  dataEngine: ['v1', 'v2'],
  fsType: ['ext4', 'xfs'],
  dataLocality: ['disabled', 'best-effort', 'strict-local'],
  replicaAutoBalance: ['ignored', 'disabled', 'least-effort', 'best-effort'],
  replicaSoftAntiAffinity: ['ignored', 'enabled', 'disabled'],
  replicaZoneSoftAntiAffinity: ['ignored', 'enabled', 'disabled'],
  replicaDiskSoftAntiAffinity: ['ignored', 'enabled', 'disabled'],
  unmapMarkSnapChainRemoved: ['ignored', 'enabled', 'disabled'],
}
/** Minutes; a year is more than anybody waits for a lost copy. */
const STALE_MAX_MINUTES = 525_600

type Parameters = Readonly<Record<string, string>>

export const storageClassRule: Rule = (next, previous, look) => {
  if (!next) return previous ? deletion(previous, look) : {}
  // Parameters never change afterwards.
  if (previous || next['provisioner'] !== LONGHORN_DRIVER) return {}
  const parameters = (next['parameters'] ?? {}) as Parameters
  const causes = parameterCauses(parameters)
  return { causes, warnings: causes.length === 0 ? replicaWarnings(parameters, look) : [] }
}

function parameterCauses(parameters: Parameters): readonly Cause[] {
  const causes: Cause[] = []
  const whole = (name: string, minimum: number, maximum: number): void => {
    const text = parameters[name]
    if (text === undefined) return
    if (/^\d{1,9}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum) return
    causes.push(
      invalid(
        `parameters[${name}]`,
        `parameter ${name} must be a whole number from ${minimum} to ${maximum}, not ${JSON.stringify(text)}`,
      ),
    )
  }
  whole('numberOfReplicas', REPLICAS_MIN, REPLICAS_MAX)
  whole('staleReplicaTimeout', 0, STALE_MAX_MINUTES)
  for (const [name, allowed] of Object.entries(WORDS)) {
    const text = parameters[name]
    if (text !== undefined && text !== '' && !allowed.includes(text))
      causes.push(
        invalid(
          `parameters[${name}]`,
          `parameter ${name} must be one of ${allowed.join(', ')}, not ${JSON.stringify(text)}`,
        ),
      )
  }
  return causes
}

/** More copies than nodes is allowed, for a cluster may grow; but it is said. */
function replicaWarnings(parameters: Parameters, look: RuleLook): readonly string[] {
  const wanted = Number(parameters['numberOfReplicas'] ?? 3)
  const nodes = look.list(storageNodeRef).length
  return nodes > 0 && wanted > nodes
    ? [
        `numberOfReplicas is ${wanted}, but there ${nodes === 1 ? 'is one node' : `are ${nodes} nodes`} for storage: volumes will work, degraded, until there are ${wanted}`,
      ]
    : []
}

function deletion(storageClass: KubeObject, look: RuleLook): RuleAnswer {
  const { name } = storageClass.metadata
  const image = look.list(imageRef).find(({ metadata, ...rest }) => {
    const status = rest['status'] as { readonly storageClassName?: string } | undefined
    return status?.storageClassName === name && !metadata.deletionTimestamp
  })
  return image
    ? {
        refuse: {
          code: 409,
          reason: 'Conflict',
          message: `storage class ${name} belongs to image ${image.metadata.namespace}/${image.metadata.name}; delete the image instead`,
        },
      }
    : {}
}
