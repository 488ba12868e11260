// What a sandbox is: hosts as network namespaces on one bridge, each with a folder of its own. Its note in the data
// folder is written before anything is made, so that a crash leaves nothing that nobody knows of.
import { Buffer } from 'node:buffer'
import { isObject, parseJson, printJson } from '../../base/json.ts'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import { sha256 } from '../../base/sha256.ts'
import type { Files } from '../../host/host.ts'

export interface SandboxNode {
  readonly name: string
  /** Place in the subnet, from 1. */
  readonly index: number
}

/** Frames from one node to another that do not arrive, arrive late, or arrive slowly. */
export interface LinkFault {
  readonly from: string
  readonly to: string
  readonly cut?: true
  readonly delayMs?: number
  /** Megabits a second. */
  readonly rateMbit?: number
}

export interface SandboxNote {
  /** Six hexadecimal digits; stands in the names of everything that is made. */
  readonly id: string
  /** Third part of the addresses: 10.231.<subnet>.0/24. */
  readonly subnet: number
  readonly nodes: readonly SandboxNode[]
  readonly faults: readonly LinkFault[]
}

/** Away from the ranges that guests' networks are chosen from. */
const SUBNET_PREFIX = '10.231'
const GATE_INDEX = 254
export const NODES_MAX = 16

export function sandboxId(dataFolder: string): string {
  return Buffer.from(sha256(dataFolder).slice(0, 3)).toString('hex')
}

export function addressOf({ subnet }: SandboxNote, index: number): string {
  return `${SUBNET_PREFIX}.${subnet}.${index}`
}

/** The address of this computer in the sandbox. */
export function gateAddress(note: SandboxNote): string {
  return addressOf(note, GATE_INDEX)
}

export function rangeOf(subnet: number): string {
  return `${SUBNET_PREFIX}.${subnet}.0/24`
}

export const names = {
  bridge: ({ id }: SandboxNote): string => `csb${id}`,
  /** The bridge's end of the node's cable. */
  cable: ({ id }: SandboxNote, { index }: SandboxNode): string => `csb${id}n${index}`,
  namespace: ({ id }: SandboxNote, { name }: SandboxNode): string => `csb${id}-${name}`,
  table: ({ id }: SandboxNote): string => `csb${id}`,
}

function notePath(dataFolder: string): string {
  return `${dataFolder}/sandbox.json`
}

export function nodeFolder(dataFolder: string, { name }: SandboxNode): string {
  return `${dataFolder}/${name}`
}

/** Undefined where there is none. */
export async function readNote(files: Files, dataFolder: string): Promise<Result<SandboxNote | undefined>> {
  const text = await files.readText(notePath(dataFolder))
  if (!text.ok) return text.failure.reason === 'NotFound' ? ok(undefined) : text
  try {
    const value = parseJson(text.value)
    if (isObject(value) && typeof value['id'] === 'string' && Array.isArray(value['nodes']))
      return ok(value as unknown as SandboxNote)
  } catch {
    // Said below.
  }
  return failed(damaged(notePath(dataFolder)))
}

function damaged(path: string): Failure {
  return { reason: 'NoteDamaged', message: `${path} is damaged: remove the sandbox's folder`, retry: 'never' }
}

export async function writeNote(files: Files, dataFolder: string, note: SandboxNote): Promise<Result<void>> {
  const made = await files.makeFolder(dataFolder, 0o711)
  return made.ok ? files.writeDurable(notePath(dataFolder), `${printJson(note)}\n`, 0o644) : made
}

export async function forgetNote(files: Files, dataFolder: string): Promise<void> {
  await files.remove(notePath(dataFolder))
}
