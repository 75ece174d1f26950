/** Presenter mode and theme: attributes of the root element for the style sheet. */
import { effect, signal } from '@preact/signals'
import { settings } from './storage.ts'

/** Presenter mode for a big screen: larger text, more contrast, only the essential parts. */
export const isPresenting = signal(false)

export function startAppearance(): void {
  const root = document.documentElement
  effect(() => {
    const { theme } = settings.value
    if (theme === 'system') delete root.dataset.theme
    else root.dataset.theme = theme
  })
  effect(() => {
    root.toggleAttribute('data-presenter', isPresenting.value)
  })
}
