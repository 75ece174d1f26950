/** Settings in `localStorage`, and credentials for the current tab in `sessionStorage`. */
import { effect, signal, type Signal } from '@preact/signals'
import type { NameValue } from '../protocol/http.ts'
import { randomId } from '../protocol/ids.ts'
import { page } from '../instance/page.ts'

/** A gateway in front of the instance. */
export interface Gateway {
  name: string
  /** Absolute, without a trailing slash. */
  url: string
  /** Sent with every request through it, such as an API key. */
  headers: NameValue[]
}

export type Theme = 'system' | 'light' | 'dark'

export interface Settings {
  /** `X-Svc-Session` for all requests of the console; empty: none. */
  session: string
  gateways: Gateway[]
  /** Name of the active gateway; null: requests go directly to the instance. */
  target: string | null
  theme: Theme
  /** Whether single letters are shortcuts (WCAG 2.2, 2.1.4). */
  letterKeys: boolean
  /** Saved filters of the live traffic. */
  filters: { name: string; text: string }[]
  /** Hide health probes in the live traffic. */
  hidesProbes: boolean
  /** Show the pages of svc, loaded by a browser, in the live traffic. */
  showsOwnPages: boolean
}

const SETTINGS_KEY = 'svc.console'
const CONTROL_TOKEN_KEY = 'svc.console.token'
const ADMIN_TOKEN_KEY = 'svc.console.admin'

const DEFAULTS: Settings = {
  session: '',
  gateways: [],
  target: null,
  theme: 'system',
  letterKeys: true,
  filters: [],
  hidesProbes: false,
  showsOwnPages: false,
}

/** Browsers can block storage, for example in third-party frames. The console then works without it. */
function read(storage: () => Storage, key: string): string | null {
  try {
    return storage().getItem(key)
  } catch {
    return null
  }
}

function write(storage: () => Storage, key: string, value: string | null): void {
  try {
    if (value === null) storage().removeItem(key)
    else storage().setItem(key, value)
  } catch {
    /* storage is blocked */
  }
}

const local = () => localStorage
const perTab = () => sessionStorage

function readSettings(): Settings {
  let stored: Partial<Settings> = {}
  try {
    stored = JSON.parse(read(local, SETTINGS_KEY) ?? '{}') as Partial<Settings>
  } catch {
    /* invalid: use the defaults */
  }
  const settings = { ...DEFAULTS, ...stored }
  if (page.isPublic && settings.session === '') settings.session = `con-${randomId().slice(0, 8)}`
  return settings
}

export const settings: Signal<Settings> = signal(readSettings())
/** Bearer token for `/_svc/`; empty: not signed in. */
export const controlToken: Signal<string> = signal(read(perTab, CONTROL_TOKEN_KEY) ?? '')
/** `X-Svc-Admin-Token` for calls that require it. */
export const adminToken: Signal<string> = signal(read(perTab, ADMIN_TOKEN_KEY) ?? '')

effect(() => {
  const text = JSON.stringify(settings.value)
  write(local, SETTINGS_KEY, text === JSON.stringify(DEFAULTS) ? null : text)
})
effect(() => write(perTab, CONTROL_TOKEN_KEY, controlToken.value || null))
effect(() => write(perTab, ADMIN_TOKEN_KEY, adminToken.value || null))

export function changeSettings(changes: Partial<Settings>): void {
  settings.value = { ...settings.value, ...changes }
}

/** Deletes all stored settings and credentials. */
export function resetStorage(): void {
  controlToken.value = ''
  adminToken.value = ''
  write(local, SETTINGS_KEY, null)
  settings.value = readSettings()
}

/** The active gateway; null: requests go directly to the instance. */
export function activeGateway(): Gateway | null {
  const { gateways, target } = settings.value
  return gateways.find(({ name }) => name === target) ?? null
}
