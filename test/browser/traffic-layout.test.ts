/** The live list with many rows, its chart, and the response of a request. */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { accessibilityProblems } from './support/accessibility.ts'
import { skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { startGateway } from '../support/gateway.ts'
import { serve } from '../support/server.ts'
import { openTraffic, rowsOf, type TrafficPage } from './support/traffic-page.ts'
import { eventually, until } from '../support/until.ts'

const plugins = ['console', 'echo', 'status']

/** The share of the path in the width of the list, and of the widest other part in the same line. */
function sharesOf(page: TrafficPage): Promise<{ path: number; other: number }> {
  return rowsOf(page)
    .first()
    .evaluate(row => {
      const width = (element: Element): number => element.getBoundingClientRect().width
      const path = row.querySelector('.col-path')!
      const top = path.getBoundingClientRect().top
      const others = [...row.children].filter(
        cell => cell !== path && Math.abs(cell.getBoundingClientRect().top - top) < 4,
      )
      return { path: width(path) / width(row), other: Math.max(0, ...others.map(width)) / width(row) }
    })
}

t.test('the live list with many requests', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, { plugins, env: { SVC_INSPECTOR_CAPACITY: '5000' } })
  const browser = await startBrowser(t)
  const send = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          fetch(`${server.url}/echo/orders/${sent + index}/items?expand=lines`, { method: index % 2 ? 'GET' : 'POST' }),
        ),
      )
  }

  await t.test('the path has the space at 1440, 1024, 900 and 390 px [CON-38]', async t => {
    for (const count of [300, 4700]) {
      await send(count)
      for (const width of [1440, 1024, 900, 390]) {
        const page = await openTraffic(browser, server.url)
        await page.setViewportSize({ width, height: 844 })
        await until(async () => (await rowsOf(page).count()) > 5, 'the rows are there')
        const { path, other } = await sharesOf(page)
        t.ok(path > other, `${count} rows at ${width} px: the path is the widest (${path} and ${other})`)
        if (width === 390) t.ok(path > 0.9, `on a phone it has a line of its own (${path})`)
        await rowsOf(page).nth(2).click()
        await page.detail.waitFor()
        if (width === 1440) {
          const narrow = await sharesOf(page)
          t.ok(narrow.path > 0.5, `next to a request it has most of the list (${narrow.path})`)
          await page.keyboard.press('p')
          await until(async () => (await sharesOf(page)).path > 0.5, 'in presenter mode too')
        }
        t.equal(
          await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth),
          false,
          'nothing scrolls sideways',
        )
        if (count === 300) t.strictSame(await accessibilityProblems(page), [], `${width} px is accessible`)
        t.strictSame(page.problems, [])
        await page.context().close()
      }
    }
  })

  await t.test('the chart counts outcomes, and dragging filters by time [CON-42]', async t => {
    const page = await openTraffic(browser, server.url)
    for (const status of [200, 404, 503]) await fetch(`${server.url}/status/${status}`)
    const chart = page.getByRole('img', { name: /requests in the last 5 minutes/ })
    await eventually(t, () => chart.getAttribute('aria-label'), /below 400, [1-9]\d* 4xx, [1-9]\d* 5xx, 0 aborted/)
    const box = (await chart.boundingBox())!
    await page.mouse.move(box.x + 5, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x + 60, box.y + 10, { steps: 4 })
    await page.mouse.up()
    await eventually(t, () => page.filter.inputValue(), /^after:\d\d:\d\d:\d\d before:\d\d:\d\d:\d\d$/)
    await page.getByText(/None of the \d+ requests matches/).waitFor()
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await until(async () => (await rowsOf(page).count()) > 5, 'all rows are back')
    await page.context().close()
  })

  await t.test('the response, why it ended, and the archive [CON-41]', async t => {
    await fetch(`${server.url}/echo/answered`, {
      headers: { 'X-Svc-Fail': '503', 'X-Svc-Session': 'class-12' },
    })
    const page = await openTraffic(browser, server.url, { params: '?filter=path:/answered' })
    await rowsOf(page).first().click()
    const sent = page.detail.getByRole('region', { name: 'Sent by the instance' })
    await eventually(t, () => sent.innerText(), /503[^]*X-Svc-Fail[^]*content-type[^]*Response body/)
    await eventually(
      t,
      () => page.detail.locator('.facts').last().innerText(),
      /X-Svc-Fail: 503\s+header[^]*class-12\s+from X-Svc-Session/,
    )
    t.strictSame(await accessibilityProblems(page), [])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save HAR' }).click(),
    ])
    const har = JSON.parse(readFileSync(await download.path(), 'utf8')) as {
      log: {
        entries: {
          _end_reason: string
          _fault_origin: string
          _session_from: string
          response: { headers: { name: string }[]; content: { text: string } }
        }[]
      }
    }
    const [{ _end_reason: reason, response, ...entry }] = har.log.entries as [(typeof har.log.entries)[number]]
    t.match(reason, /X-Svc-Fail/)
    t.match(entry, { _fault_origin: 'header', _session_from: 'header' })
    t.ok(response.headers.some(({ name }) => name === 'content-type'))
    t.match(response.content.text, /"error"/)
    await page.context().close()
  })

  await t.test('one click through a gateway [CON-39]', async t => {
    const gateway = await startGateway(t, server.url)
    await fetch(`${server.url}/_svc/requests`, { method: 'DELETE' })
    const page = await openTraffic(browser, server.url)
    const card = page.getByRole('region', { name: 'Send through my gateway' })
    await card.getByRole('textbox', { name: 'Gateway base URL' }).fill('not a host')
    await card.getByRole('button', { name: 'Send' }).click()
    await card.getByText('Enter an http or https URL').waitFor()
    t.strictSame(await accessibilityProblems(page), [])
    await card.getByRole('textbox', { name: 'Gateway base URL' }).fill(gateway.url)
    await card.getByRole('button', { name: 'Send' }).click()
    await page.detail.getByRole('table', { name: 'Gateway headers' }).waitFor()
    t.match(await page.detail.getByRole('list', { name: 'Request flow' }).innerText(), /added/)
    await page.getByRole('button', { name: `Target: ${new URL(gateway.url).host}` }).click()
    const dialog = page.getByRole('dialog', { name: 'Send through my gateway' })
    await eventually(
      t,
      () => dialog.getByRole('textbox', { name: 'Gateway base URL' }).inputValue(),
      gateway.url.replace(/\/$/, ''),
    )
    t.strictSame(await accessibilityProblems(page), [])
    await dialog.getByRole('button', { name: 'Send directly again' }).click()
    await page.getByRole('button', { name: 'Target: direct' }).waitFor()
    await page.goto(`${server.url}/ui/#/overview`)
    await page.getByRole('region', { name: 'Send through my gateway' }).waitFor()
    await page.getByRole('region', { name: 'Traffic', exact: true }).getByText('requests per second').waitFor()
    t.strictSame(await accessibilityProblems(page), [])
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('a gateway that cannot be reached is not remembered [CON-51]', async t => {
    const page = await openTraffic(browser, server.url)
    await page.goto(`${server.url}/ui/#/overview`)
    const card = page.getByRole('region', { name: 'Send through my gateway' })
    const address = card.getByRole('textbox', { name: 'Gateway base URL' })
    const send = card.getByRole('button', { name: 'Send' })
    const stored = () => page.evaluate(() => localStorage.getItem('svc.console') ?? '')
    const height = async () => (await card.boundingBox())!.height
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('region', { name: 'Traffic', exact: true }).getByText('requests per second').waitFor()
    const before = await height()
    await address.fill('localhost:9')
    await send.click()
    await card.getByRole('alert').waitFor()
    t.equal(await address.inputValue(), 'http://localhost:9', 'the scheme is completed')
    t.notMatch(await stored(), /localhost:9/)
    await page.getByRole('button', { name: 'Target: direct' }).waitFor()
    t.ok((await height()) < before + 150, `the error leaves the card its size (${before}, ${await height()})`)
    t.strictSame(await accessibilityProblems(page), [])
    await card.getByText('Show the curl command').click()
    await card.getByRole('group', { name: 'curl command' }).waitFor()

    // It responds, but forwards to nothing.
    const broken = createServer((_request, response) => {
      response.writeHead(200, { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }).end()
    })
    await new Promise<void>(resolve => broken.listen(0, '127.0.0.1', resolve))
    t.teardown(() => broken.close())
    await address.fill(`127.0.0.1:${(broken.address() as AddressInfo).port}`)
    await send.click()
    await card.getByText('the request did not reach this instance').waitFor()
    t.notMatch(await stored(), /gateways":\[\{/)
    const gateway = await startGateway(t, server.url)
    await address.fill(gateway.url.replace('http://', ''))
    await send.click()
    await page.detail.getByRole('table', { name: 'Gateway headers' }).waitFor()
    t.match(await stored(), new RegExp(`"target":"${new URL(gateway.url).host}"`))
    await page.context().close()
  })

  await t.test('requests of other clients are compared too [CON-40]', async t => {
    await fetch(`${server.url}/_svc/requests`, { method: 'DELETE' })
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    await fetch(`${server.url}/echo/a`, { method: 'POST', body: 'x', headers: { traceparent, 'x-key': 'secret' } })
    await fetch(`${server.url}/echo/b`, { method: 'POST', body: 'x', headers: { traceparent, via: '1.1 gw' } })
    const page = await openTraffic(browser, server.url)
    await page.list.getByText('/echo/b').click()
    await page.detail.getByRole('button', { name: /same trace/ }).click()
    await page.detail.getByRole('heading', { name: 'Removed 1' }).waitFor()
    t.match(await page.detail.getByRole('table', { name: 'Rewritten' }).innerText(), /path\s+\/echo\/a\/echo\/b/)
    await page.detail.getByRole('button', { name: 'Stop comparing' }).click()
    await page.detail.getByRole('button', { name: 'Paste a curl command' }).click()
    const command = page.getByRole('textbox', { name: 'curl command' })
    await command.fill('wget x')
    await page.getByRole('dialog').getByRole('button', { name: 'Compare' }).click()
    await page.getByText('has to start with').waitFor()
    t.strictSame(await accessibilityProblems(page), [])
    await command.fill(`curl 'http://gw.test/v1/echo/b' \\\n  -H 'x-client: 1' --data-raw 'y'`)
    await page.getByRole('dialog').getByRole('button', { name: 'Compare' }).click()
    await eventually(t, () => page.detail.innerText(), /a pasted curl command[^]*Removed 1[^]*x-client/)
    t.match(await page.detail.getByRole('table', { name: 'Rewritten' }).innerText(), /\/v1\/echo\/b/)
    t.strictSame(page.problems, [])
    await page.context().close()
  })
})
