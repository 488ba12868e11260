// The machine as YAML, without what only the server's bookkeeping needs.
import { useMemo } from 'react'
import type { KubeObject } from '../../../../src/base/object.ts'
import { printYaml } from '../../../../src/kinds/yaml.ts'
import { useWords } from '../../app/words.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { useMachine } from './use-machine.ts'

export function yamlOf(object: KubeObject): string {
  const { managedFields: _, ...metadata } = object.metadata
  return printYaml({ ...object, metadata })
}

export function YamlTab() {
  const { t } = useWords()
  const { machine, name } = useMachine()
  const text = useMemo(() => (machine ? yamlOf(machine) : ''), [machine])
  const label = t('yaml.of', { name })
  return (
    <section className="card stretch" aria-label={label}>
      <header>
        <h2>{label}</h2>
        <span className="push" />
        <CopyButton text={text} of={label} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className="yaml" tabIndex={0}>
        {text}
      </pre>
    </section>
  )
}
