/** CodeMirror in a shadow root, where it uses constructed style sheets, which the content security policy allows. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, foldGutter, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { linter, lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { EditorState, type Extension } from '@codemirror/state'
import { tags } from '@lezer/highlight'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import type { JsonSchema } from '../lib/protocol/json-place.ts'
import { schemaCompletion } from './schema-completion.ts'

export type EditorLanguage = 'json' | 'yaml' | 'text'

/** A message at a line. */
export interface EditorMark {
  /** From 1. */
  line: number
  severity: 'error' | 'warning' | 'info'
  message: string
}

export interface EditorHandle {
  setValue(value: string): void
  setMarks(marks: readonly EditorMark[]): void
  focus(): void
  /** Moves the cursor to a line and scrolls to it. */
  goTo(line: number): void
  destroy(): void
}

export interface EditorSettings {
  label: string
  language: EditorLanguage
  readOnly: boolean
  value: string
  /** Called for changes of the user, not for `setValue`. */
  onValue(value: string): void
  /** The JSON Schema to complete names and values from; null: none. */
  schema(): JsonSchema | null
}

/** Uses custom properties of the page, which are inherited into the shadow root. */
const theme = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--field)',
    fontSize: '0.8125rem',
    borderRadius: 'var(--radius-s)',
    border: '1px solid var(--field-border)',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', maxHeight: '32rem' },
  '.cm-content': { caretColor: 'var(--text)', minHeight: 'calc(var(--min-lines, 6) * 1.55em)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    minHeight: 'calc(var(--min-lines, 6) * 1.55em) !important',
    backgroundColor: 'var(--surface-2)',
    color: 'var(--text-2)',
    border: 'none',
    borderRadius: 'var(--radius-s) 0 0 var(--radius-s)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent) 8%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxWidth: 'min(40rem, 90vw)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.25rem 0.5rem', whiteSpace: 'normal' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--accent-soft)',
    color: 'var(--text)',
  },
  '.cm-completionDetail': { color: 'var(--text-2)', fontFamily: 'var(--sans)', fontStyle: 'normal' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--border)' },
})

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-key)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number], color: 'var(--code-number)' },
  { tag: [tags.bool, tags.null, tags.keyword, tags.atom], color: 'var(--code-word)' },
  { tag: tags.comment, color: 'var(--text-2)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--bad)' },
])

const languages: Record<EditorLanguage, () => Extension> = {
  json: () => [json(), linter(view => (view.state.doc.length === 0 ? [] : jsonParseLinter()(view)))],
  yaml: () => yaml(),
  text: () => [],
}

/** Mounts an editor in an element. */
export function mountEditor(
  host: HTMLElement,
  { label, language, readOnly, value, onValue, schema }: EditorSettings,
): EditorHandle {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  let isSetting = false
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: value,
      extensions: [
        lineNumbers(),
        highlightActiveLineGutter(),
        lintGutter(),
        foldGutter(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        syntaxHighlighting(highlight),
        // After Escape, Tab leaves the field instead of indenting, so there is no keyboard trap (WCAG 2.2, 2.1.2).
        keymap.of([...defaultKeymap, ...historyKeymap, ...(readOnly ? [] : [indentWithTab])]),
        // Long text scrolls, so the content must be focusable.
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.lineWrapping,
        EditorState.readOnly.of(readOnly),
        theme,
        languages[language](),
        language === 'json' && !readOnly ? schemaCompletion(schema) : [],
        EditorView.updateListener.of(update => {
          if (update.docChanged && !isSetting) onValue(update.state.doc.toString())
        }),
      ],
    }),
  })
  return {
    setValue(text) {
      if (text === view.state.doc.toString()) return
      isSetting = true
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
      isSetting = false
    },
    setMarks: marks =>
      view.dispatch(
        setDiagnostics(
          view.state,
          marks.map(mark => toDiagnostic(view.state, mark)),
        ),
      ),
    focus: () => view.focus(),
    goTo(line) {
      const { from } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}

function toDiagnostic({ doc }: EditorState, { line, severity, message }: EditorMark): Diagnostic {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines))
  return { from, to, severity, message }
}
