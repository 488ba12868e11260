// Buttons. A square one shows a sign only and says its word as name and tooltip.
import type { ReactNode } from 'react'
import { Button as AriaButton, Tooltip, TooltipTrigger } from 'react-aria-components'

export interface ButtonProps {
  readonly children: ReactNode
  readonly kind?: 'plain' | 'primary' | 'quiet' | 'danger'
  readonly square?: boolean
  /** Name for screen readers, where the content is no text; also the tooltip of a square one. */
  readonly label?: string
  /** A longer name for screen readers than the tooltip shows. */
  readonly longLabel?: string
  readonly type?: 'button' | 'submit'
  readonly isDisabled?: boolean
  /** What it began is under way: it keeps the focus and does nothing. */
  readonly isPending?: boolean
  readonly isPressed?: boolean
  readonly autoFocus?: boolean
  readonly onPress?: () => void
}

export function Button(props: ButtonProps) {
  const {
    children,
    kind = 'plain',
    square = false,
    label,
    longLabel,
    type = 'button',
    isPressed,
    ...rest
  } = props
  const name = longLabel ?? label
  const button = (
    <AriaButton
      {...rest}
      type={type}
      className={`btn ${kind}${square ? ' square' : ''}`}
      {...(name === undefined ? {} : { 'aria-label': name })}
      {...(isPressed === undefined ? {} : { 'aria-pressed': isPressed })}
    >
      {children}
    </AriaButton>
  )
  if (!square || label === undefined) return button
  return (
    <TooltipTrigger delay={400} closeDelay={0}>
      {button}
      <Tooltip className="tooltip" offset={4}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  )
}
