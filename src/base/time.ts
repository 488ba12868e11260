// Times as Kubernetes writes them: RFC 3339 in UTC, with seconds (Time) or microseconds (MicroTime).

/** `2026-11-30T23:15:00Z`. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

/** `2026-11-30T23:15:00.123456Z`; the micro part beyond milliseconds is zero. */
export function formatMicroTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/** Milliseconds since 1970, or undefined where the text is no RFC 3339 time. */
export function parseTime(text: string): number | undefined {
  if (!RFC_3339.test(text)) return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}
