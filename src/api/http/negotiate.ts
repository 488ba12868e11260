// Chooses the form of an answer from the Accept header.

/** How the answer's objects are shown: as they are, as table rows, or their metadata alone. */
export interface AnswerForm {
  readonly as: 'object' | 'table' | 'metadata'
  readonly yaml: boolean
}

interface MediaRange {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

const PLAIN: AnswerForm = { as: 'object', yaml: false }

/** Undefined when nothing that the client accepts can be given. */
export function negotiate(accept: string | undefined): AnswerForm | undefined {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json') return PLAIN
  for (const range of parseAccept(accept)) {
    const form = formOf(range)
    if (form) return form
  }
  return undefined
}

function formOf({ type, parameters }: MediaRange): AnswerForm | undefined {
  if (type === '*/*') return PLAIN
  const yaml = type === 'application/yaml'
  if (type !== 'application/json' && !yaml) return undefined
  const as = parameters.get('as')
  if (as === undefined) return { as: 'object', yaml }
  if (parameters.get('g') !== 'meta.k8s.io' || parameters.get('v') !== 'v1') return undefined
  if (as === 'Table') return { as: 'table', yaml }
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList'
    ? { as: 'metadata', yaml }
    : undefined
}

export function parseAccept(accept: string): readonly MediaRange[] {
  const ranges = accept.split(',').map((part) => {
    const [type = '', ...rest] = part.split(';').map((piece) => piece.trim())
    const parameters = new Map<string, string>()
    for (const piece of rest) {
      const at = piece.indexOf('=')
      if (at > 0) parameters.set(piece.slice(0, at).toLowerCase(), piece.slice(at + 1))
    }
    return { type: type.toLowerCase(), parameters }
  })
  const quality = (range: MediaRange) => Number(range.parameters.get('q') ?? '1')
  return ranges.filter((range) => quality(range) !== 0).sort((a, b) => quality(b) - quality(a))
}

/** True when the Accept header names this API object form, for instance aggregated discovery. */
export function accepts(accept: string | undefined, group: string, version: string, as: string): boolean {
  return parseAccept(accept ?? '').some(
    ({ type, parameters }) =>
      type === 'application/json' &&
      parameters.get('g') === group &&
      parameters.get('v') === version &&
      parameters.get('as') === as,
  )
}
