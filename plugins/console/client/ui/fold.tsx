/** A collapsible section, which renders its content only while open. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

export function Fold({
  title,
  class: extra,
  children,
}: {
  title: ComponentChildren
  class?: string
  children: () => ComponentChildren
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class={extra ?? ''} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  )
}
