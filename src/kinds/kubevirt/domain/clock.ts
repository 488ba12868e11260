// The guest's clock and timers.
import { s } from '../../build.ts'

export const clockOffsetUTC = s.object(
  {
    offsetSeconds: s.integer("Difference to the host's clock, in seconds."),
  },
  'A clock that runs in UTC.',
)

export const rtcTimer = s.object(
  {
    present: s.boolean('Whether it is there.'),
    tickPolicy: s.string('What happens to missed ticks: delay or catchup.'),
    track: s.string('guest or wall time.'),
  },
  'The battery-backed clock.',
)

export const pitTimer = s.object(
  {
    present: s.boolean('Whether it is there.'),
    tickPolicy: s.string('What happens to missed ticks: delay, catchup or discard.'),
  },
  'The interval timer.',
)

export const kvmTimer = s.object(
  {
    present: s.boolean('Whether it is there.'),
  },
  'The paravirtual clock.',
)

export const hpetTimer = s.object(
  {
    present: s.boolean('Whether it is there.'),
    tickPolicy: s.string('What happens to missed ticks: delay, catchup, merge or discard.'),
  },
  'The high-precision timer.',
)

export const hypervTimer = s.object(
  {
    present: s.boolean('Whether it is there.'),
  },
  'The reference clock of Hyper-V.',
)

export const timer = s.object(
  {
    hpet: s.doc(hpetTimer, 'High-precision timer.'),
    hyperv: s.doc(hypervTimer, 'Reference clock of Hyper-V.'),
    kvm: s.doc(kvmTimer, 'Paravirtual clock.'),
    pit: s.doc(pitTimer, 'Interval timer.'),
    rtc: s.doc(rtcTimer, 'Battery-backed clock.'),
  },
  'Which timers the guest has.',
)

export const clock = s.object(
  {
    timer: s.doc(timer, 'Timers of the guest.'),
    timezone: s.string('Zone that the clock runs in, for instance Europe/Berlin.'),
    utc: s.doc(clockOffsetUTC, 'Runs in UTC.'),
  },
  "The guest's clock.",
)
