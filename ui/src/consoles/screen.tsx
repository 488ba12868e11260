// The screen of a machine: noVNC on a WebSocket.
import RFB from '@novnc/novnc'
import { useEffect, useRef } from 'react'
import { type ConsoleProps, PROTOCOL, RETRY_MS, streamUrl, TAKEN } from './console-port.ts'

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
    const open = () => {
      // The socket is ours, so that its close code is known: noVNC keeps it to itself.
      const socket = new WebSocket(streamUrl('vnc', namespace, name), [PROTOCOL])
      let code = 0
      socket.addEventListener('close', (event) => {
        code = event.code
      })
      const rfb = new RFB(element, socket)
      current.current = rfb
      rfb.scaleViewport = wanted.current
      rfb.clipViewport = !wanted.current
      rfb.background = '#0d0f12'
      rfb.focusOnClick = true
      rfb.addEventListener('connect', () => {
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
      type: (text) => void typeKeys(() => current.current, text),
      ctrlAltDel: () => current.current?.sendCtrlAltDel(),
    }
    return () => {
      over = true
      clearTimeout(timer)
      controls.current = null
      current.current?.disconnect()
      current.current = undefined
    }
  }, [namespace, name, label, controls, onState])
  return <div className="fill" ref={pane} />
}

async function typeKeys(rfb: () => RFB | undefined, text: string): Promise<void> {
  for (const character of text.replaceAll('\r\n', '\n')) {
    const point = character.codePointAt(0) ?? 0
    const keysym =
      character === '\n' ? RETURN : character === '\t' ? TAB : point < 0x100 ? point : UNICODE_KEYSYM + point
    rfb()?.sendKey(keysym, null)
    await new Promise((resolve) => setTimeout(resolve, KEY_EVERY_MS))
  }
}
