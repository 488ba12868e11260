// The entry of every croft process. A server loads the whole house; a command for people loads only what it needs.
import { makeHost, startServer } from './serve/up.ts'

const { argv } = process
const data = argv[argv.indexOf('--data') + 1] ?? '/var/lib/croft'
const host = makeHost()
const server = await startServer({ dataFolder: data, listen: { host: '127.0.0.1', port: 6443 } }, host)
if (!server.ok) {
  process.stderr.write(`croft: ${server.failure.message}\n`)
  process.exit(1)
}
process.stderr.write('ready\n')
process.on('SIGTERM', () => void server.value.stop().then(() => process.exit(0)))
