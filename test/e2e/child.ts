// The server process of the acceptance tests: the whole house, in a folder and on a port of its own, without the
// command line around it. Prints `ready` once it serves.
import { join } from 'node:path'
import { makeHost, startServer } from '../../src/serve/up.ts'

const [dataFolder = '', port = ''] = process.argv.slice(2)
const croftRoot = join(import.meta.dirname, '../..')
const options = { dataFolder, croftRoot, listen: { host: '127.0.0.1', port: Number(port) } }
const server = await startServer(options, makeHost())
if (!server.ok) {
  process.stderr.write(`croft: ${server.failure.message}\n`)
  process.exit(1)
}
process.stdout.write('ready\n')
process.on('SIGTERM', () => void server.value.stop().then(() => process.exit(0)))
