// A text in YAML to write in; what draws it is loaded when it is needed.
import { lazy, Suspense } from 'react'
import { useWords } from '../app/words.ts'

export interface YamlEditorProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly autoFocus?: boolean
}

const CodePane = lazy(async () => ({ default: (await import('./code-pane.tsx')).CodePane }))

export function YamlEditor(props: YamlEditorProps) {
  const { t } = useWords()
  return (
    <Suspense fallback={<p className="muted in">{t('app.loading')}</p>}>
      <CodePane {...props} />
    </Suspense>
  )
}
