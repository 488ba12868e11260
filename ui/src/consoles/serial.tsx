// The serial console: xterm on a WebSocket; it comes back by itself and shows what the guest said meanwhile, because
// the server replays it.
import '@xterm/xterm/css/xterm.css'
import { FitAddon } from '@xterm/addon-fit'
import { type ITheme, Terminal } from '@xterm/xterm'
import { useEffect, useRef } from 'react'
import { type ConsoleProps, PROTOCOL, RETRY_MS, streamUrl } from './console-port.ts'
import { withSheetElements } from './style-sheets.ts'

const THEME: ITheme = {
  background: '#0d0f12',
  foreground: '#e3e6e8',
  cursor: '#5fc692',
  selectionBackground: '#3a5a4a',
}
/** Lines kept to scroll back to. */
const SCROLLBACK = 10_000

export function Serial({ namespace, name, label, controls, onState }: ConsoleProps) {
  const pane = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = pane.current
    if (!element) return
    const terminal = new Terminal({
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
      fontSize: 13,
      scrollback: SCROLLBACK,
      theme: THEME,
      screenReaderMode: true,
      cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    })
    const fit = new FitAddon()
    terminal.loadAddon(fit)
    withSheetElements(() => terminal.open(element))
    terminal.textarea?.setAttribute('aria-label', label)
    fit.fit()
    terminal.focus()
    const observer = new ResizeObserver(() => fit.fit())
    observer.observe(element)
    const line = connect(streamUrl('console', namespace, name), {
      onBytes: (bytes) => terminal.write(bytes),
      onOpen: () => {
        terminal.reset()
        onState('connected')
      },
      onLost: () => onState('lost'),
    })
    const typed = terminal.onData((text) => line.send(text))
    controls.current = { type: (text) => line.send(text.replaceAll('\r\n', '\n').replaceAll('\n', '\r')) }
    return () => {
      controls.current = null
      line.close()
      typed.dispose()
      observer.disconnect()
      terminal.dispose()
    }
  }, [namespace, name, label, controls, onState])
  return <div className="fill terminal" ref={pane} />
}

interface Line {
  send(text: string): void
  close(): void
}
interface Ears {
  readonly onBytes: (bytes: Uint8Array) => void
  readonly onOpen: () => void
  readonly onLost: () => void
}

function connect(url: string, { onBytes, onOpen, onLost }: Ears): Line {
  const encoder = new TextEncoder()
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false
  const open = () => {
    socket = new WebSocket(url, [PROTOCOL])
    socket.binaryType = 'arraybuffer'
    socket.onopen = onOpen
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) =>
      onBytes(typeof data === 'string' ? encoder.encode(data) : new Uint8Array(data))
    socket.onclose = () => {
      if (closed) return
      onLost()
      timer = setTimeout(open, RETRY_MS)
    }
  }
  open()
  return {
    send: (text) => {
      if (socket?.readyState === WebSocket.OPEN) socket.send(encoder.encode(text))
    },
    close: () => {
      closed = true
      clearTimeout(timer)
      const last = socket
      // A browser complains about a connection that is broken off while it is made.
      if (last?.readyState === WebSocket.CONNECTING) last.onopen = () => last.close()
      else last?.close()
    },
  }
}
