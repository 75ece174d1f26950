/** Headers in a table, and an editor for headers. */
import type { NameValue } from '../lib/protocol/http.ts'
import type { ComponentChildren } from 'preact'

export interface HeaderLine extends NameValue {
  /** A note, such as the family of the header. */
  note?: ComponentChildren
  /** The previous value. */
  before?: string
  change?: 'added' | 'removed' | 'changed'
}

const SIGNS = { added: '+', removed: '−', changed: '~' } as const

export function HeaderList({ headers, label = 'Headers' }: { headers: readonly HeaderLine[]; label?: string }) {
  if (headers.length === 0) return <p class="quiet-text">None.</p>
  return (
    <table class="header-list" aria-label={label}>
      <tbody>
        {headers.map(({ name, value, note, before, change }, index) => (
          <tr key={index} class={change ?? ''}>
            <th scope="row">
              {change && (
                <span class="sign" title={change}>
                  {SIGNS[change]}
                  <span class="off-screen"> {change} </span>
                </span>
              )}
              {name}
            </th>
            <td>
              {before !== undefined && <del>{before}</del>}
              {change === 'removed' ? <del>{value}</del> : <span class="value">{value}</span>}
              {note && <span class="note">{note}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Edits headers: one row per header, and an empty row at the end. */
export function HeaderEditor({
  headers,
  onHeaders,
  label = 'Header',
}: {
  headers: readonly NameValue[]
  onHeaders(headers: NameValue[]): void
  label?: string
}) {
  const rows = [...headers, { name: '', value: '' }]
  function change(index: number, changes: Partial<NameValue>): void {
    onHeaders(
      rows
        .map((row, at) => (at === index ? { ...row, ...changes } : row))
        .filter(({ name, value }) => name !== '' || value !== ''),
    )
  }
  return (
    <div class="header-editor">
      {rows.map(({ name, value }, index) => (
        <div key={index} class="header-row">
          <input
            class="mono"
            aria-label={`${label} ${index + 1} name`}
            placeholder={index === headers.length ? 'Name' : ''}
            value={name}
            spellcheck={false}
            autocomplete="off"
            onInput={event => change(index, { name: event.currentTarget.value })}
          />
          <input
            class="mono"
            aria-label={`${label} ${index + 1} value`}
            placeholder={index === headers.length ? 'Value' : ''}
            value={value}
            spellcheck={false}
            autocomplete="off"
            onInput={event => change(index, { value: event.currentTarget.value })}
          />
        </div>
      ))}
    </div>
  )
}
