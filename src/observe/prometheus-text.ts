// The Prometheus text format: families of samples with help and type, labels escaped.

export type LabelSet = Readonly<Record<string, string | undefined>>

export interface FamilySample {
  readonly labels: LabelSet
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly type: 'gauge' | 'counter'
  readonly help: string
  readonly samples: readonly FamilySample[]
}

/** Families without samples are left out. */
export function familiesText(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(
      ({ name, type, help, samples }) =>
        `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples
          .map(({ labels, value }) => `${name}${labelsText(labels)} ${value}\n`)
          .join('')}`,
    )
    .join('')
}

function labelsText(labels: LabelSet): string {
  const parts = Object.entries(labels).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${escaped(value)}"`],
  )
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`))
}

/** The name of a Kubernetes label as part of the name of a Prometheus label. */
export function labelName(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, '_')
}
