// xterm writes its rules into style elements, which the page's policy refuses (no inline code of any kind). This gives it
// a document whose style elements put their rules into constructed style sheets, which the policy allows.

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

export function documentWithoutStyleElements(): Document {
  if (!customElements.get(ELEMENT)) customElements.define(ELEMENT, SheetElement)
  return new Proxy(document, {
    get(target, property) {
      if (property === 'createElement')
        return (name: string) => target.createElement(name === 'style' ? ELEMENT : name)
      const value: unknown = Reflect.get(target, property, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
