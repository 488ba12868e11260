// `croft token`: what lets a host join, made, listed and taken back.
import { formatDuration } from '../base/duration.ts'
import { formatTime } from '../base/time.ts'
import { CliError, usageError } from '../cli/cli-error.ts'
import { type Call, EXIT, type World } from '../cli/command.ts'
import { type Connection, connect } from '../cli/connect.ts'
import { isDataFormat, printData, printTable } from '../cli/output.ts'
import type { Client } from '../client/client.ts'
import { createToken, listTokens, printToken, revokeToken, type TokenRecord } from '../cluster/join-token.ts'
import { realCertificates } from '../host/real/certificates.ts'
import { EndpointSlice } from '../kinds/kubernetes/endpoint-slice.ts'

/** kubeadm's. Milliseconds. */
const TTL_MS = 24 * 3_600_000
const TTL_LEAST_MS = 60_000

export async function tokenCreate(call: Call, world: World): Promise<number> {
  const ttlMs = call.duration('ttl') ?? TTL_MS
  if (ttlMs < TTL_LEAST_MS) throw usageError('--ttl is shorter than a minute.', 'For instance --ttl 2h')
  const connection = await connect(call, world)
  const token = await makeToken(connection, world, ttlMs, call.text('description'))
  const { terminal } = world
  terminal.out(`${token}\n`)
  const server = await advertisedServer(connection.client)
  terminal.note(`Good for ${formatDuration(ttlMs)}. On the other host:\n`)
  terminal.note(`  croft join ${server ?? connection.config.server} --token ${token}\n`)
  if (server?.includes('//127.'))
    terminal.note(
      'This server has no address that other hosts reach: start it with --listen ADDRESS:PORT of a real one.\n',
    )
  return EXIT.done
}

export async function makeToken(
  { client, config }: Connection,
  { host }: World,
  ttlMs: number,
  description?: string,
): Promise<string> {
  const caHash = config.caPem === undefined ? undefined : realCertificates.read(config.caPem)?.fingerprint
  if (caHash === undefined)
    throw new CliError({
      what: 'The kubeconfig does not hold the certificate of the CA, which a token has to name.',
      next: 'Use the kubeconfig that the server wrote into its data folder: --kubeconfig DIR/kubeconfig',
      code: EXIT.failed,
      reason: 'NoCa',
    })
  const now = host.clock.now()
  const more = description === undefined ? {} : { description }
  return printToken(await createToken({ client, random: host.random, caHash, now, ttlMs, ...more }))
}

/** Where the API says that it is. */
async function advertisedServer(client: Client): Promise<string | undefined> {
  try {
    const { endpoints, ports } = await client.get(EndpointSlice, 'kubernetes', { namespace: 'default' })
    const address = endpoints?.[0]?.addresses?.[0]
    const port = ports?.[0]?.port
    return address === undefined || port === undefined ? undefined : `https://${address}:${port}`
  } catch {
    return undefined
  }
}

export async function tokenList(call: Call, world: World): Promise<number> {
  const { client } = await connect(call, world)
  const { terminal, host } = world
  const tokens = await listTokens(client)
  const now = host.clock.now()
  const format = call.text('output')
  if (isDataFormat(format)) {
    terminal.out(printData(tokens.map(dataOf), format))
    return EXIT.done
  }
  if (format === 'name') {
    terminal.out(tokens.map(({ id }) => `${id}\n`).join(''))
    return EXIT.done
  }
  const rows = tokens.map((one) => [one.id, lifeOf(one, now), one.description])
  terminal.out(printTable(['ID', 'EXPIRES', 'DESCRIPTION'], rows, terminal.outIsTerminal))
  if (tokens.length === 0) terminal.note('There is no token. Make one: croft token create\n')
  return EXIT.done
}

function dataOf({ id, description, expiresAt }: TokenRecord) {
  return { id, description, ...(expiresAt === undefined ? {} : { expiration: formatTime(expiresAt) }) }
}

function lifeOf({ expiresAt }: TokenRecord, now: number): string {
  if (expiresAt === undefined) return 'never'
  return expiresAt <= now ? 'expired' : `in ${formatDuration(Math.ceil((expiresAt - now) / 60_000) * 60_000)}`
}

export async function tokenRevoke(call: Call, world: World): Promise<number> {
  const { client } = await connect(call, world)
  const [id = ''] = call.args
  if (await revokeToken(client, id)) {
    world.terminal.note('The token lets nobody in any more. Hosts that joined with it stay.\n')
    return EXIT.done
  }
  throw new CliError({
    what: `There is no token "${id}".`,
    next: 'croft token list',
    code: EXIT.notFound,
    reason: 'NotFound',
  })
}
