/** A text editor for JSON and YAML, loaded on first use. A text area until then, or if loading fails. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { JsonSchema } from '../lib/protocol/json-place.ts'
import type { EditorHandle, EditorMark, EditorLanguage } from './code-mirror.ts'

export type { EditorMark }

export interface EditorProps {
  /** Accessible name. */
  label: string
  value: string
  onValue?(value: string): void
  language?: EditorLanguage
  readOnly?: boolean
  /** Errors and warnings to show at their lines. */
  marks?: readonly EditorMark[]
  /** Minimum number of visible lines. Default 6. */
  minLines?: number
  /** Moves the cursor to this line whenever the object changes. */
  goTo?: { line: number } | null
  /** Completes names and values of JSON from this schema. */
  schema?: JsonSchema | null
}

const NO_MARKS: readonly EditorMark[] = []
/** Changes of the user to remember until they return as `value`. */
const MAX_UNCONFIRMED = 50

export function Editor({
  label,
  value,
  onValue,
  language = 'text',
  readOnly = false,
  marks = NO_MARKS,
  minLines = 6,
  goTo = null,
  schema = null,
}: EditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const handle = useRef<EditorHandle | null>(null)
  const unconfirmed = useRef<string[]>([])
  const [isReady, setReady] = useState(false)
  const latest = useRef({ value, onValue, marks, schema })
  latest.current = { value, onValue, marks, schema }

  useEffect(() => {
    let isGone = false
    import('./code-mirror.ts').then(
      ({ mountEditor }) => {
        // The element is gone before the cleanup runs if the view changes while the module loads.
        if (isGone || host.current === null) return
        handle.current = mountEditor(host.current, {
          label,
          language,
          readOnly,
          value: latest.current.value,
          onValue: text => {
            unconfirmed.current = [...unconfirmed.current, text].slice(-MAX_UNCONFIRMED)
            latest.current.onValue?.(text)
          },
          schema: () => latest.current.schema,
        })
        handle.current.setMarks(latest.current.marks)
        setReady(true)
      },
      () => {
        /* the text area stays */
      },
    )
    return () => {
      isGone = true
      handle.current?.destroy()
      handle.current = null
    }
  }, [label, language, readOnly])

  useEffect(() => {
    // A value that the user typed may return when more is typed already; setting it would undo that.
    const index = unconfirmed.current.indexOf(value)
    unconfirmed.current = unconfirmed.current.slice(index + 1)
    if (index === -1) handle.current?.setValue(value)
  }, [value])
  useEffect(() => {
    handle.current?.setMarks(marks)
  }, [marks])
  useEffect(() => {
    if (goTo !== null) handle.current?.goTo(goTo.line)
  }, [goTo])

  return (
    <div class="editor" style={{ '--min-lines': String(minLines) }}>
      <div ref={host} class="editor-host" hidden={!isReady} />
      {!isReady && (
        <textarea
          class="mono"
          aria-label={label}
          rows={minLines}
          value={value}
          readOnly={readOnly}
          spellcheck={false}
          onInput={event => onValue?.(event.currentTarget.value)}
        />
      )}
    </div>
  )
}
