// What an object is, as pairs of a word and a value, in a card; and small tables in cards.
import { Fragment, type ReactNode } from 'react'

export type Fact = readonly [name: string, value: ReactNode]

export function Facts({ title, facts }: { readonly title: string; readonly facts: readonly Fact[] }) {
  return (
    <Card title={title}>
      <div className="in">
        <dl className="facts">
          {facts.map(([name, value]) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value === '' || value === undefined ? '–' : value}</dd>
            </Fragment>
          ))}
        </dl>
      </div>
    </Card>
  )
}

export interface CardProps {
  readonly title: string
  /** Buttons at the end of the heading. */
  readonly end?: ReactNode
  readonly children: ReactNode
}

export function Card({ title, end, children }: CardProps) {
  return (
    <section className="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span className="push" />
        {end}
      </header>
      {children}
    </section>
  )
}

export interface SmallTableProps {
  readonly label: string
  /** Titles of the columns. */
  readonly titles: readonly string[]
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[]
  readonly empty: string
}

/** The first cell of a row is its name. */
export function SmallTable({ label, titles, rows, empty }: SmallTableProps) {
  if (rows.length === 0) return <p className="in muted">{empty}</p>
  return (
    <div className="sideways">
      <table aria-label={label}>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, index) => (
                <td key={titles[index]} className="wrap">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
