// Which conditions are good when they hold, and which when they don't.

const BAD_WHEN_TRUE =
  /(?:Pressure|Unavailable)$|^(?:Failure|Paused|RestartRequired|ManualRecoveryRequired|RetryLimitExceeded|SoftwareEmulation|Failed)$/

/** Undefined where nobody knows. */
export function isFine(type: string, status: string): boolean | undefined {
  if (status !== 'True' && status !== 'False') return undefined
  return (status === 'True') !== BAD_WHEN_TRUE.test(type)
}
