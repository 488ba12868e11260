// The machine's clock and timers.
import type { HostFacts } from './facts.ts'
import type { Domain, Part } from './part.ts'

/** `now` in milliseconds since 1970: an offset is told to QEMU as a date. */
export function planClock(domain: Domain, facts: HostFacts, now: number): Part {
  const { clock } = domain
  const timer = clock?.timer
  const catchUp = timer?.rtc?.tickPolicy === 'catchup' ? ',driftfix=slew' : ''
  const offset = clock?.utc?.offsetSeconds ?? 0
  const base = clock?.timezone ? 'localtime' : offset === 0 ? 'utc' : dateText(now + offset * 1000)
  const kvm = facts.accelerator.kind === 'kvm'
  const machine = [
    ...(timer?.hpet ? [`hpet=${timer.hpet.present === false ? 'off' : 'on'}`] : []),
    ...(timer?.pit?.present === false ? ['pit=off'] : []),
  ]
  // The policy is a property of KVM's own interval timer.
  const policy = timer?.pit?.tickPolicy
  const pit =
    kvm && (policy === 'delay' || policy === 'discard')
      ? ['-global', `kvm-pit.lost_tick_policy=${policy}`]
      : []
  return {
    argv: ['-rtc', `base=${base}${catchUp}`, ...pit],
    machine,
    ...(clock?.timezone ? { env: { TZ: clock.timezone } } : {}),
  }
}

function dateText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19)
}
