// Settings: only those that there are, with values that they take; none is deleted.
import type { Rule } from '../../kind.ts'
import { invalid } from '../../kubevirt/rules/causes.ts'
import { settingDefinition, settingProblem } from '../settings.ts'

export const settingRule: Rule = (next, previous) => {
  if (!next)
    return {
      refuse: {
        code: 403,
        reason: 'Forbidden',
        message: `setting ${previous?.metadata.name} cannot be deleted; give it its default value instead`,
      },
    }
  const name = next.metadata.name ?? ''
  const definition = settingDefinition(name)
  if (!definition)
    return previous ? {} : { causes: [invalid('metadata.name', `there is no setting ${name}`)] }
  const value = String(next['value'] ?? '')
  if (previous && previous['value'] === value) return {}
  const problem = settingProblem(definition, value)
  if (problem) return { causes: [invalid('value', `${problem}, not ${JSON.stringify(value)}`)] }
  return definition.effect === 'stored' && previous
    ? { warnings: [`setting ${name} is kept and shown, and changes nothing here`] }
    : {}
}
