/** A text field with completions from the server (`completion/complete`). */
import { useEffect, useId, useState } from 'preact/hooks'
import { TextField } from '../../ui/field.tsx'
import type { McpClient } from './client.ts'

export interface CompletedFieldProps {
  client: McpClient
  /** Whether the server supports completion. */
  isOffered: boolean
  /** Reference to a prompt or a template. */
  reference: { type: string; name?: string; uri?: string }
  name: string
  label: string
  hint?: string | undefined
  value: string
  onValue(value: string): void
}

const PAUSE_MS = 200

export function CompletedField({
  client,
  isOffered,
  reference,
  name,
  label,
  hint,
  value,
  onValue,
}: CompletedFieldProps) {
  const id = useId()
  const [values, setValues] = useState<string[]>([])
  const [isTouched, setTouched] = useState(false)
  useEffect(() => {
    if (!isOffered || !isTouched) return
    const stopped = new AbortController()
    const timer = setTimeout(() => {
      client
        .call<{ completion?: { values?: string[] } }>(
          'completion/complete',
          { ref: reference, argument: { name, value } },
          { signal: stopped.signal },
        )
        .then(
          ({ completion }) => setValues(completion?.values ?? []),
          () => {
            /* the log has it */
          },
        )
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [client, value, isTouched, name])
  return (
    <>
      <TextField label={label} hint={hint} value={value} onValue={onValue} list={id} onFocus={() => setTouched(true)} />
      <datalist id={id}>
        {values.map(choice => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </>
  )
}
