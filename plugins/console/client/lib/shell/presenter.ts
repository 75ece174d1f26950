/** Presenter mode and theme: attributes of the root element that the style sheet goes by. */
import { effect, signal } from '@preact/signals'
import { settings } from './storage.ts'

/** For the big screen: larger type, more contrast, only what the room is to look at. */
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
