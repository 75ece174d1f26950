/** The token that one view hands to another: got in the token lab, used as a bearer in the explorer. Never stored. */
import { signal } from '@preact/signals'

export const handedToken = signal<string | null>(null)
