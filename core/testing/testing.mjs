/** The door of `svc/testing`: reads TypeScript whatever the test runner, then hands out what `index.ts` exports. */
import { register } from 'tsx/esm/api'

register()
export const { startTestServer } = await import('./index.ts')
