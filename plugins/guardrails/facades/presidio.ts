/** Presidio's analyzer and anonymizer, on one address. */
import type { GuardFacade } from './facade.ts'
import { ANALYZER_ROUTES } from './presidio-analyze.ts'
import { ANONYMIZER_ROUTES } from './presidio-anonymize.ts'

export const PRESIDIO: GuardFacade = {
  name: 'presidio',
  title: 'Presidio',
  error: (_status, message) => ({ error: message }),
  routes: [...ANALYZER_ROUTES, ...ANONYMIZER_ROUTES],
}
