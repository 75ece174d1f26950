/** The console's live traffic for tests: opening it, and finding its parts by their names. */
import type { Browser, Locator, Page } from 'playwright-core'
import { openPage, type WatchedPage } from './browser.ts'

export interface TrafficPage extends WatchedPage {
  /** The table "Requests". */
  list: Locator
  /** The region "Request". */
  detail: Locator
  /** The field "Filter". */
  filter: Locator
}

/** Opens it with settings as they would be stored, and waits for the feed. `params` come behind `#/traffic`. */
export async function openTraffic(
  browser: Browser,
  instanceUrl: string,
  { params = '', settings = {} }: { params?: string; settings?: object } = {},
): Promise<TrafficPage> {
  const page = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.addInitScript(text => {
    if (!localStorage.getItem('svc.console')) localStorage.setItem('svc.console', text)
  }, JSON.stringify(settings))
  await page.goto(`${instanceUrl}/ui/#/traffic${params}`)
  await page.locator('.feed-state', { hasText: 'live' }).waitFor()
  return Object.assign(page, {
    list: page.getByRole('table', { name: 'Requests' }),
    detail: detailOf(page),
    filter: page.getByRole('searchbox', { name: 'Filter' }),
  })
}

export function detailOf(page: Page): Locator {
  return page.getByRole('region', { name: 'Request', exact: true })
}

/** Rows that are in the document, not those above and below. */
export function rowsOf({ list }: TrafficPage): Locator {
  return list.locator('tbody tr:not(.spacer)')
}

/** Their text, cells between bars. */
export function textOfRows(page: TrafficPage): Promise<string[]> {
  return rowsOf(page).evaluateAll(rows =>
    rows.map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent).join('|')),
  )
}

export function clipboardOf(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText())
}

export function clearRequests(instanceUrl: string): Promise<Response> {
  return fetch(`${instanceUrl}/_svc/requests`, { method: 'DELETE' })
}
