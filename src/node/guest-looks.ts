// What is known of the guests of this node beside their machines: what their agents told last, whether their file
// systems are frozen, whether their credentials are in them. Asked anew now and then while the agent answers.
import type { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import type { AgentOptions } from './agent-options.ts'
import { lookAtGuest } from './machine/guest-info.ts'
import type { Machine } from './machine/machine.ts'
import { MachineCredentials } from './machine-credentials.ts'
import type { GuestSeen } from './machine-parts.ts'
import type { GuestView } from './plan/machine-view.ts'

/** How often a guest's agent is asked while it answers. */
export const GUEST_LOOK_MS = 10_000

export class GuestLooks {
  readonly #options: AgentOptions
  readonly #guests = new Map<string, { readonly view: GuestView; readonly at: number }>()
  readonly #frozen = new Set<string>()
  readonly #credentials: MachineCredentials

  constructor(options: AgentOptions) {
    this.#options = options
    this.#credentials = new MachineCredentials(options)
  }

  setFrozen(vmiUid: string, frozen: boolean): void {
    if (frozen) this.#frozen.add(vmiUid)
    else this.#frozen.delete(vmiUid)
  }

  forget(vmiUid: string): void {
    this.#guests.delete(vmiUid)
    this.#frozen.delete(vmiUid)
    this.#credentials.forget(vmiUid)
  }

  /** Asks the guest's agent, unless it was asked a moment ago or does not listen. */
  async look(vmi: VirtualMachineInstance, machine: Machine): Promise<void> {
    const { uid } = machine.owner
    if (!machine.agentOpen || machine.life.state !== 'alive' || machine.life.run !== 'running') {
      if (!machine.agentOpen) this.#guests.delete(uid)
      return
    }
    const { clock } = this.#options.host
    const known = this.#guests.get(uid)
    if (known && clock.monotonic() - known.at < GUEST_LOOK_MS / 2) return
    const looked = await lookAtGuest(machine.agent)
    if (!looked.ok) {
      this.#guests.delete(uid)
      return
    }
    this.#guests.set(uid, { view: looked.value, at: clock.monotonic() })
    await this.#credentials.look(vmi, machine)
  }

  seen({ owner }: Machine): GuestSeen {
    return {
      guest: this.#guests.get(owner.uid)?.view,
      frozen: this.#frozen.has(owner.uid),
      credentials: this.#credentials.view(owner.uid),
    }
  }
}
