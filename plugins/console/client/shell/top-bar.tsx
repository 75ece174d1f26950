/** The top bar: title, instance and its health, request target, session, and buttons. */
import { page } from '../lib/instance/page.ts'
import { isPresenting } from '../lib/shell/presenter.ts'
import { pageGateway } from '../lib/instance/page-gateway.ts'
import { shortId } from '../lib/instance/short-id.ts'
import { outage, status } from '../lib/instance/status.ts'
import { activeGateway, changeSettings, settings, type Theme } from '../lib/shell/storage.ts'
import { openDialog } from '../lib/shell/dialogs.ts'
import { Button } from '../ui/button.tsx'
import { type IconName, Icon } from '../ui/icon.tsx'

const NEXT_THEME: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }
const THEME_ICONS: Record<Theme, IconName> = { system: 'system', light: 'sun', dark: 'moon' }

export function TopBar({ isMenuOpen, onMenu }: { isMenuOpen: boolean; onMenu(): void }) {
  const { theme, session } = settings.value
  return (
    <header class="top-bar">
      <Button
        class="menu-button"
        kind="quiet"
        icon={isMenuOpen ? 'close' : 'menu'}
        iconOnly
        aria-expanded={isMenuOpen}
        aria-controls="views"
        onClick={onMenu}
      >
        Menu
      </Button>
      <p class="brand">
        <strong>svc</strong>
        <span class="brand-kind">console</span>
        {page.title && <span class="badge accent console-title">{page.title}</span>}
      </p>
      <Health />
      <div class="spacer" />
      {page.backlink && (
        <a
          class="button quiet back-link"
          href={page.backlink}
          rel="noopener"
        >{`Back to ${new URL(page.backlink).host}`}</a>
      )}
      <button
        type="button"
        class="chip"
        title={targetHint()}
        onClick={() => {
          openDialog.value = 'gateway'
        }}
      >
        <Icon name="arrow" />
        <span class="off-screen">Target: </span>
        <span class="chip-text">{targetName()}</span>
      </button>
      {session && (
        <button
          type="button"
          class="chip session-chip"
          title="Sent as X-Svc-Session with every request of the console"
          onClick={() => {
            openDialog.value = 'settings'
          }}
        >
          <span class="chip-label">session</span> <span class="chip-text">{session}</span>
        </button>
      )}
      <Button
        kind="quiet"
        icon="search"
        iconOnly
        title="Go to (Ctrl+K)"
        onClick={() => {
          openDialog.value = 'goto'
        }}
      >
        Go to
      </Button>
      <Button
        kind="quiet"
        class="wide-only"
        icon="presenter"
        iconOnly
        title="Presenter mode (p)"
        aria-pressed={isPresenting.value}
        onClick={() => {
          isPresenting.value = !isPresenting.peek()
        }}
      >
        Presenter mode
      </Button>
      <Button
        kind="quiet"
        icon={THEME_ICONS[theme]}
        iconOnly
        onClick={() => changeSettings({ theme: NEXT_THEME[theme] })}
      >{`Theme: ${theme}`}</Button>
      <Button
        kind="quiet"
        icon="settings"
        iconOnly
        onClick={() => {
          openDialog.value = 'settings'
        }}
      >
        Settings
      </Button>
    </header>
  )
}

function targetHint(): string {
  const own = activeGateway() === null ? pageGateway.value : null
  return own === null
    ? 'Where the console sends requests. Click to send through a gateway.'
    : `This page was loaded through a gateway (${own.evidence.slice(0, 4).join(', ')}), and requests take the same route. Change it in the settings.`
}

function targetName(): string {
  const gateway = activeGateway()
  if (gateway === null) return pageGateway.value?.host ?? 'direct'
  try {
    return new URL(gateway.url).host
  } catch {
    return gateway.name
  }
}

function Health() {
  const facts = status.value
  const [state, text] = outage.value
    ? (['bad', 'unreachable'] as const)
    : facts === null
      ? (['unknown', 'unknown'] as const)
      : facts.healthy
        ? (['good', 'healthy'] as const)
        : (['bad', 'unhealthy'] as const)
  return (
    <p class="instance">
      <span class={`dot ${state}`} aria-hidden="true" />
      <span class="instance-id" title={facts?.instance_id}>
        {shortId(facts?.instance_id ?? '')}
      </span>
      <span class="instance-state">{text}</span>
    </p>
  )
}
