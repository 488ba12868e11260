// Carries connections between the browser's network namespace and the server's. A browser that saw this host's
// network cards would break off every request whenever a machine's card comes or goes; and one in a namespace of its
// own reaches nobody but the server. Run with arguments, this file is the half inside of that namespace.
import { connect, createServer, type ListenOptions, type Server, type Socket } from 'node:net'

/** How soon the inner half notices that the browser has gone. */
const LOOK_EVERY_MS = 500

export function relay(listen: ListenOptions, open: () => Socket): Server {
  const server = createServer((near) => {
    const far = open()
    near.pipe(far).pipe(near)
    // The end of one, in order or not, is the end of both.
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
  })
  return server.listen(listen)
}

const [, entry, port, path] = process.argv
if (entry === import.meta.filename && path !== undefined) {
  relay({ host: '127.0.0.1', port: Number(port) }, () => connect(path))
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.exit(0)
  }, LOOK_EVERY_MS)
}
