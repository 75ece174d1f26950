/** The open dialog of the shell. Views can set it too, for example to open the settings. */
import { signal } from '@preact/signals'

export type DialogName = 'settings' | 'gateway' | 'keys' | 'goto'

export const openDialog = signal<DialogName | null>(null)
