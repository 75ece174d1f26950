/** The settings: session, gateways, admin token, theme. They take effect when saved. */
import { useState } from 'preact/hooks'
import { openDialog } from '../lib/shell/dialogs.ts'
import { page } from '../lib/instance/page.ts'
import {
  adminToken,
  changeSettings,
  controlToken,
  resetStorage,
  settings,
  type Gateway,
  type Theme,
} from '../lib/shell/storage.ts'
import { addressProblem, completeAddress } from '../lib/instance/gateway-address.ts'
import { signInReason } from '../lib/instance/api.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Checkbox, Select, TextField } from '../ui/field.tsx'
import { GatewayFields } from './gateway-fields.tsx'

const SESSION = /^[A-Za-z0-9._:-]{1,128}$/
const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

export function SettingsDialog() {
  const saved = settings.value
  const [session, setSession] = useState(saved.session)
  const [gateways, setGateways] = useState<Gateway[]>(saved.gateways)
  const [active, setActive] = useState(saved.gateways.findIndex(({ name }) => name === saved.target))
  const [admin, setAdmin] = useState(adminToken.value)
  const [theme, setTheme] = useState<Theme>(saved.theme)
  const [letterKeys, setLetterKeys] = useState(saved.letterKeys)
  const [isTried, setTried] = useState(false)
  const sessionProblem =
    session !== '' && !SESSION.test(session)
      ? 'Use only letters, digits and . _ : - (at most 128 characters).'
      : page.isPublic && session === ''
        ? 'A session is required in public mode.'
        : null
  const problem = active === -1 ? null : addressProblem(gateways[active]!.url)

  const close = () => {
    openDialog.value = null
  }
  function save(event: Event): void {
    event.preventDefault()
    setTried(true)
    if (sessionProblem !== null || problem !== null) return
    const kept = gateways
      .filter(({ url }) => addressProblem(url) === null)
      .map(gateway => {
        const url = completeAddress(gateway.url)
        return { ...gateway, url, name: gateway.name.trim() || new URL(url).host }
      })
    changeSettings({
      session,
      theme,
      letterKeys,
      gateways: kept,
      target: active === -1 ? null : (kept[active]?.name ?? null),
    })
    adminToken.value = admin.trim()
    close()
  }

  function reset(): void {
    resetStorage()
    if (page.controlAuth !== 'open') signInReason.value = ''
    close()
  }

  return (
    <Dialog title="Settings" onClose={close}>
      <form class="stack" onSubmit={save}>
        <TextField
          label="Session"
          mono
          value={session}
          onValue={setSession}
          error={isTried ? sessionProblem : null}
          hint="Sent as X-Svc-Session with every request, so that you get your own limits, bins and counters. Leave empty for no session."
        />
        <GatewayFields
          gateways={gateways}
          active={active}
          problem={isTried ? problem : null}
          onGateways={(list, at) => {
            setGateways(list)
            setActive(at)
          }}
        />
        <TextField
          label="Admin token"
          mono
          class="secret"
          value={admin}
          onValue={setAdmin}
          hint="Required for changes that SVC_ADMIN_TOKEN protects. Kept until you close this tab."
        />
        <Select label="Theme" value={theme} options={THEMES} onValue={value => setTheme(value as Theme)} />
        <Checkbox label="Enable single-letter shortcuts" checked={letterKeys} onChecked={setLetterKeys} />
        <div class="dialog-actions">
          <Button kind="danger" onClick={reset}>
            Reset
          </Button>
          {page.controlAuth !== 'open' && controlToken.value !== '' && (
            <Button
              onClick={() => {
                controlToken.value = ''
                signInReason.value = ''
                close()
              }}
            >
              Sign out
            </Button>
          )}
          <span class="spacer" />
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" type="submit">
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
