// Name and project of something new.
import { isSystemNamespace, useProject, useProjects } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { Field } from '../../parts/field.tsx'
import { ChoiceField } from './choice-field.tsx'

/** Where something new goes when nobody says otherwise. */
export function useHomeProject(): string {
  return useProject() ?? 'default'
}

export interface NameFieldsProps {
  readonly name: string
  readonly namespace: string
  readonly refusal: string | undefined
  readonly onName: (name: string) => void
  readonly onNamespace: (namespace: string) => void
}

export function NameFields({ name, namespace, refusal, onName, onNamespace }: NameFieldsProps) {
  return (
    <div className="pair">
      <NameField value={name} refusal={refusal} onValue={onName} />
      <ProjectField value={namespace} onValue={onNamespace} />
    </div>
  )
}

export interface NameFieldProps {
  readonly value: string
  readonly refusal: string | undefined
  readonly onValue: (name: string) => void
}

export function NameField({ value, refusal, onValue }: NameFieldProps) {
  const { t } = useWords()
  return (
    <Field
      label={t('create.name')}
      hint={t('create.nameRule')}
      value={value}
      onValue={onValue}
      refusal={refusal}
      required
      autoFocus
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
    />
  )
}

export function ProjectField({
  value,
  onValue,
}: {
  readonly value: string
  readonly onValue: (value: string) => void
}) {
  const { t } = useWords()
  const names = (useProjects()?.names ?? []).filter((name) => !isSystemNamespace(name))
  const offered = (names.includes(value) ? names : [value, ...names]).sort()
  return (
    <ChoiceField
      label={t('create.project')}
      value={value}
      options={offered.map((name) => ({ id: name, text: name }))}
      onValue={onValue}
    />
  )
}
