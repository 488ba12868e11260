// Rules of the kinds with few: slices, drivers, attachments, budgets, classes, API services.

import { deepEqual } from '../../base/equality.ts'
import { type Cause, cause } from '../../base/errors.ts'
import {
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkQualifiedName,
} from '../../base/names.ts'
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import type { Rule } from '../kind.ts'
import {
  checkImmutable,
  checkIp,
  checkNotNegative,
  checkPort,
  checkRequiredText,
  checkSelector,
  checkText,
} from '../rule-checks.ts'
import type { apiServiceSpec } from './api-service-body.ts'
import type { endpointSliceBody } from './endpoint-slice-body.ts'
import type { leaseSpec } from './lease-body.ts'
import type { podDisruptionBudgetSpec } from './policy-bodies.ts'
import type { priorityClassBody } from './priority-class-body.ts'
import type { csiDriverSpec, csiNodeSpec, storageClassBody, volumeAttachmentSpec } from './storage-bodies.ts'

type WithSpec<S> = KubeObject & { readonly spec?: S }

const ADDRESSES_MAX = 100
const ENDPOINTS_MAX = 1000

export const checkEndpointSlice: Rule = (next, previous) => {
  if (!next) return {}
  const slice = next as KubeObject & Infer<typeof endpointSliceBody>
  const causes: Cause[] = []
  if (!slice.addressType) causes.push(cause.required('addressType'))
  const endpoints = slice.endpoints ?? []
  if (endpoints.length > ENDPOINTS_MAX)
    causes.push(cause.tooMany('endpoints', endpoints.length, ENDPOINTS_MAX))
  for (const [index, endpoint] of endpoints.entries()) {
    const at = `endpoints[${index}]`
    const addresses = endpoint.addresses ?? []
    if (addresses.length === 0)
      causes.push(cause.required(`${at}.addresses`, 'must contain at least 1 address'))
    if (addresses.length > ADDRESSES_MAX)
      causes.push(cause.tooMany(`${at}.addresses`, addresses.length, ADDRESSES_MAX))
    for (const [position, address] of addresses.entries()) {
      const field = `${at}.addresses[${position}]`
      if (slice.addressType === 'FQDN') causes.push(...checkText(field, address, checkDns1123Subdomain))
      else causes.push(...checkIp(field, address))
    }
    if (endpoint.nodeName !== undefined)
      causes.push(...checkText(`${at}.nodeName`, endpoint.nodeName, checkDns1123Subdomain))
    if (endpoint.hostname !== undefined)
      causes.push(...checkText(`${at}.hostname`, endpoint.hostname, checkDns1123Label))
  }
  for (const [index, port] of (slice.ports ?? []).entries()) {
    if (port.name) causes.push(...checkText(`ports[${index}].name`, port.name, checkDns1123Label))
  }
  if (previous) causes.push(...checkImmutable('addressType', slice.addressType, previous['addressType']))
  return { causes }
}

const LIVES = ['Persistent', 'Ephemeral']

export const checkCsiDriver: Rule = (next, previous) => {
  if (!next) return {}
  const spec = (next as WithSpec<Infer<typeof csiDriverSpec>>).spec
  if (!previous) {
    const unknown = (spec?.volumeLifecycleModes ?? []).filter((mode) => !LIVES.includes(mode))
    return { causes: unknown.map((mode) => cause.notSupported('spec.volumeLifecycleModes', mode, LIVES)) }
  }
  const before = (previous as WithSpec<Infer<typeof csiDriverSpec>>).spec
  return {
    causes: [
      ...checkImmutable('spec.attachRequired', spec?.attachRequired, before?.attachRequired),
      ...checkImmutable(
        'spec.volumeLifecycleModes',
        spec?.volumeLifecycleModes,
        before?.volumeLifecycleModes,
      ),
    ],
  }
}

export const checkCsiNode: Rule = (next) => {
  const drivers = (next as WithSpec<Infer<typeof csiNodeSpec>> | undefined)?.spec?.drivers ?? []
  const names = new Set<string>()
  return {
    causes: drivers.flatMap(({ name }, index) => {
      const field = `spec.drivers[${index}].name`
      const seen = name !== undefined && names.has(name)
      names.add(name ?? '')
      return [
        ...(name ? checkText(field, name, checkDns1123Subdomain) : []),
        ...(seen ? [cause.duplicate(field, name)] : []),
      ]
    }),
  }
}

