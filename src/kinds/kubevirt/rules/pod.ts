// The parts of a machine that it shares with a Pod: names in the network, DNS, probes, credentials, life cycle.
import type { Cause } from '../../../base/errors.ts'
import { checkDns1123Label, checkDns1123Subdomain } from '../../../base/names.ts'
import type { AccessCredential, InstanceSpec, Probe } from '../types.ts'
import { invalid, notSupported, present, required } from './causes.ts'
import { ARCHITECTURES } from './firmware.ts'
import { isIpv4 } from './networks.ts'

const EVICTION_STRATEGIES: readonly string[] = ['None', 'LiveMigrate', 'LiveMigrateIfPossible', 'External']
const DNS_POLICIES: readonly string[] = ['', 'ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None']
const NAMESERVERS_MAX = 3
const SEARCHES_MAX = 6
const SEARCH_LENGTH_MAX = 256
/** A week; more is a unit left out, and would hold a node's drain for ever. Seconds. */
export const GRACE_MAX_SECONDS = 7 * 24 * 3600

export function podCauses(spec: InstanceSpec, at: string): readonly Cause[] {
  return [
    ...nameCauses(spec, at),
    ...lifeCauses(spec, at),
    ...dnsCauses(spec, at),
    ...probeCauses(spec.readinessProbe, `${at}.readinessProbe`, spec),
    ...probeCauses(spec.livenessProbe, `${at}.livenessProbe`, spec),
    ...(spec.accessCredentials ?? []).flatMap((credential, index) =>
      credentialCauses(credential, `${at}.accessCredentials[${index}]`, spec),
    ),
  ]
}

function nameCauses({ hostname, subdomain, architecture }: InstanceSpec, at: string): readonly Cause[] {
  const causes: Cause[] = []
  const [badHost] = hostname ? checkDns1123Label(hostname) : []
  if (badHost)
    causes.push(
      invalid(
        `${at}.hostname`,
        `${at}.hostname does not conform to the kubernetes DNS_LABEL rules : ${badHost}`,
      ),
    )
  const [badDomain] = subdomain ? checkDns1123Subdomain(subdomain) : []
  if (badDomain)
    causes.push(
      invalid(
        `${at}.subdomain`,
        `${at}.subdomain does not conform to the kubernetes DNS_SUBDOMAIN rules : ${badDomain}`,
      ),
    )
  if (architecture && !ARCHITECTURES.includes(architecture))
    causes.push(
      invalid(
        `${at}.architecture`,
        `unsupported architecture: ${architecture}; supported are ${ARCHITECTURES.join(', ')}`,
      ),
    )
  return causes
}

function lifeCauses(spec: InstanceSpec, at: string): readonly Cause[] {
  const causes: Cause[] = []
  const { startStrategy, evictionStrategy, terminationGracePeriodSeconds: grace } = spec
  if (startStrategy !== undefined && startStrategy !== '' && startStrategy !== 'Paused')
    causes.push(
      invalid(
        `${at}.startStrategy`,
        `${at}.startStrategy is set with an unrecognized option: ${startStrategy}`,
      ),
    )
  if (startStrategy === 'Paused' && spec.livenessProbe)
    causes.push(invalid(`${at}.startStrategy`, 'Pausing VMI with LivenessProbe is not supported'))
  if (evictionStrategy !== undefined && !EVICTION_STRATEGIES.includes(evictionStrategy))
    causes.push(
      invalid(
        `${at}.evictionStrategy`,
        `${at}.evictionStrategy is set with an unrecognized option: ${evictionStrategy}; use ${EVICTION_STRATEGIES.join(', ')}`,
      ),
    )
  if (grace !== undefined && (grace < 0 || grace > GRACE_MAX_SECONDS))
    causes.push(
      invalid(
        `${at}.terminationGracePeriodSeconds`,
        `${at}.terminationGracePeriodSeconds '${grace}' must be between 0 and ${GRACE_MAX_SECONDS}.`,
      ),
    )
  return causes
}

