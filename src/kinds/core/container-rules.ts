// What containers must be: names, images, probes, resources, mounts.
import { type Cause, cause } from '../../base/errors.ts'
import { checkDns1123Label, checkPortName, checkQualifiedName } from '../../base/names.ts'
import { compareQuantity, parseQuantity, type Quantity } from '../../base/quantity.ts'
import type { Infer } from '../build.ts'
import { checkNotNegative, checkPort, checkPortOrName, checkRange, checkText } from '../rule-checks.ts'
import type { probe } from './pod/probes.ts'
import type { Container, PodSpec } from './pod-defaults.ts'

type Probe = Infer<typeof probe>
type EnvVar = NonNullable<Container['env']>[number]

const USER_MAX = 2 ** 31 - 1
const RESTART_POLICIES = ['Always', 'Never', 'OnFailure']
const SECCOMP_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined']
const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None']
const COUNTED_RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]
/** Fields of the Pod that containers may see as environment. */
const SEEN_FIELDS =
  /^(metadata\.(name|namespace|uid)|spec\.(nodeName|serviceAccountName)|status\.(hostIP|hostIPs|podIP|podIPs)|metadata\.(labels|annotations)\['.+'\])$/

export function checkUser(field: string, id: number | bigint | undefined): readonly Cause[] {
  return id === undefined ? [] : checkRange(field, id, 0, USER_MAX)
}

interface SeccompProfile {
  readonly type?: string
  readonly localhostProfile?: string
}

export function checkSeccomp(profile: SeccompProfile | undefined, at: string): readonly Cause[] {
  if (!profile) return []
  const { type = '', localhostProfile } = profile
  const causes: Cause[] = []
  if (type === '') causes.push(cause.required(`${at}.type`, 'type is required when seccompProfile is set'))
  else if (!SECCOMP_TYPES.includes(type)) causes.push(cause.notSupported(`${at}.type`, type, SECCOMP_TYPES))
  if (type === 'Localhost' && localhostProfile === undefined) {
    causes.push(cause.required(`${at}.localhostProfile`, 'must be set when seccomp type is Localhost'))
  }
  if (type !== 'Localhost' && localhostProfile !== undefined) {
    const why = 'can only be set when seccomp type is Localhost'
    causes.push(cause.invalid(`${at}.localhostProfile`, localhostProfile, why))
  }
  return causes
}

export function checkContainers(spec: PodSpec, volumes: ReadonlySet<string>, at: string): readonly Cause[] {
  const causes: Cause[] = []
  const names = new Set<string>()
  const graceSeconds = Number(spec.terminationGracePeriodSeconds ?? 30)
  for (const list of ['initContainers', 'containers'] as const) {
    for (const [index, container] of (spec[list] ?? []).entries()) {
      const field = `${at}.${list}[${index}]`
      causes.push(...checkContainer(container as Container, field, volumes, graceSeconds))
      if (container.name && names.has(container.name))
        causes.push(cause.duplicate(`${field}.name`, container.name))
      if (container.name) names.add(container.name)
    }
  }
  return causes
}

function checkContainer(
  container: Container,
  at: string,
  volumes: ReadonlySet<string>,
  graceSeconds: number,
): readonly Cause[] {
  const causes: Cause[] = []
  if (container.name) causes.push(...checkText(`${at}.name`, container.name, checkDns1123Label))
  if (!container.image) causes.push(cause.required(`${at}.image`))
  else if (container.image.trim() !== container.image) {
    causes.push(cause.invalid(`${at}.image`, container.image, 'must not have leading or trailing whitespace'))
  }
  if (container.restartPolicy !== undefined && !RESTART_POLICIES.includes(container.restartPolicy)) {
    causes.push(cause.notSupported(`${at}.restartPolicy`, container.restartPolicy, RESTART_POLICIES))
  }
  causes.push(...checkPorts(container, at), ...checkEnvironment(container.env ?? [], at))
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    const one = container[name]
    if (one) causes.push(...checkProbe(one, `${at}.${name}`, name !== 'readinessProbe'))
  }
  causes.push(...checkHooks(container, `${at}.lifecycle`, graceSeconds))
  causes.push(...checkMounts(container, at, volumes), ...checkResources(container, `${at}.resources`))
  const { runAsUser, runAsGroup, seccompProfile } = container.securityContext ?? {}
  causes.push(
    ...checkUser(`${at}.securityContext.runAsUser`, runAsUser),
    ...checkUser(`${at}.securityContext.runAsGroup`, runAsGroup),
    ...checkSeccomp(seccompProfile, `${at}.securityContext.seccompProfile`),
  )
  return causes
}

