/** Entry point: takes a token from the URL before anything is sent, then renders the console. */
import { render } from 'preact'
import { signInReason } from './lib/instance/api.ts'
import { startFocus } from './lib/shell/focus.ts'
import { startKeys } from './lib/shell/keys.ts'
import { page } from './lib/instance/page.ts'
import { startAppearance } from './lib/shell/presenter.ts'
import { startRouter, takeToken } from './lib/shell/router.ts'
import { startStatus } from './lib/instance/status.ts'
import { controlToken } from './lib/shell/storage.ts'
import { App } from './shell/app.tsx'

const token = takeToken()
if (token !== null && page.controlAuth !== 'open') {
  controlToken.value = token
  signInReason.value = null
}
startRouter()
startAppearance()
startFocus()
startKeys()
startStatus()
render(<App />, document.getElementById('app')!)
