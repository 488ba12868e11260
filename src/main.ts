// The entry of every croft process. A server loads the whole house; a command for people loads only what it needs.
import { fileURLToPath } from 'node:url'
import { makeHost, startServer } from './serve/up.ts'
import { say } from './words/say.ts'

const { argv } = process
const data = argv[argv.indexOf('--data') + 1] ?? '/var/lib/croft'
const host = makeHost()
const croftRoot = process.env['CROFT_ROOT'] ?? fileURLToPath(new URL('..', import.meta.url))
const listen = { host: '127.0.0.1', port: 6443 }
const server = await startServer({ dataFolder: data, listen, croftRoot }, host)
if (!server.ok) {
  process.stderr.write(`croft: ${server.failure.message}\n`)
  process.exit(1)
}
process.stderr.write('ready\n')
const { firstLogin } = server.value
if (firstLogin) process.stderr.write(`${say('en', 'cli.up.login', firstLogin)}\n`)
process.on('SIGTERM', () => void server.value.stop().then(() => process.exit(0)))
