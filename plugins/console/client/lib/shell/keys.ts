/** Keyboard shortcuts: one listener and a stack of key maps. The newest map with the key handles it. */
import { useEffect, useRef } from 'preact/hooks'
import { settings } from './storage.ts'

/** Actions by key name (`j`, `/`, `Escape`, `Alt+1`, `Ctrl+k`). An action returns false to pass the key on. */
export type KeyMap = Record<string, (event: KeyboardEvent) => void | false>

const stack: KeyMap[] = []

/** Registers shortcuts while a component is mounted. */
export function useKeys(map: KeyMap): void {
  const latest = useRef(map)
  latest.current = map
  useEffect(() => {
    const entry: KeyMap = new Proxy({}, { get: (_target, key) => latest.current[String(key)] })
    stack.push(entry)
    return () => void stack.splice(stack.indexOf(entry), 1)
  }, [])
}

export function startKeys(): void {
  addEventListener('keydown', event => {
    if (event.defaultPrevented || event.isComposing) return
    const name = nameOf(event)
    if (!isAllowed(event, name)) return
    for (const map of [...stack].reverse()) {
      const action = map[name]
      if (action === undefined || action(event) === false) continue
      event.preventDefault()
      return
    }
  })
}

function nameOf({ key, code, altKey, ctrlKey, metaKey }: KeyboardEvent): string {
  // With Alt, some keyboard layouts produce another character than the digit.
  const base = altKey && /^Digit\d$/.test(code) ? code.slice(5) : key.length === 1 ? key.toLowerCase() : key
  return `${ctrlKey || metaKey ? 'Ctrl+' : ''}${altKey ? 'Alt+' : ''}${base}`
}

/** Single-letter shortcuts are ignored while typing, in a dialog, and if turned off. */
function isAllowed(event: KeyboardEvent, name: string): boolean {
  if (name.startsWith('Ctrl+') || name.startsWith('Alt+')) return true
  if (isTyping(event)) return false
  const isInDialog = document.querySelector('dialog[open]') !== null
  if (name.length === 1) return settings.peek().letterKeys && !isInDialog
  return !isInDialog
}

function isTyping(event: KeyboardEvent): boolean {
  // For events in a shadow root (the editor), the target is its host.
  const target = event.composedPath()[0]
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('input:not([type=checkbox], [type=radio], [type=button]), textarea, select'))
  )
}
