// A chart of load over time; what draws it is loaded with it. The present value stands beside the title in words, and
// a table for screen readers says least, most and present.
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useWords } from '../app/words.ts'
import type { Load } from '../data/metrics.ts'
import { localeOf } from '../words/say.ts'

export interface Line {
  /** Name of the series in the load. */
  readonly name: string
  readonly title: string
  readonly colour: 'accent' | 'busy' | 'warn'
}

export interface ChartProps {
  readonly title: string
  readonly load: Load | undefined
  readonly lines: readonly Line[]
  readonly text: (value: number) => string
  /** The top of the axis where it is known: all processors, all memory. */
  readonly max?: number | undefined
}

const HEIGHT = 150

export function Chart({ title, load, lines, text, max }: ChartProps) {
  const { t, language } = useWords()
  const pane = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const shape = lines.map(({ name }) => name).join(' ')
  const latest = useRef({ text, max, language })
  latest.current = { text, max, language }

  // biome-ignore lint/correctness/useExhaustiveDependencies: another chart only for other lines or another language
  useEffect(() => {
    const element = pane.current
    if (!element) return
    const css = getComputedStyle(document.documentElement)
    const colour = (name: string) => resolve(element, css.getPropertyValue(`--${name}`))
    const axis = {
      stroke: colour('ink-2'),
      grid: { stroke: colour('line'), width: 1 },
      ticks: { show: false },
    }
    const made = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        padding: [10, 8, 0, 0],
        legend: { show: false },
        cursor: { drag: { setScale: false } },
        scales: { y: { range: (_, __, top) => [0, latest.current.max ?? (top > 0 ? top * 1.15 : 1)] } },
        axes: [
          {
            ...axis,
            size: 26,
            values: (_, ticks) =>
              ticks.map((at) =>
                new Intl.DateTimeFormat(localeOf(latest.current.language), {
                  hour: '2-digit',
                  minute: '2-digit',
                  hourCycle: 'h23',
                }).format(at * 1000),
              ),
          },
          { ...axis, size: 78, values: (_, ticks) => ticks.map((value) => latest.current.text(value)) },
        ],
        series: [
          {},
          ...lines.map((line, index) => ({
            stroke: colour(line.colour),
            width: 2,
            points: { show: false },
            ...(index === 0 ? { fill: `color-mix(in srgb, ${colour(line.colour)} 14%, transparent)` } : {}),
          })),
        ],
      },
      [[], ...lines.map(() => [])] as uPlot.AlignedData,
      element,
    )
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
      plot.current = undefined
    }
  }, [shape, language])

  useEffect(() => {
    if (!load || !plot.current) return
    const series = lines.map(({ name }) => load.series.find((one) => one.name === name)?.values ?? [])
    const times = Array.from({ length: series[0]?.length ?? 0 }, (_, index) => load.start + index * load.step)
    plot.current.setData([times, ...series.map((values) => [...values])] as uPlot.AlignedData)
  }, [load, lines])

  return (
    <section className="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span className="push chart-now">
          {lines.map((line) => {
            const value = load?.latest?.values[line.name]
            return (
              <span key={line.name} className={`chart-line ${line.colour}`}>
                {lines.length > 1 && `${line.title} `}
                <strong>{value === undefined ? '–' : text(value)}</strong>
              </span>
            )
          })}
        </span>
      </header>
      <div className="chart" ref={pane} aria-hidden />
      <table className="hidden-visually">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{t('column.name')}</th>
            <th scope="col">{t('chart.least')}</th>
            <th scope="col">{t('chart.most')}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ name, title: line }) => {
            const values = (load?.series.find((one) => one.name === name)?.values ?? []).filter(
              (value) => value !== null,
            )
            return (
              <tr key={name}>
                <th scope="row">{line}</th>
                <td>{values.length === 0 ? '–' : text(Math.min(...values))}</td>
                <td>{values.length === 0 ? '–' : text(Math.max(...values))}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** A canvas knows no `light-dark()`: the colour as the page shows it here. */
function resolve(element: HTMLElement, value: string): string {
  element.style.color = value
  const shown = getComputedStyle(element).color
  element.style.color = ''
  return shown
}
