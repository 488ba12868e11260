// Containers of a Pod.
import { s } from '../../build.ts'
import { resourceRequirements } from '../resources.ts'
import { envFromSource, envVar } from './environment.ts'
import { lifecycle, probe } from './probes.ts'
import { securityContext } from './security.ts'

export const containerPort = s.object({
  name: s.string(),
  hostPort: s.integer(),
  containerPort: s.write(s.integer()),
  protocol: s.oneOf(['SCTP', 'TCP', 'UDP'], undefined, { default: 'TCP' }),
  hostIP: s.string(),
})

export const volumeMount = s.object(
  {
    name: s.write(s.string()),
    readOnly: s.boolean(),
    recursiveReadOnly: s.keep(s.string()),
    mountPath: s.write(s.string()),
    subPath: s.string(),
    mountPropagation: s.keep(s.string()),
    subPathExpr: s.string(),
  },
  undefined,
  { required: ['name', 'mountPath'] },
)

export const volumeDevice = s.object(
  {
    name: s.write(s.string()),
    devicePath: s.write(s.string()),
  },
  undefined,
  { required: ['name', 'devicePath'] },
)

export const containerResizePolicy = s.object(
  {
    resourceName: s.write(s.string()),
    restartPolicy: s.write(s.string()),
  },
  undefined,
  { required: ['resourceName', 'restartPolicy'] },
)

export const containerRestartRuleOnExitCodes = s.object(
  {
    operator: s.write(s.string()),
    values: s.set(s.integer()),
  },
  undefined,
  { required: ['operator'] },
)

export const containerRestartRule = s.object(
  {
    action: s.write(s.string()),
    exitCodes: containerRestartRuleOnExitCodes,
  },
  undefined,
  { required: ['action'] },
)

export const container = s.object(
  {
    name: s.write(s.string('Name, unique in the Pod.')),
    image: s.string('Image to run.'),
    command: s.list(s.string(), 'Program and arguments in place of the entry point of the image.'),
    args: s.list(s.string(), 'Arguments in place of those of the image.'),
    workingDir: s.string('Working directory.'),
    ports: s.keyedList(containerPort, ['containerPort', 'protocol'], 'Ports that the container listens on.', {
      patchMergeKey: 'containerPort',
      patchStrategy: 'merge',
    }),
    envFrom: s.list(envFromSource, 'Sources of whole sets of environment variables.'),
    env: s.keyedList(envVar, ['name'], 'Environment variables.', {
      patchMergeKey: 'name',
      patchStrategy: 'merge',
    }),
    resources: s.write(s.doc(resourceRequirements, 'Requests and limits.')),
    resizePolicy: s.list(containerResizePolicy, 'Whether a changed resource restarts the container.'),
    restartPolicy: s.keep(s.string('Always makes an init container a sidecar.')),
    restartPolicyRules: s.list(containerRestartRule, 'Restart depending on the exit code.'),
    volumeMounts: s.keyedList(volumeMount, ['mountPath'], 'Volumes in the file system.', {
      patchMergeKey: 'mountPath',
      patchStrategy: 'merge',
    }),
    volumeDevices: s.keyedList(volumeDevice, ['devicePath'], 'Volumes as block devices.', {
      patchMergeKey: 'devicePath',
      patchStrategy: 'merge',
    }),
    livenessProbe: s.doc(probe, 'A failure restarts the container.'),
    readinessProbe: s.doc(probe, 'A failure takes the container out of Services.'),
    startupProbe: s.doc(probe, 'Other probes wait for it.'),
    lifecycle: s.doc(lifecycle, 'Hooks after start and before stop.'),
    terminationMessagePath: s.string('File that holds the last words of the container.', {
      default: '/dev/termination-log',
    }),
    terminationMessagePolicy: s.oneOf(['FallbackToLogsOnError', 'File'], 'Where the last words come from.', {
      default: 'File',
    }),
    imagePullPolicy: s.oneOf(['Always', 'IfNotPresent', 'Never'], 'When the image is fetched.'),
    securityContext: s.doc(securityContext, 'What the container may do.'),
    stdin: s.boolean('Keep standard input open.'),
    stdinOnce: s.boolean('Close standard input after the first session.'),
    tty: s.boolean('Allocate a terminal.'),
  },
  'A container of a Pod.',
  { required: ['name'] },
)

export const ephemeralContainer = s.object(
  {
    name: s.write(s.string()),
    image: s.string(),
    command: s.list(s.string()),
    args: s.list(s.string()),
    workingDir: s.string(),
    ports: s.keyedList(containerPort, ['containerPort', 'protocol'], undefined, {
      patchMergeKey: 'containerPort',
      patchStrategy: 'merge',
    }),
    envFrom: s.list(envFromSource),
    env: s.keyedList(envVar, ['name'], undefined, { patchMergeKey: 'name', patchStrategy: 'merge' }),
    resources: s.write(resourceRequirements),
    resizePolicy: s.list(containerResizePolicy),
    restartPolicy: s.keep(s.string()),
    restartPolicyRules: s.list(containerRestartRule),
    volumeMounts: s.keyedList(volumeMount, ['mountPath'], undefined, {
      patchMergeKey: 'mountPath',
      patchStrategy: 'merge',
    }),
    volumeDevices: s.keyedList(volumeDevice, ['devicePath'], undefined, {
      patchMergeKey: 'devicePath',
      patchStrategy: 'merge',
    }),
    livenessProbe: probe,
    readinessProbe: probe,
    startupProbe: probe,
    lifecycle: lifecycle,
    terminationMessagePath: s.string(undefined, { default: '/dev/termination-log' }),
    terminationMessagePolicy: s.oneOf(['FallbackToLogsOnError', 'File'], undefined, { default: 'File' }),
    imagePullPolicy: s.oneOf(['Always', 'IfNotPresent', 'Never']),
    securityContext: securityContext,
    stdin: s.boolean(),
    stdinOnce: s.boolean(),
    tty: s.boolean(),
    targetContainerName: s.string(),
  },
  undefined,
  { required: ['name'] },
)
