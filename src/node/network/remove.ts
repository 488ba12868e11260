// Takes everything off the host that the default network put there; for `croft down` and uninstalling. Only what
// carries the mark of this data folder goes. IP forwarding stays on, for others may rely on it by now.

import { isObject } from '../../base/json.ts'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import { installationId, networkFolder } from './default-network.ts'
import { stopDnsmasq } from './dnsmasq.ts'
import { leaveForeignFirewall } from './foreign-firewall.ts'
import { changeLinks, changeRules, readLinks, readRules } from './host-network.ts'
import { bridgeOwner, PREFERRED_TABLE, tapsOf } from './links.ts'
import { ownerChain, removalText, ruleEntries } from './ruleset.ts'

/** Machines must be ended before. Goes on after a failure, and tells the first one. */
export async function removeNetwork(
  host: Host,
  { dataFolder }: { readonly dataFolder: string },
): Promise<Result<void>> {
  const id = installationId(dataFolder)
  const failures: Failure[] = []
  const note = (result: Result<unknown>): void => {
    if (!result.ok) failures.push(result.failure)
  }
  await stopDnsmasq(host, networkFolder(dataFolder))
  const links = await readLinks(host)
  note(links)
  const bridges = (links.ok ? links.value : []).filter((link) => bridgeOwner(link)?.id === id)
  const taps = links.ok ? tapsOf(links.value, id) : []
  note(
    await changeLinks(
      host,
      [...taps, ...bridges].map(({ name }) => `link del dev ${name}`),
    ),
  )
  const rules = await readRules(host)
  note(rules)
  if (rules.ok) {
    const entries = ruleEntries(rules.value)
    const bridge = bridges[0]?.name ?? ''
    note(await leaveForeignFirewall(host, { id, bridge, entries }))
    for (const table of [PREFERRED_TABLE, `${PREFERRED_TABLE}_${id}`]) {
      const ours = entries.some(
        ({ chain }) => isObject(chain) && chain['table'] === table && chain['name'] === ownerChain(id),
      )
      if (ours) note(await changeRules(host, removalText(table)))
    }
  }
  note(await host.files.remove(networkFolder(dataFolder)))
  const [first] = failures
  return first ? failed(first) : ok(undefined)
}

/**
 * Removes networks of installations whose data folder is gone, unless a machine still has one of their taps open. The
 * data folders of those that went.
 */
export async function removeOrphans(host: Host, ownId: string): Promise<Result<readonly string[]>> {
  const links = await readLinks(host)
  if (!links.ok) return links
  const gone: string[] = []
  for (const link of links.value) {
    const owner = bridgeOwner(link)
    if (owner?.dataFolder === undefined || owner.id === ownId) continue
    const { id, dataFolder } = owner
    if (installationId(dataFolder) !== id || (await host.files.stat(networkFolder(dataFolder))).ok) continue
    if (tapsOf(links.value, id).some(({ carrier }) => carrier)) continue
    const removed = await removeNetwork(host, { dataFolder })
    if (!removed.ok) return removed
    gone.push(dataFolder)
  }
  return ok(gone)
}
