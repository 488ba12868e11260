// The part of noVNC that is used here; the package brings no types.
declare module '@novnc/novnc' {
  export default class RFB extends EventTarget {
    constructor(
      target: HTMLElement,
      channel: WebSocket | string,
      options?: { readonly wsProtocols?: string[] },
    )
    scaleViewport: boolean
    clipViewport: boolean
    dragViewport: boolean
    focusOnClick: boolean
    background: string
    focus(): void
    disconnect(): void
    sendCtrlAltDel(): void
    /** Press and release where `down` is left out. */
    sendKey(keysym: number, code: string | null, down?: boolean): void
  }
}
