// Load of a host over time.
import { useState } from 'react'
import { useWords } from '../../app/words.ts'
import { bytesText, coresText } from '../../data/measures.ts'
import { useLoad } from '../../data/metrics.ts'
import { Chart, type Line } from '../../parts/chart.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { type Span, SpanChoice } from '../../parts/span-choice.tsx'

export function HostLoad({ name }: { readonly name: string }) {
  const { t, language } = useWords()
  const [span, setSpan] = useState<Span>('1h')
  const { load, failure } = useLoad(`node/${name}`, span)
  const bytes = (value: number) => bytesText(language, value)
  const speed = (value: number) => t('chart.perSecond', { amount: bytes(value) })
  const { memoryTotal, diskTotal } = load?.latest?.values ?? {}
  const lines = (...rows: readonly (readonly [name: string, title: string])[]): readonly Line[] =>
    rows.map(([id, title], index) => ({ name: id, title, colour: index === 0 ? 'accent' : 'busy' }))
  return (
    <div className="stack">
      <SpanChoice span={span} onSpan={setSpan} />
      {failure && !load && <Refusal failure={failure} />}
      <div className="charts">
        <Chart
          title={t('chart.hostCpu')}
          load={load}
          lines={lines(['cpu', t('column.cpu')])}
          text={(value) => coresText(language, value)}
        />
        <Chart
          title={t('chart.hostMemory')}
          load={load}
          lines={lines(['memoryUsed', t('column.memory')])}
          text={bytes}
          max={memoryTotal}
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
        <Chart
          title={t('chart.room')}
          load={load}
          lines={lines(['diskUsed', t('home.storage')])}
          text={bytes}
          max={diskTotal}
        />
      </div>
    </div>
  )
}
