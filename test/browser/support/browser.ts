/** A browser for tests: the installed Chromium, driven by playwright-core. Nothing is downloaded. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'

const KNOWN_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** Path of an installed Chromium, from CHROMIUM_PATH or a usual location; null if there is none. */
export function findChromium(): string | null {
  const named = process.env.CHROMIUM_PATH
  if (named) return existsSync(named) ? named : null
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap(folder => NAMES.map(name => join(folder, name)))
  return [...KNOWN_PATHS, ...onPath].find(path => existsSync(path)) ?? null
}

/** For tap's `skip`: false if a browser is installed, otherwise what to install. */
export const skipWithoutBrowser: string | false =
  findChromium() === null && 'no Chromium is installed: set CHROMIUM_PATH to one'

interface Test {
  teardown(callback: () => unknown): unknown
}

/** A loopback host name that, unlike `localhost` and `127.0.0.1`, is not a secure context over plain HTTP. */
export const PLAIN_HOST = 'stand.test'

/** Starts the browser until the test ends. */
export async function startBrowser(t: Test): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  const browser = await chromium.launch({
    executablePath: findChromium()!,
    args: [`--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`, ...(isRoot ? ['--no-sandbox'] : [])],
  })
  t.teardown(() => browser.close())
  return browser
}

export interface WatchedPage extends Page {
  /** Console errors, script errors and failed loads of the page. */
  problems: string[]
}

/** A page in a new context that collects its problems. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  page.on('pageerror', error => problems.push(String(error)))
  return Object.assign(page, { problems })
}

/** Discards problems that the test caused on purpose. */
export function takeProblems(page: WatchedPage, expected: RegExp): void {
  page.problems.splice(0, page.problems.length, ...page.problems.filter(problem => !expected.test(problem)))
}
