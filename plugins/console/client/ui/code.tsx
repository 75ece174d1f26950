/** Preformatted text with a copy button. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { CopyButton } from './button.tsx'

/** Characters to show at first, since megabytes of text in one element slow the page down. */
const MAX_SHOWN = 100_000

/** A command to try, with a copy button. */
export function TryCommand({ command }: { command: string }) {
  return (
    <div class="try-command">
      <code>{command}</code>
      <CopyButton small iconOnly text={command}>
        Copy the command
      </CopyButton>
    </div>
  )
}

export interface CodeProps {
  text: string
  /** Accessible name of the scrollable text. */
  label: string
  /** Wrap long lines. */
  wrap?: boolean
  /** Further buttons, before the copy button. */
  actions?: ComponentChildren
}

export function Code({ text, label, wrap, actions }: CodeProps) {
  const [isWhole, setWhole] = useState(false)
  const isCut = text.length > MAX_SHOWN && !isWhole
  return (
    <div class="code">
      <div class="code-actions actions">
        {actions}
        <CopyButton small kind="quiet" text={text} iconOnly>{`Copy ${label}`}</CopyButton>
      </div>
      <pre class={wrap ? 'wrap' : ''} tabIndex={0} role="group" aria-label={label}>
        {isCut ? text.slice(0, MAX_SHOWN) : text}
      </pre>
      {isCut && (
        <button type="button" class="button small" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en-US')} characters
        </button>
      )}
    </div>
  )
}
