/** Tabs (WAI-ARIA Authoring Practices, tabs with automatic activation). */
import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'

export interface Tab {
  key: string
  title: ComponentChildren
  /** Rendered while the tab is selected. */
  content: () => ComponentChildren
}

export interface TabsProps {
  /** Accessible name of the tab list. */
  label: string
  tabs: readonly Tab[]
  /** Key of the selected tab, if the caller controls it. */
  selected?: string
  onSelect?(key: string): void
}

export function Tabs({ label, tabs, selected, onSelect }: TabsProps) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [own, setOwn] = useState<string | null>(null)
  const wanted = selected ?? own
  const current = tabs.find(({ key }) => key === wanted) ?? tabs[0]
  if (current === undefined) return null

  function choose(key: string): void {
    setOwn(key)
    onSelect?.(key)
  }

  function move(event: KeyboardEvent): void {
    const at = tabs.indexOf(current!)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const index = (to + tabs.length) % tabs.length
    choose(tabs[index]!.key)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus()
  }

  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(({ key, title }) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}-${key}`}
            aria-selected={key === current.key}
            aria-controls={`${id}-panel`}
            tabIndex={key === current.key ? 0 : -1}
            onClick={() => choose(key)}
          >
            {title}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current.key}`} tabIndex={0}>
        {current.content()}
      </div>
    </div>
  )
}
