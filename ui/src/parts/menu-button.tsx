// A button that opens a menu: of choices, one of them chosen, or of actions.
import { Check, ChevronDown, type LucideIcon } from 'lucide-react'
import { useState } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { iconOf } from './icons.tsx'

export interface Choice {
  readonly id: string
  readonly text: string
  /** Language of the text, where it is not the page's. */
  readonly lang?: string
  readonly isDisabled?: boolean
  readonly isBad?: boolean
  readonly icon?: LucideIcon
  /** A second line: what it means, or why it cannot be chosen. */
  readonly note?: string | undefined
}

export interface MenuButtonProps {
  readonly label: string
  readonly icon: LucideIcon
  readonly text?: string
  readonly chosen?: string
  readonly choices: readonly Choice[]
  readonly onChoose: (id: string) => void
  readonly quiet?: boolean
  /** For rows of long lists: a plain button until it is pressed for the first time. */
  readonly isQuick?: boolean
}

export function MenuButton(props: MenuButtonProps) {
  const { label, icon, quiet, isQuick } = props
  // A row that scrolls away lends its elements to another one, whose menu was not opened.
  const [awake, wake] = useState<string>()
  if (!isQuick || awake === label) return <LiveMenu key={isQuick ? label : ''} {...props} />
  return (
    <button
      type="button"
      className={`btn${quiet ? ' quiet' : ''} square`}
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => wake(label)}
    >
      {iconOf(icon)}
    </button>
  )
}

function LiveMenu(props: MenuButtonProps) {
  const { label, icon: Icon, text, chosen, choices, onChoose, quiet, isQuick = false } = props
  const shape = `btn${quiet ? ' quiet' : ''}${text === undefined ? ' square' : ''}`
  return (
    <MenuTrigger defaultOpen={isQuick}>
      <Button
        autoFocus={isQuick}
        className={shape}
        aria-label={text === undefined ? label : `${label}: ${text}`}
      >
        <Icon className="icon" aria-hidden />
        {text !== undefined && <span>{text}</span>}
        {text !== undefined && <ChevronDown className="icon" aria-hidden />}
      </Button>
      <Popover className="popover" offset={4}>
        <Menu
          className="menu"
          aria-label={label}
          onAction={(key) => onChoose(String(key))}
          {...(chosen === undefined ? {} : { selectionMode: 'single' as const, selectedKeys: [chosen] })}
        >
          {choices.map((choice) => (
            <MenuItem
              key={choice.id}
              id={choice.id}
              textValue={choice.text}
              isDisabled={choice.isDisabled ?? false}
              className={choice.isBad ? 'bad' : ''}
            >
              {chosen !== undefined && <Check className="icon check" aria-hidden />}
              {choice.icon && <choice.icon className="icon" aria-hidden />}
              <span lang={choice.lang}>
                {choice.text}
                {choice.note && <span className="menu-note">{choice.note}</span>}
              </span>
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
