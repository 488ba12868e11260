// The editor itself: CodeMirror with YAML, in a shadow tree, where its styles are constructed sheets that the page's
// policy allows. Loaded when somebody writes; see yaml-editor.tsx.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import type { YamlEditorProps } from './yaml-editor.tsx'

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.content], color: 'var(--ink)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--busy)' },
  { tag: tags.comment, color: 'var(--ink-2)', fontStyle: 'italic' },
  { tag: [tags.separator, tags.punctuation, tags.meta], color: 'var(--ink-2)' },
])
const LOOK = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--card)', fontSize: '12.5px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-gutters': { color: 'var(--ink-2)', backgroundColor: 'var(--sunken)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { background: 'var(--accent-soft)' },
})

export function CodePane({ label, value, onValue, autoFocus }: YamlEditorProps) {
  const pane = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const tell = useRef(onValue)
  tell.current = onValue

  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is the editor's own once it is there
  useEffect(() => {
    const element = pane.current
    if (!element) return
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          highlightActiveLine(),
          yaml(),
          syntaxHighlighting(COLOURS),
          LOOK,
          // Tab indents; Escape and then Tab leaves, as the editor's own help for keyboards says.
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          // Editable is focusable; checkers of accessibility want to see it said.
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) tell.current(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = made
    if (autoFocus) made.focus()
    return () => made.destroy()
  }, [label])

  useEffect(() => {
    const made = view.current
    if (!made || made.state.doc.toString() === value) return
    made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: value } })
  }, [value])
  return <div className="code-pane" ref={pane} />
}
