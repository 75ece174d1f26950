/** What screen readers are told: one polite live region of the shell. */
import { signal } from '@preact/signals'

export const announcement = signal('')

export function announce(text: string): void {
  // The same text twice is announced twice only if it changes in between.
  announcement.value = announcement.peek() === text ? `${text}\u00a0` : text
}
