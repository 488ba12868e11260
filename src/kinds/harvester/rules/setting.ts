// What may be written into a setting. Names are fixed; a value is read before it is stored.
import type { Rule } from '../../kind.ts'
import { settingNamed } from '../settings.ts'

export const settingRule: Rule = (next, previous) => {
  const name = (next ?? previous)?.metadata.name ?? ''
  const definition = settingNamed(name)
  if (!next) {
    return definition?.keep
      ? { refuse: { code: 405, reason: 'MethodNotAllowed', message: `setting ${name} cannot be deleted` } }
      : {}
  }
  if (!definition) {
    if (previous) return {}
    return {
      causes: [
        {
          reason: 'FieldValueNotSupported',
          field: 'metadata.name',
          message: `there is no setting with the name ${JSON.stringify(name)}`,
        },
      ],
    }
  }
  const value = typeof next['value'] === 'string' ? next['value'] : ''
  const changed = previous === undefined || previous['value'] !== next['value']
  if (value === '' || !changed) return {}
  const wrong = definition.check(value)
  // The value itself is not repeated: some settings hold keys.
  return wrong
    ? {
        causes: [
          { reason: 'FieldValueInvalid', field: 'value', message: `value of setting ${name} ${wrong}` },
        ],
      }
    : {}
}