function dnsCauses({ dnsPolicy, dnsConfig }: InstanceSpec, at: string): readonly Cause[] {
  const causes: Cause[] = []
  if (!DNS_POLICIES.includes(dnsPolicy ?? ''))
    causes.push(
      notSupported(
        `${at}.dnsPolicy`,
        `DNSPolicy: ${dnsPolicy} is not supported, valid values: ${DNS_POLICIES.slice(1).join(', ')}`,
      ),
    )
  if (dnsPolicy === 'None' && !dnsConfig)
    return [...causes, required(`${at}.dnsConfig`, 'must provide `dnsConfig` when `dnsPolicy` is None')]
  if (!dnsConfig) return causes
  const { nameservers = [], searches = [] } = dnsConfig
  if (dnsPolicy === 'None' && nameservers.length === 0)
    causes.push(
      required(
        `${at}.dnsConfig.nameservers`,
        'must provide at least one DNS nameserver when `dnsPolicy` is None',
      ),
    )
  if (nameservers.length > NAMESERVERS_MAX)
    causes.push(
      invalid(`${at}.dnsConfig.nameservers`, `must not have more than ${NAMESERVERS_MAX} nameservers`),
    )
  nameservers.forEach((server, index) => {
    if (!isIpv4(server) && !/^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/.test(server))
      causes.push(invalid(`${at}.dnsConfig.nameservers[${index}]`, `must be valid IP address: ${server}`))
  })
  if (searches.length > SEARCHES_MAX)
    causes.push(invalid(`${at}.dnsConfig.searches`, `must not have more than ${SEARCHES_MAX} search paths`))
  if (searches.join(' ').length > SEARCH_LENGTH_MAX)
    causes.push(
      invalid(
        `${at}.dnsConfig.searches`,
        `must not have more than ${SEARCH_LENGTH_MAX} characters (including spaces) in the search list`,
      ),
    )
  searches.forEach((search, index) => {
    const [wrong] = checkDns1123Subdomain(search.replace(/\.$/, ''))
    if (wrong) causes.push(invalid(`${at}.dnsConfig.searches[${index}]`, wrong))
  })
  return causes
}

function probeCauses(probe: Probe | undefined, field: string, spec: InstanceSpec): readonly Cause[] {
  if (!probe) return []
  const kinds = present(probe, ['httpGet', 'tcpSocket', 'exec', 'guestAgentPing'])
  if (kinds.length !== 1)
    return [
      invalid(
        field,
        `${field} must have exactly one probe type set: httpGet, tcpSocket, exec or guestAgentPing`,
      ),
    ]
  const causes: Cause[] = []
  if ((probe.httpGet || probe.tcpSocket) && spec.networks?.length && !spec.networks.some(({ pod }) => pod))
    causes.push(
      invalid(
        `${field}.${String(kinds[0])}`,
        `${field}.${String(kinds[0])} is only allowed if the Pod Network is attached`,
      ),
    )
  for (const name of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const)
    if ((probe[name] ?? 0) < 0)
      causes.push(invalid(`${field}.${name}`, `${field}.${name} must not be negative`))
  return causes
}

function credentialCauses(credential: AccessCredential, field: string, spec: InstanceSpec): readonly Cause[] {
  const kinds = present(credential, ['sshPublicKey', 'userPassword'])
  if (kinds.length !== 1) return [invalid(field, `${field} must have exactly one access credential type set`)]
  const kind = String(kinds[0])
  const { source, propagationMethod } = credential.sshPublicKey ?? credential.userPassword ?? {}
  const causes: Cause[] = []
  if (!source?.secret?.secretName)
    causes.push(
      invalid(`${field}.${kind}.source`, `${field} must have exactly one source set: a secret with its name`),
    )
  const methods = present(propagationMethod as Readonly<Record<string, unknown>> | undefined, [
    'noCloud',
    'configDrive',
    'qemuGuestAgent',
  ])
  if (methods.length !== 1)
    return [
      ...causes,
      invalid(`${field}.${kind}.propagationMethod`, `${field} must have exactly one propagationMethod set`),
    ]
  const ways = credential.sshPublicKey?.propagationMethod
  if (ways?.noCloud && !spec.volumes?.some((volume) => volume.cloudInitNoCloud))
    causes.push(
      invalid(
        `${field}.${kind}.propagationMethod`,
        `${field} requires a noCloud volume to exist when the noCloud propagationMethod is in use.`,
      ),
    )
  if (ways?.configDrive && !spec.volumes?.some((volume) => volume.cloudInitConfigDrive))
    causes.push(
      invalid(
        `${field}.${kind}.propagationMethod`,
        `${field} requires a configDrive volume to exist when the configDrive propagationMethod is in use.`,
      ),
    )
  if (ways?.qemuGuestAgent && (ways.qemuGuestAgent.users ?? []).length === 0)
    causes.push(
      invalid(
        `${field}.${kind}.propagationMethod.qemuGuestAgent`,
        `${field} requires at least one user to be present in the users list`,
      ),
    )
  return causes
}
