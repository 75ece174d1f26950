/** Replicas in the console: the view, the column of the live traffic, and the banner while the store is unavailable. */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser, takeProblems } from './support/browser.ts'
import { serve } from '../support/server.ts'
import { NEEDS_SERVER, startStateServer } from '../support/state-store.ts'
import { eventually, until } from '../support/until.ts'

const skip = skipWithoutBrowser || (NEEDS_SERVER.skip ?? false)

t.test('two replicas [CON-48]', { skip }, async t => {
  const store = await startStateServer(t)
  const start = (id: string) => launch({ env: { SVC_STATE_STORE: store.url, SVC_INSTANCE_ID: id } })
  const [one, two] = [await start('booth-one'), await start('booth-two')]
  t.teardown(() => Promise.all([one.stop(), two.stop()]))
  const count = async () => ((await (await fetch(`${one.url}/_svc/replicas`)).json()) as { count: number }).count
  await until(async () => (await count()) === 2)
  for (const { url } of [one, two, one]) await fetch(`${url}/echo/orders`)

  const page = await openPage(await startBrowser(t))
  await page.goto(`${one.url}/ui/#/traffic`)
  const list = page.getByRole('table', { name: 'Requests' })
  await eventually(t, () => list.innerText(), /Replica(?=[^]*booth-one)(?=[^]*booth-two)/)
  await page.getByRole('searchbox', { name: 'Filter' }).fill('replica:booth-two')
  await until(async () => (await list.locator('tbody tr:not(.spacer)').count()) === 1, 'one is left')
  t.match(await list.innerText(), /^(?![^]*Replica)/, 'no column for one replica')
  await list.getByText('/echo/orders').click()
  await eventually(t, () => page.locator('.facts').last().innerText(), /Replica\s+booth-two/)

  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Replicas' }).click()
  const table = page.getByRole('table', { name: 'Replicas' })
  await eventually(t, () => table.getByRole('row').count(), 3)
  t.match(await table.innerText(), /booth-one[^]*healthy[^]*booth-two[^]*healthy/)
  for (const width of [1440, 1024, 900, 390]) {
    await page.setViewportSize({ width, height: 900 })
    t.strictSame(await accessibilityProblems(page), [], `${width} px`)
    const hidden = await table.evaluate(element => element.scrollWidth - element.parentElement!.clientWidth)
    t.ok(hidden <= 0, `${width} px: the whole table is visible (${hidden})`)
  }
  await page.getByRole('button', { name: 'Make one replica unhealthy' }).click()
  await page.getByText('booth-one is now unhealthy.').waitFor()
  await eventually(t, () => table.getByText('unhealthy').count(), 1)
  t.equal((await fetch(`${two.url}/health`)).status, 200, 'the other one goes on')
  await page.getByRole('button', { name: 'Make one healthy' }).click()
  await eventually(t, () => table.getByText('unhealthy').count(), 0)
  await page.getByRole('switch', { name: 'All replicas are healthy' }).click()
  await eventually(t, () => table.getByText('unhealthy').count(), 2)
  t.strictSame(page.problems, [])

  await store.kill()
  await page.getByText('The state store is unavailable').waitFor()
  await page.getByRole('region', { name: 'State store' }).getByText('unavailable').waitFor()
  t.strictSame(await accessibilityProblems(page), [])
  takeProblems(page, /503/)
  t.strictSame(page.problems, [])
})

t.test('a single instance has no view of replicas [CON-48]', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, { plugins: ['console', 'echo', 'exports'] })
  const page = await openPage(await startBrowser(t))
  await page.goto(`${server.url}/ui/`)
  const links = page.getByRole('navigation', { name: 'Views' }).getByRole('link')
  await links.filter({ hasText: 'Exports' }).waitFor()
  t.equal(await links.filter({ hasText: 'Replicas' }).count(), 0)
})
