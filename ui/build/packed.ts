// Writes each text file a second time, packed, so that the server sends small files without packing anything itself.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const TEXT = /\.(?:js|css|html|svg|json)$/
/** Below this, headers weigh more than packing saves. Bytes. */
const WORTH_PACKING = 1024

export function packed(): Plugin {
  let folder = 'dist'
  return {
    name: 'packed',
    apply: 'build',
    configResolved(config) {
      folder = config.build.outDir
    },
    async closeBundle() {
      for (const entry of await readdir(folder, { recursive: true })) {
        if (!TEXT.test(entry)) continue
        const path = join(folder, entry)
        const content = await readFile(path)
        if (content.length < WORTH_PACKING) continue
        await writeFile(`${path}.gz`, gzipSync(content, { level: 9 }))
        await writeFile(`${path}.br`, brotliCompressSync(content))
      }
    },
  }
}
