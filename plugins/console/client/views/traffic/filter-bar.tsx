/** The filter, its help, and saved filters. */
import type { RefObject } from 'preact'
import { useId, useState } from 'preact/hooks'
import { FILTER_NAMES } from '../../lib/traffic/filter.ts'
import { changeSettings, settings } from '../../lib/shell/storage.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

const EXAMPLES: readonly (readonly [text: string, meaning: string])[] = [
  ['status:5xx', 'server errors; also status:503, status:>=400'],
  ['method:POST path:/ai', 'both terms must match'],
  ['-session:load', 'everything except this session'],
  ['header:x-kong', 'a header name starts with x-kong'],
  ['header:via=1.1', 'the header via contains 1.1'],
  ['body:"order 42"', 'text in the body; quotes allow spaces'],
  ['rule:busy', 'requests that this rule acted on'],
  ['replica:9f2c', 'requests that this replica received'],
  ['ip:10.1. tag:MCP', 'client address; type of traffic'],
  ['tag:violation:openai', 'what vendors refuse, by rule'],
  ['slow:500', 'took at least 500 ms'],
  ['after:14:05 before:14:06:30', 'arrived between these times; dragging over the chart adds them'],
  ['teapot', 'text anywhere in the request'],
]

export interface FilterBarProps {
  inputRef: RefObject<HTMLInputElement | null>
  text: string
  problems: readonly string[]
  onText(text: string): void
}

export function FilterBar({ inputRef, text, problems, onText }: FilterBarProps) {
  const id = useId()
  const [isHelpOpen, setHelpOpen] = useState(false)
  const saved = settings.value.filters
  const isSaved = saved.some(filter => filter.text === text)

  return (
    <div class="filter-bar not-presented">
      <input
        ref={inputRef}
        type="search"
        class="mono"
        aria-label="Filter"
        aria-describedby={problems.length > 0 ? id : undefined}
        aria-invalid={problems.length > 0 || undefined}
        placeholder="Filter, such as status:5xx path:/ai"
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={event => onText(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key !== 'Escape') return
          if (text !== '') onText('')
          else event.currentTarget.blur()
        }}
      />
      {text !== '' && !isSaved && (
        <Button icon="plus" onClick={() => changeSettings({ filters: [...saved, { name: text, text }] })}>
          Save filter
        </Button>
      )}
      <Button
        aria-pressed={settings.value.hidesProbes}
        title="Hides GET and HEAD /health, and requests from the user agents of known health checkers"
        onClick={() => changeSettings({ hidesProbes: !settings.peek().hidesProbes })}
      >
        Hide health probes
      </Button>
      <Button
        aria-pressed={settings.value.showsOwnPages}
        title="Shows the landing page, the API reference and their files, loaded by a browser"
        onClick={() => changeSettings({ showsOwnPages: !settings.peek().showsOwnPages })}
      >
        Show pages of svc
      </Button>
      <Button icon="info" iconOnly onClick={() => setHelpOpen(true)}>
        Filter syntax
      </Button>
      {saved.map(filter => (
        <span key={filter.text} class={`filter-chip ${filter.text === text ? 'active' : ''}`}>
          <button
            type="button"
            class="mono"
            aria-pressed={filter.text === text}
            onClick={() => onText(filter.text === text ? '' : filter.text)}
          >
            {filter.name}
          </button>
          <Button
            small
            kind="quiet"
            icon="close"
            iconOnly
            onClick={() => changeSettings({ filters: saved.filter(other => other !== filter) })}
          >{`Delete filter ${filter.name}`}</Button>
        </span>
      ))}
      {problems.length > 0 && (
        <p id={id} class="hint bad-text">
          {problems.join('; ')}
        </p>
      )}
      {isHelpOpen && <FilterHelp onClose={() => setHelpOpen(false)} onChoose={onText} />}
    </div>
  )
}

function FilterHelp({ onClose, onChoose }: { onClose(): void; onChoose(text: string): void }) {
  return (
    <Dialog title="Filter syntax" onClose={onClose}>
      <table class="key-help">
        <tbody>
          {EXAMPLES.map(([example, meaning]) => (
            <tr key={example}>
              <th scope="row">
                <button
                  type="button"
                  class="button small mono"
                  onClick={() => {
                    onChoose(example)
                    onClose()
                  }}
                >
                  {example}
                </button>
              </th>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">All terms must match. A leading - negates a term. Names: {FILTER_NAMES.join(', ')}.</p>
    </Dialog>
  )
}
