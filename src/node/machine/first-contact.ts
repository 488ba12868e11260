// Whether the QEMU behind a socket is the one we mean, and what one said that did not come up.
import { isObject } from '../../base/json.ts'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import type { MachinePlan } from '../plan/machine-plan.ts'
import type { Qmp } from '../qmp/qmp.ts'

/** What is told of QEMU's last words. Bytes. */
const STDERR_TAIL_BYTES = 4_096

/** The one behind the socket must be ours; another is left alone. Failure `WrongMachine`. */
export async function recognised(qmp: Qmp, plan: MachinePlan): Promise<Result<Qmp>> {
  const answer = await qmp.execute('query-uuid')
  const uuid = answer.ok && isObject(answer.value) ? String(answer.value['UUID']) : undefined
  if (uuid?.toLowerCase() === plan.uuid.toLowerCase()) return ok(qmp)
  qmp.close()
  if (!answer.ok) return answer
  return failed({
    reason: 'WrongMachine',
    message: `another machine (${uuid ?? 'unknown'}) answers on ${plan.sockets.qmp}`,
    retry: 'later',
  })
}

/** The end of what QEMU wrote to its standard error. */
export async function lastWords({ files }: Host, folder: string): Promise<string> {
  const path = `${folder}/qemu.log`
  const stat = await files.stat(path)
  if (!stat.ok) return ''
  const read = await files.readAt(
    path,
    Math.max(0, stat.value.sizeBytes - STDERR_TAIL_BYTES),
    STDERR_TAIL_BYTES,
  )
  return read.ok ? new TextDecoder().decode(read.value).trim() : ''
}

export async function startFailure(host: Host, folder: string, plan: MachinePlan): Promise<Failure> {
  const stderr = await lastWords(host, folder)
  const said = stderr.split('\n').at(-1) ?? ''
  return {
    reason: 'QemuStartFailed',
    message: `QEMU ended at its start${said === '' ? '' : `: ${said}`}`,
    retry: 'later',
    command: plan.argv.join(' '),
    stderr,
  }
}
