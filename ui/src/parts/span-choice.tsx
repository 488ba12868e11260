// How far back a chart looks.
import { useWords } from '../app/words.ts'
import { Segments } from './tiles.tsx'

export const SPANS = ['1h', '6h', '24h'] as const
export type Span = (typeof SPANS)[number]

export interface SpanChoiceProps {
  readonly span: Span
  readonly onSpan: (span: Span) => void
}

export function SpanChoice({ span, onSpan }: SpanChoiceProps) {
  const { t } = useWords()
  return (
    <Segments
      label={t('chart.span')}
      chosen={span}
      onChoose={(id) => onSpan(id as Span)}
      tiles={SPANS.map((id) => ({ id, title: t(`chart.span.${id}`), what: '' }))}
    />
  )
}