function checkPorts({ ports = [] }: Container, at: string): readonly Cause[] {
  const names = new Set<string>()
  return ports.flatMap((port, index) => {
    const field = `${at}.ports[${index}]`
    const causes: Cause[] = []
    if (port.name) {
      causes.push(...checkText(`${field}.name`, port.name, checkPortName))
      if (names.has(port.name)) causes.push(cause.duplicate(`${field}.name`, port.name))
      names.add(port.name)
    }
    if (!port.containerPort) causes.push(cause.required(`${field}.containerPort`))
    else causes.push(...checkPort(`${field}.containerPort`, port.containerPort))
    if (port.hostPort) causes.push(...checkPort(`${field}.hostPort`, port.hostPort))
    return causes
  })
}

function checkEnvironment(env: readonly EnvVar[], at: string): readonly Cause[] {
  return env.flatMap(({ name, value, valueFrom }, index) => {
    const field = `${at}.env[${index}]`
    const causes: Cause[] = []
    if (name?.includes('=')) {
      causes.push(
        cause.invalid(
          `${field}.name`,
          name,
          "a valid environment variable name must consist only of printable ASCII characters other than '='",
        ),
      )
    }
    if (!valueFrom) return causes
    const from = `${field}.valueFrom`
    const sources = Object.keys(valueFrom)
    if (sources.length === 0) {
      const why =
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
      return [...causes, cause.invalid(from, '', why)]
    }
    if (value) causes.push(cause.invalid(from, '', 'may not be specified when `value` is not empty'))
    if (sources.length > 1)
      causes.push(cause.invalid(from, '', 'may not have more than one field specified at a time'))
    return [...causes, ...checkSources(valueFrom, from)]
  })
}

function checkSources(valueFrom: NonNullable<EnvVar['valueFrom']>, at: string): readonly Cause[] {
  const causes: Cause[] = []
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom
  const path = fieldRef?.fieldPath
  if (path && !SEEN_FIELDS.test(path)) {
    causes.push(
      cause.invalid(
        `${at}.fieldRef.fieldPath`,
        path,
        `error converting fieldPath: field label not supported: ${path}`,
      ),
    )
  }
  const resource = resourceFieldRef?.resource
  if (resource && !COUNTED_RESOURCES.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource)) {
    causes.push(cause.notSupported(`${at}.resourceFieldRef.resource`, resource, COUNTED_RESOURCES))
  }
  for (const [name, ref] of Object.entries({ configMapKeyRef, secretKeyRef })) {
    if (ref && !ref.key) causes.push(cause.required(`${at}.${name}.key`))
  }
  return causes
}

type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'>

function checkHandler(handler: Handler & { readonly sleep?: unknown }, at: string): readonly Cause[] {
  const { exec, httpGet, tcpSocket, grpc } = handler
  const given = [exec, httpGet, tcpSocket, grpc, handler.sleep].filter((one) => one !== undefined)
  if (given.length === 0) return [cause.required(at, 'must specify a handler type')]
  const causes: Cause[] = []
  if (given.length > 1) causes.push(cause.forbidden(at, 'may not specify more than 1 handler type'))
  if (exec && (exec.command ?? []).length === 0) causes.push(cause.required(`${at}.exec.command`))
  if (httpGet) causes.push(...checkPortOrName(`${at}.httpGet.port`, httpGet.port))
  if (tcpSocket) causes.push(...checkPortOrName(`${at}.tcpSocket.port`, tcpSocket.port))
  if (grpc) causes.push(...checkPort(`${at}.grpc.port`, grpc.port))
  return causes
}

function checkProbe(probe: Probe, at: string, once: boolean): readonly Cause[] {
  const causes: Cause[] = [...checkHandler(probe, at)]
  for (const name of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const) {
    causes.push(...checkNotNegative(`${at}.${name}`, probe[name]))
  }
  if (once && probe.successThreshold !== undefined && probe.successThreshold > 1) {
    causes.push(cause.invalid(`${at}.successThreshold`, probe.successThreshold, 'must be 1'))
  }
  return causes
}

