// Keys that a browser keeps for itself, sent to the guest from a menu; and the layout of the guest's keyboard.
import { Keyboard } from 'lucide-react'
import type { RefObject } from 'react'
import { useWords } from '../../app/words.ts'
import type { Controls } from '../../consoles/console-port.ts'
import { LAYOUTS, type Layout } from '../../consoles/layouts.ts'
import { Button } from '../../parts/button.tsx'
import { MenuButton } from '../../parts/menu-button.tsx'

export interface ConsoleKeysProps {
  readonly isDisabled: boolean
  readonly controls: RefObject<Controls | null>
  readonly layout: Layout
  readonly onLayout: (layout: Layout) => void
}

const COMBINATIONS: Readonly<Record<string, readonly string[]>> = {
  'Ctrl-Alt-F1': ['ControlLeft', 'AltLeft', 'F1'],
  'Ctrl-Alt-F2': ['ControlLeft', 'AltLeft', 'F2'],
  'Ctrl-Alt-F7': ['ControlLeft', 'AltLeft', 'F7'],
  'Ctrl-Alt-Backspace': ['ControlLeft', 'AltLeft', 'Backspace'],
  'Alt-Tab': ['AltLeft', 'Tab'],
  'Alt-F4': ['AltLeft', 'F4'],
  PrintScreen: ['PrintScreen'],
  Meta: ['MetaLeft'],
}

export function ConsoleKeys({ isDisabled, controls, layout, onLayout }: ConsoleKeysProps) {
  const { t } = useWords()
  return (
    <>
      <MenuButton
        label={t('console.layout')}
        icon={Keyboard}
        text={layout.toUpperCase()}
        chosen={layout}
        choices={LAYOUTS.map((id) => ({ id, text: t(`console.layout.${id}`) }))}
        onChoose={(id) => onLayout(id as Layout)}
      />
      <Button isDisabled={isDisabled} onPress={() => controls.current?.ctrlAltDel?.()}>
        {t('console.cad')}
      </Button>
      <MenuButton
        label={t('console.sendKeys')}
        icon={Keyboard}
        choices={Object.keys(COMBINATIONS).map((id) => ({ id, text: id, isDisabled }))}
        onChoose={(id) => controls.current?.press?.(COMBINATIONS[id] ?? [])}
      />
    </>
  )
}
