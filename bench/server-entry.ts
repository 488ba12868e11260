// The server that the benchmarks start: the whole house in a folder and on a port of its own, bundled like the real
// one. Prints `ready` when everything, the agent included, has started.
import { makeHost, startServer } from '../src/serve/up.ts'

const [dataFolder = '', port = '', croftRoot = ''] = process.argv.slice(2)
const server = await startServer(
  { dataFolder, croftRoot, listen: { host: '127.0.0.1', port: Number(port) } },
  makeHost(),
)
if (!server.ok) {
  process.stderr.write(`croft: ${server.failure.message}\n`)
  process.exit(1)
}
process.stdout.write('ready\n')
process.on('SIGTERM', () => void server.value.stop().then(() => process.exit(0)))
