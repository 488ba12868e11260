// One choice among a few, each with a line that says what it means.
import { Label, Radio, RadioGroup } from 'react-aria-components'

export interface Tile {
  readonly id: string
  readonly title: string
  readonly what: string
}
export interface TilesProps {
  readonly label: string
  readonly tiles: readonly Tile[]
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

export function Tiles({ label, tiles, chosen, onChoose }: TilesProps) {
  return (
    <RadioGroup className="field" value={chosen ?? null} onChange={onChoose}>
      <Label className="label">{label}</Label>
      <div className="tiles">
        {tiles.map(({ id, title, what }) => (
          <Radio key={id} value={id} className="tile">
            <strong>{title}</strong>
            <span className="muted small">{what}</span>
          </Radio>
        ))}
      </div>
    </RadioGroup>
  )
}

export function Segments({ label, tiles, chosen, onChoose }: TilesProps) {
  return (
    <RadioGroup
      className="segments"
      aria-label={label}
      orientation="horizontal"
      value={chosen ?? null}
      onChange={onChoose}
    >
      {tiles.map(({ id, title }) => (
        <Radio key={id} value={id} className="segment">
          {title}
        </Radio>
      ))}
    </RadioGroup>
  )
}
