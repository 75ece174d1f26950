/** The frame around the views: navigation, top bar, banners, dialogs, shortcuts. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { announcement } from '../lib/shell/announce.ts'
import { signInReason } from '../lib/instance/api.ts'
import { useKeys, type KeyMap } from '../lib/shell/keys.ts'
import { go, route } from '../lib/shell/router.ts'
import { isPresenting } from '../lib/shell/presenter.ts'
import { Banners } from './banners.tsx'
import { GatewayDialog } from './gateway-dialog.tsx'
import { GoTo } from './go-to.tsx'
import { KeyHelp } from './key-help.tsx'
import { Navigation } from './navigation.tsx'
import { currentView, shownViews } from './current-view.ts'
import { SettingsDialog } from './settings-dialog.tsx'
import { SignIn } from './sign-in.tsx'
import { TopBar } from './top-bar.tsx'
import { ViewFrame } from './view-frame.tsx'
import { openDialog, type DialogName } from '../lib/shell/dialogs.ts'

const isMenuOpen = signal(false)

const DIALOGS: Record<DialogName, () => preact.JSX.Element> = {
  settings: SettingsDialog,
  gateway: GatewayDialog,
  keys: KeyHelp,
  goto: GoTo,
}

export function App() {
  useKeys({
    'Ctrl+k': () => {
      openDialog.value = 'goto'
    },
    '?': () => {
      openDialog.value = 'keys'
    },
    p: () => {
      isPresenting.value = !isPresenting.peek()
    },
    Escape: () => {
      if (!isPresenting.peek()) return false
      isPresenting.value = false
    },
    ...(Object.fromEntries(
      shownViews.value.filter(({ digit }) => digit).map(({ digit, key }) => [`Alt+${digit}`, () => go(key)]),
    ) satisfies KeyMap),
  })
  useEffect(() => {
    isMenuOpen.value = false
  }, [route.value.view])
  const view = currentView.value
  const OpenDialog = openDialog.value && DIALOGS[openDialog.value]
  const isSigningIn = signInReason.value !== null
  return (
    <div class="shell">
      <a
        class="skip-link"
        href="#main"
        onClick={event => {
          event.preventDefault()
          document.getElementById('main')?.focus()
        }}
      >
        Skip to content
      </a>
      <TopBar
        isMenuOpen={isMenuOpen.value}
        onMenu={() => {
          isMenuOpen.value = !isMenuOpen.peek()
        }}
      />
      <Navigation isOpen={isMenuOpen.value} />
      <main id="main" tabIndex={-1}>
        <Banners />
        {isSigningIn && <SignIn />}
        {/* Kept mounted during a new sign-in, so that unsaved input is not lost. */}
        <div class="view" hidden={isSigningIn}>
          <ViewFrame key={view.key} view={view} />
        </div>
      </main>
      {OpenDialog && <OpenDialog />}
      <div class="off-screen" role="status" aria-live="polite">
        {announcement.value}
      </div>
    </div>
  )
}