export const checkVolumeAttachment: Rule = (next, previous) => {
  if (!next) return {}
  const spec = (next as WithSpec<Infer<typeof volumeAttachmentSpec>>).spec ?? {}
  if (previous) {
    const same = deepEqual(spec, previous['spec'])
    return { causes: same ? [] : [cause.invalid('spec', spec, 'field is immutable')] }
  }
  const causes: Cause[] = [...checkRequiredText('spec.attacher', spec.attacher, checkDns1123Subdomain)]
  causes.push(...checkText('spec.nodeName', spec.nodeName ?? '', checkDns1123Subdomain))
  const { persistentVolumeName, inlineVolumeSpec } = spec.source ?? {}
  if ((persistentVolumeName === undefined) === (inlineVolumeSpec === undefined)) {
    causes.push(
      cause.required('spec.source', 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'),
    )
  } else if (persistentVolumeName !== undefined) {
    const field = 'spec.source.persistentVolumeName'
    if (persistentVolumeName === '')
      causes.push(cause.required(field, 'must specify non empty persistentVolumeName'))
    causes.push(...checkText(field, persistentVolumeName, checkDns1123Subdomain))
  }
  return { causes }
}

const PERCENT = /^[0-9]+%$/
const PERCENT_TEXT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

export const checkBudget: Rule = (next) => {
  if (!next) return {}
  const spec = (next as WithSpec<Infer<typeof podDisruptionBudgetSpec>>).spec ?? {}
  const causes: Cause[] = []
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    causes.push(cause.invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set'))
  }
  for (const name of ['minAvailable', 'maxUnavailable'] as const) {
    const value = spec[name]
    if (typeof value === 'number') causes.push(...checkNotNegative(`spec.${name}`, value))
    else if (value !== undefined) {
      if (!PERCENT.test(value)) causes.push(cause.invalid(`spec.${name}`, value, PERCENT_TEXT))
      else if (Number.parseInt(value, 10) > 100) {
        causes.push(cause.invalid(`spec.${name}`, value, 'must not be greater than 100%'))
      }
    }
  }
  return { causes: [...causes, ...checkSelector('spec.selector', spec.selector)] }
}

export const checkLease: Rule = (next) => {
  const spec = (next as WithSpec<Infer<typeof leaseSpec>> | undefined)?.spec ?? {}
  const causes: Cause[] = []
  if (spec.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0) {
    causes.push(
      cause.invalid('spec.leaseDurationSeconds', spec.leaseDurationSeconds, 'must be greater than 0'),
    )
  }
  return { causes: [...causes, ...checkNotNegative('spec.leaseTransitions', spec.leaseTransitions)] }
}

export const checkStorageClass: Rule = (next, previous) => {
  if (!next) return {}
  const one = next as KubeObject & Infer<typeof storageClassBody>
  const causes: Cause[] = []
  if (one.provisioner)
    causes.push(...checkText('provisioner', one.provisioner.toLowerCase(), checkQualifiedName))
  if (previous) {
    const fixed = 'updates to parameters are forbidden.'
    if (!deepEqual(one.parameters ?? {}, previous['parameters'] ?? {}))
      causes.push(cause.forbidden('parameters', fixed))
    if (one.provisioner !== previous['provisioner'])
      causes.push(cause.forbidden('provisioner', 'updates to provisioner are forbidden.'))
    if (one.reclaimPolicy !== previous['reclaimPolicy'])
      causes.push(cause.forbidden('reclaimPolicy', 'updates to reclaimPolicy are forbidden.'))
    causes.push(...checkImmutable('volumeBindingMode', one.volumeBindingMode, previous['volumeBindingMode']))
  }
  return { causes }
}

const USER_PRIORITY_MAX = 1_000_000_000

export const checkPriorityClass: Rule = (next, previous) => {
  if (!next) return {}
  const one = next as KubeObject & Infer<typeof priorityClassBody>
  const causes: Cause[] = []
  const name = one.metadata.name ?? ''
  const value = one.value ?? 0
  if (name.startsWith('system-') && !['system-cluster-critical', 'system-node-critical'].includes(name)) {
    const why = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`
    causes.push(cause.forbidden('metadata.name', why))
  } else if (!name.startsWith('system-') && value > USER_PRIORITY_MAX) {
    const why = `maximum allowed value of a user defined priority is ${USER_PRIORITY_MAX}`
    causes.push(cause.forbidden('value', why))
  }
  if (previous) {
    if (value !== (previous['value'] ?? 0))
      causes.push(cause.forbidden('value', 'may not be changed in an update.'))
    causes.push(...checkImmutable('preemptionPolicy', one.preemptionPolicy, previous['preemptionPolicy']))
  }
  return { causes }
}

export const checkApiService: Rule = (next) => {
  if (!next) return {}
  const object = next as WithSpec<Infer<typeof apiServiceSpec>>
  const {
    group = '',
    version = '',
    service,
    groupPriorityMinimum = 0,
    versionPriority = 0,
    insecureSkipTLSVerify,
  } = object.spec ?? {}
  const causes: Cause[] = []
  const { name } = object.metadata
  if (name !== undefined && name !== `${version}.${group}`) {
    causes.push(
      cause.invalid('metadata.name', name, `must be \`spec.version+"."+spec.group\`: "${version}.${group}"`),
    )
  }
  if (group !== '') causes.push(...checkText('spec.group', group, checkDns1123Subdomain))
  else if (version !== 'v1') {
    causes.push(cause.required('spec.group', 'only v1 may have an empty group and it better be legacy kube'))
  }
  causes.push(...checkText('spec.version', version, checkDns1035Label))
  if (groupPriorityMinimum <= 0 || groupPriorityMinimum > 20_000) {
    causes.push(
      cause.invalid(
        'spec.groupPriorityMinimum',
        groupPriorityMinimum,
        'must be positive and less than 20000',
      ),
    )
  }
  if (versionPriority <= 0 || versionPriority > 1000) {
    causes.push(cause.invalid('spec.versionPriority', versionPriority, 'must be positive and less than 1000'))
  }
  if (service) {
    if (!service.namespace) causes.push(cause.required('spec.service.namespace'))
    if (!service.name) causes.push(cause.required('spec.service.name'))
    if (service.port !== undefined) causes.push(...checkPort('spec.service.port', service.port))
  } else if (insecureSkipTLSVerify) {
    const why = 'local APIServices may not have insecureSkipTLSVerify'
    causes.push(cause.invalid('spec.insecureSkipTLSVerify', true, why))
  }
  return { causes }
}
