// The screen of a machine: noVNC on a WebSocket.
import RFB from '@novnc/novnc'
import { useEffect, useRef } from 'react'
import { type ConsoleProps, PROTOCOL, RETRY_MS, streamUrl, TAKEN } from './console-port.ts'
import { type Layout, pressesOf } from './layouts.ts'

/** A key a guest can follow. */
const KEY_EVERY_MS = 12
const RETURN = 0xff0d
const TAB = 0xff09
/** Where X11 keysyms of characters beyond Latin-1 begin. */
const UNICODE_KEYSYM = 0x0100_0000

export function Screen({ namespace, name, label, fit, controls, onState }: ConsoleProps) {
  const pane = useRef<HTMLDivElement>(null)
  const current = useRef<RFB | undefined>(undefined)
  const wanted = useRef(fit)

  useEffect(() => {
    wanted.current = fit
    if (!current.current) return
    current.current.scaleViewport = fit
    current.current.clipViewport = !fit
    current.current.dragViewport = !fit
  }, [fit])

  useEffect(() => {
    const element = pane.current
    if (!element) return
    let over = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let leave: (() => void) | undefined
    const open = () => {
      // The socket is ours, so that its close code is known: noVNC keeps it to itself.
      const socket = new WebSocket(streamUrl('vnc', namespace, name), [PROTOCOL])
      let code = 0
      socket.addEventListener('close', (event) => {
        code = event.code
      })
      const rfb = new RFB(element, socket)
      current.current = rfb
      leave = () => {
        // A browser complains about a connection that is broken off while it is made.
        if (socket.readyState === WebSocket.CONNECTING)
          socket.addEventListener('open', () => rfb.disconnect(), { once: true })
        else rfb.disconnect()
      }
      rfb.scaleViewport = wanted.current
      rfb.clipViewport = !wanted.current
      rfb.background = '#0d0f12'
      rfb.focusOnClick = true
      rfb.addEventListener('connect', () => {
        if (over) return
        element.querySelector('canvas')?.setAttribute('aria-label', label)
        element.querySelector('canvas')?.setAttribute('role', 'application')
        rfb.focus()
        onState('connected')
      })
      rfb.addEventListener('disconnect', () => {
        current.current = undefined
        if (over) return
        if (code === TAKEN) onState('taken')
        else {
          onState('lost')
          timer = setTimeout(open, RETRY_MS)
        }
      })
    }
    open()
    controls.current = {
      type: (text, layout) => void typeKeys(() => current.current, text, layout),
      press: (codes) => together(current.current, codes, () => undefined),
      ctrlAltDel: () => current.current?.sendCtrlAltDel(),
    }
    return () => {
      over = true
      clearTimeout(timer)
      controls.current = null
      if (current.current) leave?.()
      current.current = undefined
    }
  }, [namespace, name, label, controls, onState])
  return <div className="fill" ref={pane} />
}

async function typeKeys(rfb: () => RFB | undefined, text: string, layout: Layout): Promise<void> {
  const presses = pressesOf(layout)
  for (const character of text.replaceAll('\r\n', '\n')) {
    const press = presses.get(character)
    const keysym = keysymOf(character)
    if (!press) rfb()?.sendKey(keysym, null)
    else {
      const held = press.shift ? ['ShiftLeft'] : press.altGr ? ['AltRight'] : []
      together(rfb(), held, () => rfb()?.sendKey(keysym, press.code))
      if (press.isDead) rfb()?.sendKey(keysymOf(' '), 'Space')
    }
    await new Promise((resolve) => setTimeout(resolve, KEY_EVERY_MS))
  }
}

function keysymOf(character: string): number {
  const point = character.codePointAt(0) ?? 0
  if (character === '\n') return RETURN
  if (character === '\t') return TAB
  return point < 0x100 ? point : UNICODE_KEYSYM + point
}

/** X11 keysyms of the keys that are pressed together with others, and of those that have no character. */
const KEYSYMS: Readonly<Record<string, number>> = {
  ShiftLeft: 0xffe1,
  AltRight: 0xfe03,
  ControlLeft: 0xffe3,
  AltLeft: 0xffe9,
  MetaLeft: 0xffeb,
  Tab: TAB,
  PrintScreen: 0xff61,
  Backspace: 0xff08,
  ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`F${index + 1}`, 0xffbe + index])),
}

/** Holds the keys down, does something, and lets go in the other order. */
function together(rfb: RFB | undefined, codes: readonly string[], between: () => void): void {
  for (const code of codes) rfb?.sendKey(KEYSYMS[code] ?? 0, code, true)
  between()
  for (const code of [...codes].reverse()) rfb?.sendKey(KEYSYMS[code] ?? 0, code, false)
}
