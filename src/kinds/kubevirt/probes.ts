// Probes that tell whether the guest is ready and alive.
import { s } from '../build.ts'

export const httpHeader = s.object(
  {
    name: s.string('Name of the header.'),
    value: s.string('Value of the header.'),
  },
  'A header of the request.',
  { required: ['name', 'value'] },
)

export const httpGetAction = s.object(
  {
    host: s.string('Host to ask; the guest when empty.'),
    httpHeaders: s.list(httpHeader, 'Headers of the request.'),
    path: s.string('Path to ask for.'),
    port: s.string('Port to ask at.'),
    scheme: s.oneOf(['HTTP', 'HTTPS'], 'HTTP or HTTPS.'),
  },
  'Asks a web server in the guest.',
  { required: ['port'] },
)

export const tcpSocketAction = s.object(
  {
    host: s.string('Host to connect to; the guest when empty.'),
    port: s.string('Port to connect to.'),
  },
  'Opens a connection to the guest.',
  { required: ['port'] },
)

export const execAction = s.object(
  {
    command: s.list(s.string(), 'Program and arguments.'),
  },
  'Runs a command in the guest, by its agent.',
)

export const guestAgentPing = s.object({}, 'Asks the guest agent whether it is there.')

export const probe = s.object(
  {
    exec: s.doc(execAction, 'Runs a command in the guest.'),
    failureThreshold: s.integer('Failures in a row that count; 3 when empty.'),
    guestAgentPing: s.doc(guestAgentPing, 'Asks the guest agent.'),
    httpGet: s.doc(httpGetAction, 'Asks a web server.'),
    initialDelaySeconds: s.integer('Seconds before the first question.'),
    periodSeconds: s.integer('Seconds between questions; 10 when empty.'),
    successThreshold: s.integer('Successes in a row that count; 1 when empty.'),
    tcpSocket: s.doc(tcpSocketAction, 'Opens a connection.'),
    timeoutSeconds: s.integer('Seconds until a question has failed; 1 when empty.'),
  },
  'A question that is asked again and again; exactly one kind.',
)
