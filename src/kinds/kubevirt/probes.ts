// Probes that tell whether the guest is ready and alive.
import { s } from '../build.ts'

export const httpHeader = s.object(
  {
    name: s.string(),
    value: s.string(),
  },
  undefined,
  { required: ['name', 'value'] },
)

export const httpGetAction = s.object(
  {
    host: s.string(),
    httpHeaders: s.list(httpHeader),
    path: s.string(),
    port: s.string(),
    scheme: s.oneOf(['HTTP', 'HTTPS']),
  },
  undefined,
  { required: ['port'] },
)

export const tcpSocketAction = s.object(
  {
    host: s.string(),
    port: s.string(),
  },
  undefined,
  { required: ['port'] },
)

export const execAction = s.object({
  command: s.list(s.string()),
})

export const guestAgentPing = s.object({})

export const probe = s.object({
  exec: execAction,
  failureThreshold: s.integer(),
  guestAgentPing: guestAgentPing,
  httpGet: httpGetAction,
  initialDelaySeconds: s.integer(),
  periodSeconds: s.integer(),
  successThreshold: s.integer(),
  tcpSocket: tcpSocketAction,
  timeoutSeconds: s.integer(),
})
