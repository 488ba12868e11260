// Counters, gauges and histograms in memory, and their Prometheus text. Pure, so that the simulation uses it too.
// The number of series is bounded: a label that takes endless values ends up in one series marked as overflow.
import type { Labels, Meter } from './host.ts'

export interface ReadableMeter extends Meter {
  /** Everything so far in the Prometheus text format 0.0.4. */
  snapshot(): string
}

/** Series of one metric; more would be a label with unbounded values, a mistake that eats memory. */
const SERIES_MAX = 500
const OVERFLOW: Labels = { overflow: 'true' }

/** Seconds, from a cached read to a slow import. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const BYTES = [256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216]
const COUNTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000]

type MetricType = 'counter' | 'gauge' | 'histogram'

interface Series {
  value: number
  /** Observations per bucket; only for histograms. */
  readonly buckets: number[]
  count: number
}

interface Metric {
  readonly type: MetricType
  readonly bounds: readonly number[]
  /** By printed labels. */
  readonly series: Map<string, Series>
}

export function makeMeter(): ReadableMeter {
  const metrics = new Map<string, Metric>()
  const seriesOf = (type: MetricType, name: string, labels: Labels | undefined): [Metric, Series] => {
    let metric = metrics.get(name)
    if (metric === undefined) {
      metric = { type, bounds: type === 'histogram' ? boundsFor(name) : [], series: new Map() }
      metrics.set(name, metric)
    }
    const wanted = labelText(labels)
    const key = metric.series.has(wanted) || metric.series.size < SERIES_MAX ? wanted : labelText(OVERFLOW)
    let series = metric.series.get(key)
    if (series === undefined) {
      series = { value: 0, buckets: metric.bounds.map(() => 0), count: 0 }
      metric.series.set(key, series)
    }
    return [metric, series]
  }
  return {
    count(name, by = 1, labels) {
      seriesOf('counter', name, labels)[1].value += by
    },
    gauge(name, value, labels) {
      seriesOf('gauge', name, labels)[1].value = value
    },
    observe(name, value, labels) {
      const [metric, series] = seriesOf('histogram', name, labels)
      series.value += value
      series.count += 1
      const bucket = metric.bounds.findIndex((bound) => value <= bound)
      if (bucket >= 0) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
    },
    snapshot: () => [...metrics].map(([name, metric]) => metricText(name, metric)).join(''),
  }
}

function boundsFor(name: string): readonly number[] {
  return name.endsWith('_seconds') ? SECONDS : name.endsWith('_bytes') ? BYTES : COUNTS
}

function labelText(labels: Labels | undefined): string {
  if (labels === undefined) return ''
  return Object.keys(labels)
    .sort()
    .map((name) => `${name}=${JSON.stringify(labels[name])}`)
    .join(',')
}

function metricText(name: string, metric: Metric): string {
  const lines = [`# TYPE ${name} ${metric.type}`]
  for (const [labels, series] of metric.series) {
    if (metric.type !== 'histogram') {
      lines.push(`${name}${braced(labels)} ${series.value}`)
      continue
    }
    let below = 0
    metric.bounds.forEach((bound, index) => {
      below += series.buckets[index] ?? 0
      lines.push(`${name}_bucket${braced(labels, `le="${bound}"`)} ${below}`)
    })
    lines.push(`${name}_bucket${braced(labels, 'le="+Inf"')} ${series.count}`)
    lines.push(
      `${name}_sum${braced(labels)} ${series.value}`,
      `${name}_count${braced(labels)} ${series.count}`,
    )
  }
  return `${lines.join('\n')}\n`
}

function braced(...parts: readonly string[]): string {
  const text = parts.filter((part) => part !== '').join(',')
  return text === '' ? '' : `{${text}}`
}
