/** Edits a value as a form and as JSON side by side. */
import { useState } from 'preact/hooks'
import type { JsonSchema } from '../lib/protocol/json-place.ts'
import type { FormSchema } from '../lib/protocol/schema-form.ts'
import { parseJson } from '../lib/protocol/http.ts'
import { Editor } from './editor.tsx'
import { SchemaForm } from './schema-form.tsx'

export interface FormWithJsonProps {
  schema: FormSchema
  value: unknown
  onValue(value: unknown): void
  label: string
  /** Completes names and values of the JSON. */
  completion?: JsonSchema | null
}

export function FormWithJson({ schema, value, onValue, label, completion = null }: FormWithJsonProps) {
  const [text, setText] = useState(() => print(value))
  // The form is remounted after each edit of the JSON, to reset the texts of its fields.
  const [edits, setEdits] = useState(0)
  const isBroken = parseJson(text) === undefined

  function write(next: string): void {
    // The editor also reports changes that come from the form.
    if (next === text) return
    setText(next)
    const parsed = parseJson(next)
    if (parsed === undefined || JSON.stringify(parsed) === JSON.stringify(value)) return
    onValue(parsed)
    setEdits(edits + 1)
  }

  return (
    <div class="form-with-json">
      <SchemaForm
        key={edits}
        schema={schema}
        value={value}
        label={label}
        onValue={next => {
          onValue(next)
          setText(print(next))
        }}
      />
      <div class="field">
        <span class="label">As JSON</span>
        <Editor
          label={`${label} as JSON`}
          language="json"
          schema={completion}
          value={text}
          onValue={write}
          minLines={12}
        />
        {isBroken && <p class="hint bad-text">This is not valid JSON. The form still has the last valid value.</p>}
      </div>
    </div>
  )
}

function print(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? ''
}
