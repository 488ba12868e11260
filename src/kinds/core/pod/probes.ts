// Probes and life cycle hooks of a container.
import { s } from '../../build.ts'

export const execAction = s.object({
  command: s.list(s.string()),
})

export const httpHeader = s.object({
  name: s.write(s.string()),
  value: s.write(s.string()),
})

export const httpGetAction = s.object({
  path: s.string(undefined, { default: '/' }),
  port: s.write(s.intOrString()),
  host: s.string(),
  scheme: s.oneOf(['HTTP', 'HTTPS'], undefined, { default: 'HTTP' }),
  httpHeaders: s.list(httpHeader),
})

export const tcpSocketAction = s.object({
  port: s.write(s.intOrString()),
  host: s.string(),
})

export const grpcAction = s.object({
  port: s.write(s.integer()),
  service: s.keep(s.string(undefined, { default: '' })),
})

export const probe = s.object(
  {
    exec: s.doc(execAction, 'Runs a command; exit code 0 is healthy.'),
    httpGet: s.doc(httpGetAction, 'Asks a web server.'),
    tcpSocket: s.doc(tcpSocketAction, 'Opens a TCP connection.'),
    grpc: s.doc(grpcAction, 'Asks a gRPC health service.'),
    initialDelaySeconds: s.integer('Seconds after start before the first check.'),
    timeoutSeconds: s.integer('Seconds after which a check has failed.', { default: 1 }),
    periodSeconds: s.integer('Seconds between checks.', { default: 10 }),
    successThreshold: s.integer('Good checks in a row that make it healthy.', { default: 1 }),
    failureThreshold: s.integer('Bad checks in a row that make it unhealthy.', { default: 3 }),
    terminationGracePeriodSeconds: s.keep(s.int64('Grace period when a failed check ends the container.')),
  },
  "A check of a container's health.",
)

export const sleepAction = s.object({
  seconds: s.write(s.int64()),
})

export const lifecycleHandler = s.object({
  exec: execAction,
  httpGet: httpGetAction,
  tcpSocket: tcpSocketAction,
  sleep: sleepAction,
})

export const lifecycle = s.object({
  postStart: lifecycleHandler,
  preStop: lifecycleHandler,
  stopSignal: s.keep(s.string()),
})
