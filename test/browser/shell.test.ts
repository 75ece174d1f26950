/** The console's frame in a browser: views, navigation, keys, settings, failures. */
import t from 'tap'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { startGateway } from '../support/gateway.ts'
import { serve } from '../support/server.ts'
import { eventually } from '../support/until.ts'

t.test('the frame', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, {
    env: { SVC_CONSOLE_TITLE: 'Booth <4>', SVC_CONSOLE_BACKLINK: 'https://portal.example/x' },
  })
  const browser = await startBrowser(t)
  const open = async (hash = '', options = {}) => {
    const page = await openPage(browser, options)
    await page.goto(`${server.url}/ui/${hash}`)
    await page.locator('.instance-state', { hasText: 'healthy' }).waitFor({ state: 'attached' })
    return page
  }
  const heading = (page: Page) => page.getByRole('heading', { level: 1 })
  const activeElement = (page: Page) =>
    page.evaluate(() => document.activeElement?.getAttribute('title') ?? document.activeElement?.textContent)

  await t.test('the chip names the gateway that the page came through [CON-37]', async t => {
    const gateway = await startGateway(t, server.url)
    const direct = await open()
    await eventually(t, () => direct.getByRole('button', { name: 'Target' }).innerText(), /direct/)
    await direct.context().close()
    const page = await openPage(browser, {})
    await page.goto(`${gateway.url}/ui/`)
    await eventually(
      t,
      () => page.getByRole('button', { name: 'Target' }).innerText(),
      new RegExp(new URL(gateway.url).host),
    )
    await eventually(
      t,
      () => page.getByRole('button', { name: 'Target' }).getAttribute('title'),
      /through a gateway \(via, x-forwarded-for/,
    )
    await page.context().close()
  })

  await t.test('title, back link, navigation [CON-4, CON-10]', async t => {
    const page = await open('#/no-such-view')
    t.equal(await page.title(), 'Booth <4> - svc console')
    await eventually(t, () => page.locator('.console-title').textContent(), 'Booth <4>')
    const back = page.getByRole('link', { name: 'Back to portal.example' })
    await eventually(t, () => back.getAttribute('rel'), 'noopener')
    await eventually(t, () => heading(page).textContent(), 'Overview', 'an unknown hash opens the overview')
    const current = () => page.getByRole('navigation', { name: 'Views' }).locator('[aria-current=page]').textContent()
    t.equal(await current(), 'Overview')
    await page.keyboard.press('Alt+2')
    await heading(page).filter({ hasText: 'Live traffic' }).waitFor()
    t.equal(await current(), 'Live traffic')
    await page.goBack()
    await heading(page).filter({ hasText: 'Overview' }).waitFor()
    await page.keyboard.press('Tab')
    t.equal(await activeElement(page), 'Skip to content')
    await page.keyboard.press('Enter')
    t.equal(await page.evaluate(() => document.activeElement?.id), 'main')

    const navigation = page.getByRole('navigation', { name: 'Views' })
    await navigation.getByRole('link', { name: 'Exports' }).waitFor()
    await server.host.switch('exports', false, false)
    await navigation.getByRole('link', { name: 'Exports' }).waitFor({ state: 'detached' })
    await server.host.switch('exports', true, false)
    await page.setViewportSize({ width: 500, height: 800 })
    await eventually(t, () => navigation.isVisible(), false, 'collapsed')
    await page.getByRole('button', { name: 'Menu' }).click()
    await navigation.getByRole('link', { name: 'Live traffic' }).click()
    await navigation.waitFor({ state: 'hidden' })
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('settings [CON-11]', async t => {
    const page = await open()
    await page.getByRole('button', { name: 'Settings' }).click()
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    t.strictSame(await accessibilityProblems(page), [])
    await dialog.getByRole('textbox', { name: 'Session' }).fill('not valid')
    await dialog.getByRole('textbox', { name: 'Gateway base URL' }).fill('ftp://x')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await eventually(
      t,
      () => dialog.locator('[aria-invalid=true]').count(),
      2,
      'invalid fields are marked, and nothing is saved',
    )
    await dialog.getByRole('textbox', { name: 'Session' }).fill('class-12')
    await dialog.getByRole('textbox', { name: 'Gateway base URL' }).fill('http://gw.example:8000/demo/')
    await dialog.getByRole('textbox', { name: 'Gateway name' }).fill('kong')
    await dialog.getByRole('textbox', { name: 'Gateway header 1 name' }).fill('apikey')
    await dialog.getByRole('textbox', { name: 'Gateway header 1 value' }).fill('k-1')
    await dialog.getByRole('textbox', { name: 'Admin token' }).fill('secret')
    await dialog.getByRole('combobox', { name: 'Theme' }).selectOption('dark')
    const asked = page.waitForRequest(
      request => request.url().endsWith('/_svc/usage') && request.headers()['x-svc-session'] === 'class-12',
    )
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    t.equal(await activeElement(page), 'Settings', 'the focus returns')
    await asked
    await eventually(t, () => page.getByRole('banner').textContent(), /gw\.example:8000.*class-12/)
    await eventually(t, () => page.locator('html').getAttribute('data-theme'), 'dark')
    t.same(await page.evaluate(() => JSON.parse(localStorage.getItem('svc.console')!)), {
      session: 'class-12',
      gateways: [{ name: 'kong', url: 'http://gw.example:8000/demo', headers: [{ name: 'apikey', value: 'k-1' }] }],
      target: 'kong',
      theme: 'dark',
      letterKeys: true,
      filters: [],
      hidesProbes: false,
      showsOwnPages: false,
    })
    t.notMatch(await page.evaluate(() => JSON.stringify(localStorage)), 'secret')

    await page.reload()
    await page.getByText('class-12').waitFor()
    await page.getByRole('button', { name: 'Settings' }).click()
    await eventually(
      t,
      () => dialog.getByRole('textbox', { name: 'Admin token' }).inputValue(),
      'secret',
      'kept for this tab',
    )
    const second = await page.context().newPage()
    await second.goto(`${server.url}/ui/`)
    await second.getByRole('button', { name: 'Settings' }).click()
    await eventually(
      t,
      () => second.getByRole('textbox', { name: 'Admin token' }).inputValue(),
      '',
      'but not for other tabs',
    )
    await eventually(t, () => second.getByRole('textbox', { name: 'Session' }).inputValue(), 'class-12')
    await dialog.getByRole('button', { name: 'Reset' }).click()
    t.strictSame(await page.evaluate(() => [localStorage.length, sessionStorage.length]), [0, 0])
    await eventually(t, () => page.locator('html').getAttribute('data-theme'), null)
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('go to, keys, focus [CON-12]', async t => {
    const page = await open()
    await page.keyboard.press('Control+k')
    const box = page.getByRole('combobox', { name: 'Go to' })
    await box.fill('status/{code}')
    await page
      .getByRole('option', { name: /Endpoint.*\/status\/\{code\}/ })
      .first()
      .waitFor()
    t.strictSame(await accessibilityProblems(page), [])
    await box.fill('live tra')
    await page.keyboard.press('Enter')
    await heading(page).filter({ hasText: 'Live traffic' }).waitFor()

    await page.getByRole('searchbox', { name: 'Filter' }).fill('p?')
    await eventually(t, () => page.locator('html').getAttribute('data-presenter'), null, 'no shortcuts while typing')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await eventually(t, () => help.textContent(), /Ctrl\+K.*Copy as curl/)
    await page.keyboard.press('p')
    await eventually(t, () => page.locator('html').getAttribute('data-presenter'), null, 'no shortcuts in a dialog')
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('checkbox', { name: 'Enable single-letter shortcuts' }).uncheck()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.keyboard.press('p')
    await eventually(t, () => page.locator('html').getAttribute('data-presenter'), null, 'no shortcuts when turned off')
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('the focus returns after every way to close a dialog [CON-12]', async t => {
    const page = await open()
    // As in browsers that do not focus a clicked button.
    await page.evaluate(() => addEventListener('mousedown', event => event.preventDefault(), true))
    const button = page.getByRole('button', { name: 'Settings' })
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    const closings = {
      Escape: () => page.keyboard.press('Escape'),
      'the close button': () => dialog.getByRole('button', { name: 'Close' }).click(),
      // Without a click in between, the browser closes the second of two dialogs itself.
      'the browser': () => dialog.evaluate((element: HTMLDialogElement) => element.close()),
    }
    for (const [name, close] of Object.entries(closings)) {
      await button.click()
      await dialog.waitFor()
      await close()
      await page.locator('dialog').waitFor({ state: 'detached' })
      t.equal(await activeElement(page), 'Settings', name)
      await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    }
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    t.equal(await page.evaluate(() => document.activeElement?.tagName), 'BODY', 'nothing was focused before')

    await button.click()
    await dialog.waitFor()
    await button.evaluate((element: HTMLButtonElement) => {
      element.disabled = true
    })
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    t.equal(await page.evaluate(() => document.activeElement?.id), 'main', 'a disabled button cannot be focused')
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('a button keeps the focus while its action runs [CON-12]', async t => {
    const page = await open('#/chaos')
    let requests = 0
    let respond = () => {}
    const isReady = new Promise<void>(resolve => {
      respond = resolve
    })
    await page.route('**/flaky/reset*', async route => {
      requests++
      await isReady
      await route.fallback()
    })
    const button = page.getByRole('button', { name: 'Reset my session' })
    await button.click()
    await eventually(t, () => button.getAttribute('aria-busy'), 'true')
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))
    t.equal(await activeElement(page), await button.textContent())
    await page.keyboard.press('Enter')
    respond()
    await eventually(t, () => button.getAttribute('aria-busy'), null)
    t.equal(requests, 1, 'a running action cannot be started again')
    await page.context().close()
  })

  await t.test('presenter mode and theme [CON-13]', async t => {
    const page = await open('#/traffic')
    const size = () => page.evaluate(() => parseFloat(getComputedStyle(document.documentElement).fontSize))
    await page.keyboard.press('p')
    t.ok(Math.abs((await size()) - 16 * 1.4) < 0.01)
    await eventually(t, () => page.getByRole('navigation', { name: 'Views' }).isVisible(), false)
    t.strictSame(await accessibilityProblems(page), [])
    await page.keyboard.press('Escape')
    t.equal(await size(), 16)
    for (const theme of ['light', 'dark', null]) {
      await page.getByRole('button', { name: /^Theme/ }).click()
      await eventually(t, () => page.locator('html').getAttribute('data-theme'), theme)
    }
    await page.context().close()
  })

  await t.test('below a prefix [CON-16]', async t => {
    const gateway = await startGateway(t, server.url, { isTransparent: true })
    const page = await openPage(browser)
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    await page.goto(`${gateway.url}/ui`)
    await page.locator('.instance-state', { hasText: 'healthy' }).waitFor()
    await page.getByRole('link', { name: 'Live traffic' }).click()
    await page.getByText('live', { exact: true }).waitFor()
    t.ok(asked.some(url => url === `${gateway.url}/_svc/status`))
    t.strictSame(
      asked.filter(url => !url.startsWith(`${gateway.url}/`)),
      [],
      'all requests go below the prefix',
    )
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('an instance that becomes unreachable and comes back [CON-17]', async t => {
    const page = await open()
    await page.getByRole('region', { name: 'Instance' }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('alert').filter({ hasText: 'The instance is not responding' }).waitFor()
    await page
      .getByRole('alert')
      .filter({ hasText: /No response since \d\d:\d\d:\d\d/ })
      .waitFor()
    await eventually(t, () => page.getByRole('region', { name: 'Instance' }).count(), 1, 'the content stays')
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Retry now' }).click()
    await eventually(t, () => page.getByRole('alert').count(), 0)
    await page.context().close()
  })

  await t.test('limits of the instance and of a gateway [CON-17]', async t => {
    const limited = await serve(t, { env: { SVC_LIMIT_REQUESTS: '1' } })
    const page = await openPage(browser)
    await page.goto(`${limited.url}/ui/`)
    const message = page.getByRole('region', { name: 'Configuration' }).getByRole('alert')
    await message.filter({ hasText: 'A limit of this instance is reached (requests).' }).waitFor()
    await page.route('**/_svc/plugins', route =>
      route.fulfill({ status: 429, json: { message: 'API rate limit exceeded' } }),
    )
    await page.reload()
    await page
      .getByRole('alert')
      .filter({ hasText: 'Too many requests: a gateway in front of the instance rejected the request.' })
      .waitFor()
    await page.context().close()
  })

  await t.test('a new version of the console is offered [CON-18]', async t => {
    const page = await openPage(browser)
    let generation = 0
    await page.route('**/_svc/status', async route => {
      const response = await route.fetch()
      const facts = (await response.json()) as { plugins: { generation: number } }
      await route.fulfill({
        response,
        json: { ...facts, plugins: { ...facts.plugins, generation: facts.plugins.generation + generation } },
      })
    })
    await page.route('**/_svc/plugins', async route => {
      const response = await route.fetch()
      const list = (await response.json()) as { generation: number; plugins: { name: string; generation: number }[] }
      await route.fulfill({
        response,
        json: {
          ...list,
          generation: list.generation + generation,
          plugins: list.plugins.map(plugin =>
            plugin.name === 'console' ? { ...plugin, generation: plugin.generation + generation } : plugin,
          ),
        },
      })
    })
    await page.goto(`${server.url}/ui/`)
    // Once a switch is shown, the plugins are loaded, and with them the generation of this page.
    await page.getByRole('region', { name: 'Plugins' }).getByRole('switch').first().waitFor()
    generation = 1
    await page.getByText('A new version of the console is available').waitFor()
    await eventually(t, () => page.getByRole('button', { name: 'Reload', exact: true }).first().isVisible(), true)
    await page.context().close()
  })
})
