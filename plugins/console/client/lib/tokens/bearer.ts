/** A token that the token lab hands to other views, such as the explorer. Never stored. */
import { signal } from '@preact/signals'

export const handedToken = signal<string | null>(null)
