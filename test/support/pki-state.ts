/** What the demo PKI keeps in the state of a process. */
import type { PkiState } from '../../core/pki/pki.ts'
import { StateRegistry } from '../../core/state/state-registry.ts'

/** State of a process that has just started. */
export function pkiState(): PkiState {
  return new StateRegistry({ isStrict: true }).hold(0, 'pki', '')
}
