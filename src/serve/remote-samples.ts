// Sends samples of this host to the server that it joined. One that does not arrive is a gap in a chart, nothing more.
import { printJson } from '../base/json.ts'
import type { SampleSink } from '../base/metrics-port.ts'
import type { Membership } from '../cluster/membership.ts'
import type { Host, Net } from '../host/host.ts'

/** Long before the next one. Milliseconds. */
const SILENCE_MS = 5_000

export function remoteSamples(
  { log, meter }: Pick<Host, 'log' | 'meter'>,
  net: Net,
  member: () => Membership,
): SampleSink {
  let told = false
  const send = async (body: string): Promise<string | undefined> => {
    const { server, caPem, certificatePem, keyPem } = member()
    const answer = await net.request({
      method: 'POST',
      url: `${server}/v1-croft/metrics/samples`,
      headers: { 'content-type': 'application/json' },
      body,
      idleTimeoutMs: SILENCE_MS,
      caPem,
      certificatePem,
      keyPem,
    })
    if (!answer.ok) return answer.failure.message
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of answer.value.body) text += decoder.decode(chunk, { stream: true })
    return answer.value.status < 300 ? undefined : `${answer.value.status} ${text.slice(0, 200)}`
  }
  return {
    push(sample) {
      void send(printJson(sample))
        .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
        .then((why) => {
          if (why !== undefined) meter.count('croft_metrics_samples_lost_total')
          if (why !== undefined && !told) log.warn('the load of this host was not told', { why })
          told = why !== undefined
        })
    },
  }
}
