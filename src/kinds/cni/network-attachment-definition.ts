// NetworkAttachmentDefinition: a network that machines can be connected to; k8s.cni.cncf.io/v1.
import type { Cause } from '../../base/errors.ts'
import { isObject, parseJson } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import { machineRef } from '../foreign.ts'
import type { KindOf, Rule } from '../kind.ts'
import { networkIdentity } from '../kubevirt/rules/networks.ts'
import type { MachineSpec } from '../kubevirt/types.ts'

const VLAN_MAX = 4094

/** The configuration is text with JSON in it; it is read here, so that a slip is told at once. */
const configRule: Rule = (next, previous, look) => {
  if (!next) return previous ? inUse(previous, look) : {}
  const text = (next['spec'] as { readonly config?: string } | undefined)?.config
  return { causes: text ? configCauses(text) : [] }
}

function configCauses(text: string): readonly Cause[] {
  const field = 'spec.config'
  const wrong = (message: string): readonly Cause[] => [{ reason: 'FieldValueInvalid', field, message }]
  let config: unknown
  try {
    config = parseJson(text)
  } catch {
    return wrong('spec.config must be JSON, for instance {"cniVersion":"0.3.1","type":"bridge"}')
  }
  if (!isObject(config)) return wrong('spec.config must be a JSON object')
  if (typeof config['type'] !== 'string' && !Array.isArray(config['plugins']))
    return wrong('spec.config must name a plugin in the field type')
  const { vlan } = config
  if (
    vlan !== undefined &&
    !(typeof vlan === 'number' && Number.isInteger(vlan) && vlan >= 0 && vlan <= VLAN_MAX)
  )
    return wrong(`vlan in spec.config must be a number from 0 to ${VLAN_MAX}`)
  return []
}

function inUse(network: KubeObject, look: Parameters<Rule>[2]): ReturnType<Rule> {
  const id = `${network.metadata.namespace}/${network.metadata.name}`
  const users = look
    .list(machineRef)
    .filter(({ metadata, ...machine }) => {
      const run = (machine['spec'] as MachineSpec | undefined)?.template?.spec
      return run?.networks?.some((one) => networkIdentity(one, metadata.namespace ?? '') === id)
    })
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
  if (users.length === 0) return {}
  return {
    refuse: {
      code: 409,
      reason: 'Conflict',
      message: `network ${id} is used by VirtualMachine ${users.slice(0, 5).join(', ')}; disconnect it first`,
    },
  }
}

export const NetworkAttachmentDefinition = defineKind({
  group: 'k8s.cni.cncf.io',
  version: 'v1',
  kind: 'NetworkAttachmentDefinition',
  plural: 'network-attachment-definitions',
  singular: 'network-attachment-definition',
  shortNames: ['net-attach-def'],
  scope: 'Namespaced',
  doc: 'A network that machines can be connected to beside the default one.',
  body: () =>
    s.object({
      spec: s.object(
        { config: s.string('How to connect: a CNI configuration, as JSON in a text.') },
        'How to connect to the network.',
      ),
    }),
  rules: [configRule],
})
export type NetworkAttachmentDefinition = KindOf<typeof NetworkAttachmentDefinition>
