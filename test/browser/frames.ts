// How smoothly a list scrolls: frames drawn while it is scrolled from one end to the other.
import type { Page } from 'playwright-core'

export interface Frames {
  readonly perSecond: number
  /** Milliseconds of the longest pause between two frames, and of one in twenty. */
  readonly longestMs: number
  readonly slowMs: number
}

/** Run in the page: scrolls the table's box steadily and notes the time of every frame. */
const SCROLL = `(async (lasts) => {
  const box = document.querySelector('.scroll')
  const times = []
  const began = performance.now()
  await new Promise((resolve) => {
    const step = (now) => {
      times.push(now)
      const share = (now - began) / lasts
      box.scrollTop = (box.scrollHeight - box.clientHeight) * share
      if (share < 1) requestAnimationFrame(step)
      else resolve()
    }
    requestAnimationFrame(step)
  })
  return times
})`

export async function framesWhileScrolling(page: Page, lastsMs: number): Promise<Frames> {
  const times = (await page.evaluate(`${SCROLL}(${lastsMs})`)) as number[]
  const gaps = times
    .slice(1)
    .map((time, index) => time - (times[index] ?? 0))
    .sort((a, b) => a - b)
  const whole = (times.at(-1) ?? 0) - (times[0] ?? 0)
  return {
    perSecond: ((times.length - 1) * 1000) / whole,
    longestMs: gaps.at(-1) ?? Number.NaN,
    slowMs: gaps[Math.floor(gaps.length * 0.95)] ?? Number.NaN,
  }
}