function checkHooks({ lifecycle }: Container, at: string, graceSeconds: number): readonly Cause[] {
  const causes: Cause[] = []
  for (const name of ['postStart', 'preStop'] as const) {
    const hook = lifecycle?.[name]
    if (!hook) continue
    causes.push(...checkHandler(hook, `${at}.${name}`))
    const seconds = hook.sleep?.seconds
    if (seconds !== undefined && (seconds < 0 || seconds > graceSeconds)) {
      const why = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`
      causes.push(cause.invalid(`${at}.${name}.sleep`, seconds, why))
    }
  }
  return causes
}

function checkMounts(container: Container, at: string, volumes: ReadonlySet<string>): readonly Cause[] {
  const causes: Cause[] = []
  const paths = new Set<string>()
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const field = `${at}.volumeMounts[${index}]`
    if (!volumes.has(mount.name ?? '')) causes.push(cause.notFound(`${field}.name`, mount.name ?? ''))
    const path = mount.mountPath ?? ''
    if (path !== '' && paths.has(path)) {
      causes.push(cause.invalid(`${field}.mountPath`, path, 'must be unique'))
    }
    paths.add(path)
    if (mount.mountPropagation !== undefined && !PROPAGATIONS.includes(mount.mountPropagation)) {
      causes.push(
        cause.notSupported(`${at}.volumeMounts.mountPropagation`, mount.mountPropagation, PROPAGATIONS),
      )
    }
    for (const name of ['subPath', 'subPathExpr'] as const) {
      const text = mount[name] ?? ''
      if (text.startsWith('/'))
        causes.push(cause.invalid(`${field}.${name}`, text, 'must be a relative path'))
      else if (text.split('/').includes('..'))
        causes.push(cause.invalid(`${field}.${name}`, text, "must not contain '..'"))
    }
  }
  for (const [index, device] of (container.volumeDevices ?? []).entries()) {
    const field = `${at}.volumeDevices[${index}]`
    if (!volumes.has(device.name ?? '')) causes.push(cause.notFound(`${field}.name`, device.name ?? ''))
    if (device.devicePath && paths.has(device.devicePath)) {
      causes.push(
        cause.invalid(
          `${field}.devicePath`,
          device.devicePath,
          'must not already exist as a path in volumeMounts',
        ),
      )
    }
  }
  return causes
}

/** Resources that may be promised more often than they are there. */
function isOvercommitable(name: string): boolean {
  const own = !name.includes('/') || name.startsWith('kubernetes.io/')
  return own && !name.startsWith('hugepages-')
}

function checkResources({ resources }: Container, at: string): readonly Cause[] {
  const { limits = {}, requests = {} } = resources ?? {}
  const causes: Cause[] = []
  for (const [list, amounts] of [
    ['limits', limits],
    ['requests', requests],
  ] as const) {
    for (const [name, text] of Object.entries(amounts)) {
      const field = `${at}.${list}[${name}]`
      const amount = parseQuantity(text)
      causes.push(...checkText(field, name, checkQualifiedName))
      if (!name.includes('/') && !KNOWN_RESOURCES.test(name)) {
        causes.push(cause.invalid(field, name, 'must be a standard resource for containers'))
      }
      if (amount && amount.nano < 0n)
        causes.push(cause.invalid(field, String(text), 'must be greater than or equal to 0'))
      if (amount && name.startsWith('hugepages-')) causes.push(...checkHugePages(field, name, text, amount))
    }
  }
  return [...causes, ...compareResources(limits, requests, at)]
}

const KNOWN_RESOURCES = /^(cpu|memory|ephemeral-storage|hugepages-.+)$/

function checkHugePages(
  field: string,
  name: string,
  text: string | number,
  amount: Quantity,
): readonly Cause[] {
  const page = parseQuantity(name.slice('hugepages-'.length))
  if (!page || page.nano <= 0n || amount.nano % page.nano === 0n) return []
  return [cause.invalid(field, String(text), `${text} is not positive integer multiple of ${name}`)]
}

type Amounts = Readonly<Record<string, string | number>>

function compareResources(limits: Amounts, requests: Amounts, at: string): readonly Cause[] {
  const causes: Cause[] = []
  for (const [name, text] of Object.entries(requests)) {
    const request = parseQuantity(text)
    const limitText = limits[name]
    const limit = limitText === undefined ? undefined : parseQuantity(limitText)
    if (!request) continue
    if (!limit) {
      if (!isOvercommitable(name)) {
        causes.push(cause.required(`${at}.limits`, 'Limit must be set for non overcommitable resources'))
      }
      continue
    }
    const order = compareQuantity(request, limit)
    if (order !== 0 && !isOvercommitable(name)) {
      causes.push(
        cause.invalid(`${at}.requests`, String(text), `must be equal to ${name} limit of ${limitText}`),
      )
    } else if (order > 0) {
      const why = `must be less than or equal to ${name} limit of ${limitText}`
      causes.push(cause.invalid(`${at}.requests`, String(text), why))
    }
  }
  return causes
}
