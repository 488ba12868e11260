// Keys and passwords of `accessCredentials` that travel by the guest's agent: read from their Secrets, given to the
// guest when they change, and told in the condition AccessCredentialsSynchronized.
import { isObject, parseJson } from '../base/json.ts'
import { Secret } from '../kinds/core/secret.ts'
import type { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import type { AgentOptions } from './agent-options.ts'
import {
  type GivenCredentials,
  giveCredentials,
  NOTHING_GIVEN,
  type WantedCredentials,
} from './machine/credentials.ts'
import type { Machine } from './machine/machine.ts'
import { findObject } from './machine-inputs.ts'
import { fromBase64 } from './plan/base64.ts'
import type { CredentialsView } from './plan/machine-view.ts'

type Spec = VirtualMachineInstance['spec']

const textOf = (value: string): string => new TextDecoder().decode(fromBase64(value) ?? new Uint8Array())

/** A Secret's value may hold several keys, a line each. */
function linesOf(data: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(data)
    .sort()
    .flatMap((key) => textOf(data[key] ?? '').split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** Whether any credential of this machine travels by the agent. */
export function usesAgent(spec: Spec): boolean {
  return (spec.accessCredentials ?? []).some(
    ({ sshPublicKey, userPassword }) =>
      sshPublicKey?.propagationMethod.qemuGuestAgent !== undefined || userPassword !== undefined,
  )
}

export class MachineCredentials {
  readonly #options: AgentOptions
  readonly #views = new Map<string, CredentialsView>()

  constructor(options: AgentOptions) {
    this.#options = options
  }

  /** What is to be told; undefined where nothing travels by the agent. */
  view(vmiUid: string): CredentialsView | undefined {
    return this.#views.get(vmiUid)
  }

  forget(vmiUid: string): void {
    this.#views.delete(vmiUid)
  }

  /** One look: what differs is given. To be called while the guest's agent answers. */
  async look(vmi: VirtualMachineInstance, machine: Machine): Promise<void> {
    if (!usesAgent(vmi.spec)) return
    const { uid } = machine.owner
    const wanted = await this.#wanted(vmi)
    if (typeof wanted === 'string') {
      this.#views.set(uid, { synchronized: false, message: wanted })
      return
    }
    const before = await this.#given(machine)
    const done = await giveCredentials(machine.agent, wanted, before, uid)
    if (done.ok && JSON.stringify(done.value) !== JSON.stringify(before))
      await this.#options.host.files.writeDurable(recordPath(machine), JSON.stringify(done.value), 0o600)
    this.#views.set(uid, {
      synchronized: done.ok,
      message: done.ok ? '' : `the guest agent did not take the credentials: ${done.failure.message}`,
    })
  }

  /** A text says what is missing. */
  async #wanted({ spec, metadata }: VirtualMachineInstance): Promise<WantedCredentials | string> {
    const keys: Record<string, string[]> = {}
    const passwords: Record<string, string> = {}
    for (const { sshPublicKey, userPassword } of spec.accessCredentials ?? []) {
      const users = sshPublicKey?.propagationMethod.qemuGuestAgent?.users
      if (!users && !userPassword) continue
      const name = (users ? sshPublicKey : userPassword)?.source.secret?.secretName ?? ''
      const secret = await findObject(this.#options, Secret, name, metadata.namespace)
      if (!secret) return `the Secret ${name} of accessCredentials does not exist: create it`
      const data = secret.data ?? {}
      if (users) for (const user of users) keys[user] = [...(keys[user] ?? []), ...linesOf(data)]
      else for (const [user, value] of Object.entries(data)) passwords[user] = textOf(value)
    }
    return { keys, passwords }
  }

  async #given(machine: Machine): Promise<GivenCredentials> {
    const text = await this.#options.host.files.readText(recordPath(machine))
    if (!text.ok) return NOTHING_GIVEN
    try {
      const value = parseJson(text.value)
      return isObject(value) ? (value as unknown as GivenCredentials) : NOTHING_GIVEN
    } catch {
      // A damaged record only means: given once more.
      return NOTHING_GIVEN
    }
  }
}

function recordPath({ folder }: Machine): string {
  return `${folder}/credentials.json`
}
