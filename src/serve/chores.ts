// What a server does by the way: forgets old history, renews certificates at half their life, drops the first
// password once it was changed.
import { formatTime } from '../base/time.ts'
import type { RealHost } from '../host/real/index.ts'
import { forgetWithAge } from '../store/forgetting.ts'
import type { Store } from '../store/store.ts'
import type { ControlPlane } from './control-plane.ts'
import { forgetChangedPassword } from './first-password.ts'

export interface ChoreParts {
  readonly host: RealHost
  readonly store: Store
  readonly plane: ControlPlane
  readonly dataFolder: string
  /** Writes the kubeconfig anew, for its certificate was renewed. */
  readonly rewriteKubeconfig: () => Promise<unknown>
  readonly signal: AbortSignal
}

/** How often the time of certificates is looked at; a clock that was set is noticed by then. Milliseconds. */
const LOOK_EVERY_MS = 60_000

export function startChores(parts: ChoreParts): void {
  const { host, store, signal } = parts
  void forgetWithAge(store, host.clock, host.log, signal)
  void lookAround(parts)
}

async function lookAround(parts: ChoreParts): Promise<void> {
  const { host, plane, dataFolder, signal } = parts
  while (!signal.aborted) {
    try {
      if (host.clock.now() >= plane.identity.renewAt) await renew(parts)
      await forgetChangedPassword(host.files, plane.client, dataFolder)
    } catch (error) {
      if (!signal.aborted) host.log.warn('a chore of the server failed and is tried again', { error })
    }
    await host.clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined)
  }
}

/** The present certificates hold for as long again, so a failure is no hurry. */
async function renew({ host, plane, rewriteKubeconfig }: ChoreParts): Promise<void> {
  const renewed = await plane.renewIdentity()
  if (!renewed.ok) {
    host.log.warn('certificates could not be renewed', { failure: renewed.failure.message })
    return
  }
  await rewriteKubeconfig()
  host.log.info('certificates renewed', { nextAt: formatTime(renewed.value.renewAt) })
}
