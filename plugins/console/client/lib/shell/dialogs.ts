/** Which of the shell's dialogs is open; views open the settings with it. */
import { signal } from '@preact/signals'

export type DialogName = 'settings' | 'keys' | 'goto'

export const openDialog = signal<DialogName | null>(null)
