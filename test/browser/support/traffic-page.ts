/** The console's live traffic view for tests: opens it, and finds its parts by name. */
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

/** Opens the view with stored settings and waits for the feed. `params` are appended to `#/traffic`. */
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

/** Rows in the document, without those outside the viewport. */
export function rowsOf({ list }: TrafficPage): Locator {
  return list.locator('tbody tr:not(.spacer)')
}

/** The text of the rows, with bars between cells. */
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
