/** Announcements for screen readers, in a polite live region of the shell. */
import { signal } from '@preact/signals'

export const announcement = signal('')

export function announce(text: string): void {
  // Screen readers announce a text again only if it differs from the previous one.
  announcement.value = announcement.peek() === text ? `${text}\u00a0` : text
}
