// Which keys make a character on the keyboard that the guest believes to have: text is pasted as presses of keys, and
// the guest's own layout makes characters of them again. Pure.

export const LAYOUTS = ['us', 'gb', 'de', 'fr'] as const
export type Layout = (typeof LAYOUTS)[number]

export interface Press {
  /** As KeyboardEvent.code names it. */
  readonly code: string
  readonly shift: boolean
  readonly altGr: boolean
  /** A space must follow, or the next character is changed. */
  readonly isDead: boolean
}

const ROWS: readonly (readonly string[])[] = [
  ['Backquote', ...Array.from('1234567890', (digit) => `Digit${digit}`), 'Minus', 'Equal'],
  [...Array.from('QWERTYUIOP', (letter) => `Key${letter}`), 'BracketLeft', 'BracketRight'],
  [...Array.from('ASDFGHJKL', (letter) => `Key${letter}`), 'Semicolon', 'Quote', 'Backslash'],
  ['IntlBackslash', ...Array.from('ZXCVBNM', (letter) => `Key${letter}`), 'Comma', 'Period', 'Slash'],
]

interface Table {
  /** The four rows without and with Shift; a space where a key makes nothing. */
  readonly plain: readonly string[]
  readonly shift: readonly string[]
  /** Code and character. */
  readonly altGr: Readonly<Record<string, string>>
  readonly dead: string
}

const TABLES: Readonly<Record<Layout, Table>> = {
  us: {
    plain: ['`1234567890-=', 'qwertyuiop[]', "asdfghjkl;'\\", ' zxcvbnm,./'],
    shift: ['~!@#$%^&*()_+', 'QWERTYUIOP{}', 'ASDFGHJKL:"|', ' ZXCVBNM<>?'],
    altGr: {},
    dead: '',
  },
  gb: {
    plain: ['`1234567890-=', 'qwertyuiop[]', "asdfghjkl;'#", '\\zxcvbnm,./'],
    shift: ['¬!"£$%^&*()_+', 'QWERTYUIOP{}', 'ASDFGHJKL:@~', '|ZXCVBNM<>?'],
    altGr: { Digit4: '€' },
    dead: '',
  },
  de: {
    plain: ['^1234567890ß´', 'qwertzuiopü+', 'asdfghjklöä#', '<yxcvbnm,.-'],
    shift: ['°!"§$%&/()=?`', 'QWERTZUIOPÜ*', "ASDFGHJKLÖÄ'", '>YXCVBNM;:_'],
    altGr: {
      KeyQ: '@',
      KeyE: '€',
      KeyM: 'µ',
      Digit2: '²',
      Digit3: '³',
      Digit7: '{',
      Digit8: '[',
      Digit9: ']',
      Digit0: '}',
      Minus: '\\',
      BracketRight: '~',
      IntlBackslash: '|',
    },
    dead: '^´`',
  },
  fr: {
    plain: ['²&é"\'(-è_çà)=', 'azertyuiop^$', 'qsdfghjklmù*', '<wxcvbn,;:!'],
    shift: [' 1234567890°+', 'AZERTYUIOP¨£', 'QSDFGHJKLM%µ', '>WXCVBN?./§'],
    altGr: {
      KeyE: '€',
      Digit2: '~',
      Digit3: '#',
      Digit4: '{',
      Digit5: '[',
      Digit6: '|',
      Digit7: '`',
      Digit8: '\\',
      Digit9: '^',
      Digit0: '@',
      Minus: ']',
      Equal: '}',
    },
    dead: '¨~`',
  },
}

const made = new Map<Layout, ReadonlyMap<string, Press>>()

/** By character; Return, Tab and space are on every keyboard. */
export function pressesOf(layout: Layout): ReadonlyMap<string, Press> {
  const known = made.get(layout)
  if (known) return known
  const { plain, shift, altGr, dead } = TABLES[layout]
  const presses = new Map<string, Press>()
  const add = (character: string, code: string, modifiers: Partial<Press>) => {
    if (character === ' ' || presses.has(character)) return
    presses.set(character, {
      code,
      shift: false,
      altGr: false,
      ...modifiers,
      isDead: dead.includes(character) && !(layout === 'fr' && character === '^'),
    })
  }
  for (const [code, character] of Object.entries(altGr)) add(character, code, { altGr: true })
  ROWS.forEach((codes, row) => {
    codes.forEach((code, index) => {
      add(plain[row]?.[index] ?? ' ', code, {})
      add(shift[row]?.[index] ?? ' ', code, { shift: true })
    })
  })
  const bare = { shift: false, altGr: false, isDead: false }
  presses.set(' ', { ...bare, code: 'Space' })
  presses.set('\n', { ...bare, code: 'Enter' })
  presses.set('\t', { ...bare, code: 'Tab' })
  made.set(layout, presses)
  return presses
}
