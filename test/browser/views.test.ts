/** All views of the console in a browser: each opens without errors and is accessible. */
import t from 'tap'
import { accessibilityProblems } from '../support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser } from '../support/browser.ts'
import { serve } from '../support/server.ts'

t.test(
  'every view opens without an error, in both themes, wide and narrow [CON-9]',
  { skip: skipWithoutBrowser },
  async t => {
    const server = await serve(t)
    const page = await openPage(await startBrowser(t))
    await page.goto(`${server.url}/ui/`)
    const links = page.getByRole('navigation', { name: 'Views' }).getByRole('link')
    // The last link appears once the plugins are loaded.
    await links.filter({ hasText: 'Exports' }).waitFor()
    for (const [title, hash] of await links.evaluateAll(found =>
      found.map(link => [link.textContent, link.getAttribute('href')]),
    )) {
      for (const width of [1440, 360]) {
        await page.setViewportSize({ width, height: 900 })
        await page.goto(`${server.url}/ui/${hash}`)
        await page.getByRole('heading', { level: 1 }).filter({ hasText: title! }).waitFor()
        await page.waitForFunction(() => document.querySelector('.loading') === null)
        t.strictSame(await accessibilityProblems(page), [], `${title} at ${width} px`)
      }
    }
    t.strictSame(page.problems, [])
  },
)
