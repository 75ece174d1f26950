/** The landing page and the API reference in a browser. */
import t from 'tap'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { serve } from '../support/server.ts'
import { until } from '../support/until.ts'

t.test('the landing page and the API reference', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t)
  const browser = await startBrowser(t)

  await t.test('start, search and folded categories [CTL-49]', async t => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await openPage(browser, { colorScheme })
      await page.goto(server.url)
      await page.getByRole('heading', { name: 'Start here' }).waitFor()
      t.ok((await page.getByRole('link', { name: 'Console' }).boundingBox())!.y < 400, 'the console is at the top')
      const search = page.getByRole('searchbox', { name: 'Search the endpoints' })
      await search.fill('digest auth')
      await page.getByText(/^\d+ endpoints$/).waitFor()
      const listed = await page.locator('main li:visible').count()
      t.ok(listed > 0 && listed < 20, `${listed} endpoints match`)
      t.strictSame(await accessibilityProblems(page), [])
      await search.fill('')
      await page.setViewportSize({ width: 390, height: 844 })
      await until(async () => (await page.locator('main li:visible').count()) === 0, 'the categories are folded')
      t.ok((await page.evaluate(() => document.body.scrollHeight)) < 4000)
      await page.getByText('Redirects & Cookies').locator('visible=true').click()
      await page.getByText('/redirect/{n}').first().waitFor()
      await search.fill('uuid')
      await page.getByText('/uuid', { exact: true }).first().waitFor()
      t.strictSame(await accessibilityProblems(page), [])
      t.strictSame(page.problems, [])
      await page.context().close()
    }
  })

  await t.test('the pages of a session run their own scripts, whatever its rules say [OWNED-1, OWNED-2]', async t => {
    const takeover = { respond: { body: 'globalThis.stolen = true', content_type: 'text/javascript' } }
    for (const session of ['stranger', 'docs'])
      await fetch(`${server.url}/s/${session}/_svc/rules/takeover`, {
        method: 'PUT',
        body: JSON.stringify({ then: takeover }),
      })
    for (const path of ['/s/stranger/docs', '/s/stranger/', '/s/victim']) {
      const page = await openPage(browser, {})
      await page.goto(server.url + path)
      await page.getByText('Echo & Reflection').first().waitFor()
      t.equal(await page.evaluate(() => 'stolen' in globalThis), false, path)
      t.strictSame(page.problems, [], path)
      await page.context().close()
    }
  })

  await t.test('the API reference is dark if the browser is [CTL-21]', async t => {
    const page = await openPage(browser, { colorScheme: 'dark' })
    await page.goto(`${server.url}/docs`)
    await page.getByText('Echo & Reflection').first().waitFor()
    const luminance = await page.evaluate(() => {
      const [r = 255, g = 255, b = 255] = getComputedStyle(document.body).backgroundColor.match(/\d+/g)!.map(Number)
      return (r + g + b) / 765
    })
    t.ok(luminance < 0.3, `the page is dark (${luminance})`)
    t.ok(await page.locator('.opblock').first().isVisible(), 'the first category is open')
    t.strictSame(page.problems, [])
    await page.context().close()
  })
})
