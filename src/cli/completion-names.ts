// `croft complete-names NOUN WORDS...`: the names that a shell offers, one a line, for the server and namespace that
// the words so far name. Nothing where there is none to ask: a completion is no place for errors.

import { NetworkAttachmentDefinition } from '../kinds/cni/network-attachment-definition.ts'
import { Namespace } from '../kinds/core/namespace.ts'
import { Node } from '../kinds/core/node.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import { KeyPair } from '../kinds/harvester/key-pair.ts'
import { Setting } from '../kinds/harvester/setting.ts'
import { VirtualMachineImage } from '../kinds/harvester/virtual-machine-image.ts'
import { VirtualMachineTemplate } from '../kinds/harvester/virtual-machine-template.ts'
import type { Kind } from '../kinds/kind.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineSnapshot } from '../kinds/snapshot/virtual-machine-snapshot.ts'
import { type Call, EXIT, type Run } from './command.ts'
import { connect } from './connect.ts'

/** Longer than a person waits for a word. Milliseconds. */
const TIMEOUT_MS = 2_000
const KINDS: Readonly<Record<string, Kind>> = {
  vm: VirtualMachine,
  image: VirtualMachineImage,
  volume: PersistentVolumeClaim,
  node: Node,
  key: KeyPair,
  project: Namespace,
  setting: Setting,
  network: NetworkAttachmentDefinition,
  template: VirtualMachineTemplate,
  snapshot: VirtualMachineSnapshot,
}

export const completionNames: Run = async (call, world) => {
  const [noun = '', ...words] = call.args
  const kind = KINDS[noun]
  if (!kind) return EXIT.done
  const ending = new AbortController()
  const cancel = world.host.clock.after(TIMEOUT_MS, () => ending.abort())
  try {
    const { client, namespace } = await connect(saidSoFar(call, words), world)
    const where = kind.scope === 'Cluster' ? {} : { namespace }
    const { items } = await client.list(kind, { ...where, signal: ending.signal })
    world.terminal.out(items.map(({ metadata }) => `${metadata.name}\n`).join(''))
  } catch {
    // Said above.
  } finally {
    cancel()
  }
  return EXIT.done
}

/** The options that say where to ask, read without the strictness of a command that is whole. */
function saidSoFar(call: Call, words: readonly string[]): Call {
  const value = (name: string, short?: string): string | undefined => {
    for (const [index, word] of words.entries()) {
      if (word === `--${name}` || (short !== undefined && word === `-${short}`)) return words[index + 1]
      if (word.startsWith(`--${name}=`)) return word.slice(name.length + 3)
    }
    return undefined
  }
  return { ...call, text: (flag) => value(flag, flag === 'namespace' ? 'n' : undefined) }
}
