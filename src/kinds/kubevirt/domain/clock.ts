// The guest's clock and timers.
import { s } from '../../build.ts'

export const clockOffsetUTC = s.object({
  offsetSeconds: s.integer(),
})

export const rtcTimer = s.object({
  present: s.boolean(),
  tickPolicy: s.string(),
  track: s.string(),
})

export const pitTimer = s.object({
  present: s.boolean(),
  tickPolicy: s.string(),
})

export const kvmTimer = s.object({
  present: s.boolean(),
})

export const hpetTimer = s.object({
  present: s.boolean(),
  tickPolicy: s.string(),
})

export const hypervTimer = s.object({
  present: s.boolean(),
})

export const timer = s.object({
  hpet: hpetTimer,
  hyperv: hypervTimer,
  kvm: kvmTimer,
  pit: pitTimer,
  rtc: rtcTimer,
})

export const clock = s.object({
  timer: timer,
  timezone: s.string(),
  utc: clockOffsetUTC,
})
