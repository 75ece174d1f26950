/** Text as it is, with a button that copies it. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { CopyButton } from './button.tsx'

/** Characters shown at once: a page with megabytes of text in one element is slow. */
const MAX_SHOWN = 100_000

export interface CodeProps {
  text: string
  /** Name for screen readers, who can scroll it with the keyboard. */
  label: string
  /** Lines break at the edge. */
  wrap?: boolean
  /** Beside the copy button. */
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
