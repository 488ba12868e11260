// Load of a machine over time.
import { useState } from 'react'
import { useWords } from '../../app/words.ts'
import { bytesText, coresText, cpusOf, memoryOf } from '../../data/measures.ts'
import { useLoad } from '../../data/metrics.ts'
import { Chart, type Line } from '../../parts/chart.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { type Span, SpanChoice } from '../../parts/span-choice.tsx'
import { useMachine } from './use-machine.ts'

export function LoadTab() {
  const { t, language } = useWords()
  const { namespace, name, machine } = useMachine()
  const [span, setSpan] = useState<Span>('1h')
  const { load, failure } = useLoad(`vm/${namespace}/${name}`, span)
  if (!machine) return null
  const bytes = (value: number) => bytesText(language, value)
  const speed = (value: number) => t('chart.perSecond', { amount: bytes(value) })
  const lines = (...rows: readonly (readonly [id: string, title: string])[]): readonly Line[] =>
    rows.map(([id, title], index) => ({ name: id, title, colour: index === 0 ? 'accent' : 'busy' }))
  return (
    <div className="stack">
      <SpanChoice span={span} onSpan={setSpan} />
      {failure && !load && <Refusal failure={failure} />}
      <div className="charts">
        <Chart
          title={t('chart.cpuOf', { count: cpusOf(machine) })}
          load={load}
          lines={lines(['cpu', t('column.cpu')])}
          text={(value) => coresText(language, value)}
          max={cpusOf(machine)}
        />
        <Chart
          title={t('chart.memoryOf', { amount: bytes(memoryOf(machine)) })}
          load={load}
          lines={lines(['memory', t('chart.onHost')], ['memoryUsed', t('chart.inGuest')])}
          text={bytes}
        />
        <Chart
          title={t('chart.disk')}
          load={load}
          lines={lines(['diskRead', t('chart.read')], ['diskWrite', t('chart.write')])}
          text={speed}
        />
        <Chart
          title={t('chart.network')}
          load={load}
          lines={lines(['networkReceive', t('chart.received')], ['networkTransmit', t('chart.sent')])}
          text={speed}
        />
      </div>
    </div>
  )
}
