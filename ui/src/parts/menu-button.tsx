// A button that opens a menu: of choices, one of them chosen, or of actions.
import { Check, ChevronDown, type LucideIcon } from 'lucide-react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'

export interface Choice {
  readonly id: string
  readonly text: string
  /** Language of the text, where it is not the page's. */
  readonly lang?: string
  readonly isDisabled?: boolean
  readonly isBad?: boolean
  readonly icon?: LucideIcon
}

export interface MenuButtonProps {
  readonly label: string
  readonly icon: LucideIcon
  readonly text?: string
  readonly chosen?: string
  readonly choices: readonly Choice[]
  readonly onChoose: (id: string) => void
  readonly quiet?: boolean
}

export function MenuButton({ label, icon: Icon, text, chosen, choices, onChoose, quiet }: MenuButtonProps) {
  const shape = `btn${quiet ? ' quiet' : ''}${text === undefined ? ' square' : ''}`
  return (
    <MenuTrigger>
      <Button className={shape} aria-label={text === undefined ? label : `${label}: ${text}`}>
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
              <span lang={choice.lang}>{choice.text}</span>
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
