/** Starts the console: takes a token from the address bar before anything is sent, then draws. */
import { render } from 'preact'
import { signInReason } from './lib/api.ts'
import { startKeys } from './lib/keys.ts'
import { page } from './lib/page.ts'
import { startAppearance } from './lib/presenter.ts'
import { startRouter, takeToken } from './lib/router.ts'
import { startStatus } from './lib/status.ts'
import { controlToken } from './lib/storage.ts'
import { App } from './shell/app.tsx'

const token = takeToken()
if (token !== null && page.controlAuth !== 'open') {
  controlToken.value = token
  signInReason.value = null
}
startRouter()
startAppearance()
startKeys()
startStatus()
render(<App />, document.getElementById('app')!)
