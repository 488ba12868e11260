// An object as YAML, to read and, for whoever may, to change. What is sent is judged like any other change; a change by
// somebody else in between is a conflict that the server tells.
import { useMemo, useRef, useState } from 'react'
import type { KubeObject } from '../../../../src/base/object.ts'
import { parseYaml, printYaml } from '../../../../src/kinds/yaml.ts'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call, messageOf } from '../../data/api.ts'
import { pathOf } from '../../data/kinds.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { YamlEditor } from '../../parts/yaml-editor.tsx'
import { useMay } from './may.ts'
import { apiVersionOf, type KindPlace } from './places.ts'

/** Without what only the server's bookkeeping needs. */
export function yamlOf(place: KindPlace<KubeObject>, object: KubeObject): string {
  const { managedFields: _, ...metadata } = object.metadata
  return printYaml({ ...object, apiVersion: apiVersionOf(place), kind: place.kind, metadata })
}

interface YamlTabProps<T extends KubeObject> {
  readonly place: KindPlace<T>
  readonly object: T
}

export function YamlTab<T extends KubeObject>({ place, object }: YamlTabProps<T>) {
  const { t } = useWords()
  const { name = '', namespace } = object.metadata
  const may = useMay({ verb: 'update', place, namespace, name })
  const text = useMemo(() => yamlOf(place, object), [place, object])
  const [draft, setDraft] = useState<string>()
  const [refusal, setRefusal] = useState<string>()
  const [busy, setBusy] = useState(false)
  const edit = useRef<HTMLSpanElement>(null)
  const label = t('yaml.of', { name })
  const end = () => {
    setDraft(undefined)
    setRefusal(undefined)
    requestAnimationFrame(() => edit.current?.querySelector('button')?.focus())
  }
  const save = async () => {
    setBusy(true)
    setRefusal(undefined)
    try {
      const body = readObject(draft ?? '')
      await call(`${pathOf(place, namespace, name)}?fieldValidation=Strict`, { method: 'PUT', body })
      tell('ok', t('kit.saved', { name }))
      end()
    } catch (error) {
      setRefusal(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className="card stretch" aria-label={label}>
      <header>
        <h2>{label}</h2>
        <span className="push" />
        {draft === undefined ? (
          <>
            {may && (
              <span ref={edit}>
                <Button onPress={() => setDraft(text)}>{t('kit.edit')}</Button>
              </span>
            )}
            <CopyButton text={text} of={label} />
          </>
        ) : (
          <>
            <Button onPress={end}>{t('app.cancel')}</Button>
            <Button kind="primary" isPending={busy} onPress={() => void save()}>
              {t('kit.save')}
            </Button>
          </>
        )}
      </header>
      {refusal && (
        <p className="in refusal" role="alert">
          {refusal}
        </p>
      )}
      {draft === undefined ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre className="yaml" tabIndex={0}>
          {text}
        </pre>
      ) : (
        <YamlEditor label={label} value={draft} onValue={setDraft} autoFocus />
      )}
    </section>
  )
}

/** Throws with the place where the text cannot be read. */
function readObject(text: string): unknown {
  return parseYaml(text).value
}
