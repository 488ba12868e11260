// xterm writes its rules into style elements, which the page's policy refuses (no inline code of any kind). While it
// sets itself up, style elements are made by this instead: they put their rules into constructed style sheets, which
// the policy allows.

class SheetElement extends HTMLElement {
  readonly #sheet = new CSSStyleSheet()

  override get textContent(): string {
    return [...this.#sheet.cssRules].map(({ cssText }) => cssText).join('\n')
  }
  override set textContent(text: string) {
    this.#sheet.replaceSync(text)
  }
  connectedCallback(): void {
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.#sheet]
  }
  disconnectedCallback(): void {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.#sheet)
  }
}

const ELEMENT = 'croft-sheet'

/** Runs `work`, synchronously, with every style element that it makes being one of ours. */
export function withSheetElements(work: () => void): void {
  if (!customElements.get(ELEMENT)) customElements.define(ELEMENT, SheetElement)
  const plain = document.createElement.bind(document)
  const ours = (name: string, options?: ElementCreationOptions) =>
    plain(name === 'style' ? ELEMENT : name, options)
  Object.defineProperty(document, 'createElement', { value: ours, configurable: true })
  try {
    work()
  } finally {
    Reflect.deleteProperty(document, 'createElement')
  }
}
