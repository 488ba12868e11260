// What networks are: the CNI configuration in their text, who uses them, and a new one from the form.
import { isObject, parseJson } from '../../../../src/base/json.ts'
import type { Machine } from '../../data/kinds.ts'
import type { Network } from '../kit/places.ts'

export interface Wiring {
  readonly type: string
  readonly bridge: string
  /** 0 where it is untagged. */
  readonly vlan: number
}

/** Empty where the text cannot be read. */
export function wiringOf({ spec }: Network): Wiring {
  const read = readText(spec?.config ?? '')
  const text = (name: string) => (typeof read[name] === 'string' ? read[name] : '')
  return { type: text('type'), bridge: text('bridge'), vlan: Number(read['vlan'] ?? 0) || 0 }
}

function readText(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseJson(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Machines that name the network; one in their own project may be named without it. */
export function machinesOn({ metadata }: Network, machines: readonly Machine[]): readonly string[] {
  const id = `${metadata.namespace}/${metadata.name}`
  return machines
    .filter((machine) =>
      (machine.spec.template.spec?.networks ?? []).some(({ multus }) => {
        const name = multus?.networkName ?? ''
        return (name.includes('/') ? name : `${machine.metadata.namespace}/${name}`) === id
      }),
    )
    .map((machine) => `${machine.metadata.namespace}/${machine.metadata.name}`)
}

export interface NetworkWish {
  readonly name: string
  readonly namespace: string
  readonly bridge: string
  readonly vlan: string
}

export function isBadVlan(text: string): boolean {
  if (text.trim() === '') return false
  const number = Number(text)
  return !Number.isInteger(number) || number < 1 || number > 4094
}

export function networkFor({ name, namespace, bridge, vlan }: NetworkWish): Network {
  const config = {
    cniVersion: '0.3.1',
    name,
    type: 'bridge',
    bridge,
    promiscMode: true,
    ...(vlan.trim() === '' ? {} : { vlan: Number(vlan) }),
    ipam: {},
  }
  return {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name, namespace },
    spec: { config: JSON.stringify(config) },
  } as Network
}
