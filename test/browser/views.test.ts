/** All views of the console in a browser, with mixed traffic: each opens without errors, fits the window, and is accessible. */
import t from 'tap'
import type { Page } from 'playwright-core'
import { sendRequests } from './images/requests.ts'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { serve } from '../support/server.ts'
import { until } from '../support/until.ts'

const WIDTHS = [1440, 1024, 390]
const ROUNDS = 22

/**
 * Texts that their element cuts off. Long lines may end in an ellipsis if a tooltip has the whole text; badges, buttons
 * and headings may not.
 */
function cutTexts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('header *, nav *, main *')]
      .filter(element => {
        const { overflowX } = getComputedStyle(element)
        return (
          (overflowX === 'hidden' || overflowX === 'clip') &&
          element.clientWidth > 2 &&
          element.scrollWidth > element.clientWidth + 1 &&
          element.textContent.trim() !== '' &&
          (element.matches('.badge, button, h1, h2, h3, :has(.badge, button)') ||
            (element.closest('[title]') === null && element.querySelector('[title]') === null))
        )
      })
      .map(({ className, textContent }) => `cut off: ${className}: ${textContent.trim().slice(0, 60)}`),
  )
}

t.test(
  'every view fits and is accessible in both themes at three widths, with 300 mixed requests [CON-9, CON-47]',
  { skip: skipWithoutBrowser },
  async t => {
    const server = await serve(t, { env: { SVC_INSTANCE_ID: 'booth-1' } })
    await fetch(`${server.url}/_svc/rules/slow-orders`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ match: { path: '/echo/**' }, then: [{ delay: 5, times: 9 }, { fail: 503 }], every: 2 }),
    })
    await Promise.all(Array.from({ length: ROUNDS }, () => sendRequests(server.url)))
    const page = await openPage(await startBrowser(t))
    await page.goto(`${server.url}/ui/`)
    const links = page.getByRole('navigation', { name: 'Views' }).getByRole('link')
    // The last link appears once the plugins are loaded.
    await links.filter({ hasText: 'Exports' }).waitFor()
    const views = await links.evaluateAll(found =>
      found.map((link): [string, string] => [link.textContent, link.getAttribute('href')!]),
    )
    const list = page.getByRole('table', { name: 'Requests' })
    for (const [title, hash] of views) {
      await page.setViewportSize({ width: WIDTHS[0]!, height: 900 })
      await page.goto(`${server.url}/ui/${hash}`)
      await page.getByRole('heading', { level: 1 }).filter({ hasText: title }).waitFor()
      await page.waitForFunction(() => document.querySelector('.loading') === null)
      if (hash === '#/traffic') await until(async () => (await list.locator('tr').count()) > 10, 'the rows are there')
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        t.strictSame([...(await accessibilityProblems(page)), ...(await cutTexts(page))], [], `${title} at ${width} px`)
      }
    }
    await page.goto(`${server.url}/ui/#/traffic`)
    await list.getByText('/anything/payments').first().click()
    await page.getByRole('list', { name: 'Request flow' }).getByText('Via').waitFor()
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      t.strictSame([...(await accessibilityProblems(page)), ...(await cutTexts(page))], [], `a request at ${width} px`)
    }
    t.strictSame(page.problems, [])
  },
)
