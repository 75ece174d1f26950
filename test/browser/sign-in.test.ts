/** Signing in to a protected control plane, in a browser. */
import t from 'tap'
import { generateKeyPairSync } from 'node:crypto'
import { SignJWT, type JWTPayload } from 'jose'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { startGateway } from '../support/gateway.ts'
import { serve } from '../support/server.ts'
import { eventually } from '../support/until.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const now = () => Math.floor(Date.now() / 1000)
const sign = (claims: JWTPayload) =>
  new SignJWT({ exp: now() + 600, aud: 'test-1', ...claims }).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey)

/** Requests of a page that carry the token, by where and how. */
function watchToken(page: Page, token: string): { headers: string[]; urls: string[] } {
  const seen = { headers: [] as string[], urls: [] as string[] }
  page.on('request', request => {
    if (request.url().includes(token)) seen.urls.push(request.url())
    for (const [name, value] of Object.entries(request.headers()))
      if (value.includes(token))
        seen.headers.push(`${name} ${new URL(request.url()).origin}${new URL(request.url()).pathname}`)
  })
  return seen
}

t.test('signing in', { skip: skipWithoutBrowser }, async t => {
  const browser = await startBrowser(t)
  const isHealthy = (page: Page) => page.locator('.instance-state', { hasText: 'healthy' }).waitFor()
  const form = (page: Page) => ({
    heading: page.getByRole('heading', { name: 'Sign in' }),
    token: page.getByRole('textbox', { name: 'Token' }),
    button: page.getByRole('button', { name: 'Sign in' }),
    alert: page.getByRole('alert'),
  })

  await t.test('with the admin token [CON-14, CON-15]', async t => {
    const server = await serve(t, {
      env: {
        SVC_CONTROL_AUTH: 'token',
        SVC_ADMIN_TOKEN: 's3cret-token',
        SVC_CONSOLE_BACKLINK: 'https://portal.example/',
      },
    })
    const page = await openPage(browser)
    const seen = watchToken(page, 's3cret-token')
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    await page.goto(`${server.url}/ui/#/traffic?filter=status:5xx`)
    const { heading, token, button, alert } = form(page)
    await heading.waitFor()
    t.strictSame(
      asked.filter(url => url.includes('/_svc/')),
      [],
      'no requests without a token',
    )
    await eventually(
      t,
      () => page.getByRole('link', { name: 'Back to portal.example' }).count(),
      2,
      'in the bar and below the form',
    )
    await eventually(t, () => alert.count(), 0)
    t.strictSame(await accessibilityProblems(page), [])
    await button.click()
    await eventually(t, () => alert.textContent(), /Enter a token/)
    await token.fill('wrong')
    await button.click()
    await alert.filter({ hasText: 'invalid_token' }).waitFor()
    await token.fill('s3cret-token')
    await button.click()
    await isHealthy(page)
    await eventually(
      t,
      () => page.getByRole('searchbox', { name: 'Filter' }).inputValue(),
      'status:5xx',
      'the view keeps its state',
    )

    const gateway = await startGateway(t, server.url)
    await page.evaluate(
      url =>
        localStorage.setItem(
          'svc.console',
          JSON.stringify({ gateways: [{ name: 'gw', url, headers: [] }], target: 'gw' }),
        ),
      gateway.url,
    )
    await page.reload()
    await isHealthy(page)
    await fetch(`${server.url}/status/500`)
    await page.getByRole('row', { name: /status\/500/ }).click()
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('dialog').getByText('500 Internal Server Error').waitFor()
    t.ok(seen.headers.length > 0)
    t.strictSame(
      seen.headers.filter(line => !line.startsWith(`authorization ${server.url}/_svc/`)),
      [],
      'sent only to the control plane of the instance',
    )
    t.strictSame(seen.urls, [])
    t.notMatch(await page.evaluate(() => JSON.stringify(localStorage)), 's3cret')
    await page.context().close()
  })

  await t.test('by a link [CON-14]', async t => {
    const server = await serve(t, { env: { SVC_CONTROL_AUTH: 'token', SVC_ADMIN_TOKEN: 's3cret+token/=' } })
    for (const hash of ['#token=T', '#/traffic&token=T', '#/traffic?filter=a&token=T', '#/traffic?token=T&filter=a']) {
      const page = await openPage(browser)
      const seen = watchToken(page, 's3cret')
      await page.goto(`${server.url}/ui/${hash.replace('T', encodeURIComponent('s3cret+token/='))}`)
      await isHealthy(page)
      t.equal(
        await page.evaluate(() => location.hash),
        hash === '#token=T' ? '' : hash.includes('filter') ? '#/traffic?filter=a' : '#/traffic',
        hash,
      )
      t.strictSame(
        seen.urls.filter(url => url.includes('s3cret')),
        [],
        'not in a URL',
      )
      t.strictSame(page.problems, [])
      await page.context().close()
    }
  })

  await t.test('with a JWT: expired, insufficient scope, valid [CON-15]', async t => {
    const server = await serve(t, {
      env: {
        SVC_CONTROL_AUTH: 'jwt',
        SVC_CONTROL_JWT_PUBLIC_KEY: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      },
    })
    const page = await openPage(browser)
    const { heading, token, button, alert } = form(page)
    await page.goto(`${server.url}/ui/#token=${await sign({ exp: now() - 600, scope: 'console' })}`)
    await heading.waitFor()
    await eventually(t, () => alert.textContent(), /expired/)
    await token.fill(await sign({ aud: 'other', scope: 'console' }))
    await button.click()
    await alert.filter({ hasText: 'invalid_audience' }).waitFor()

    await token.fill(await sign({ scope: 'inspector' }))
    await button.click()
    await page
      .getByRole('alert')
      .filter({ hasText: 'Your credential does not allow access to parts of this page' })
      .waitFor()
    await eventually(
      t,
      () => page.getByRole('alert').textContent(),
      /scope console.*Granted: inspector/,
      'the error names the missing scope',
    )
    await fetch(`${server.url}/uuid`)
    await page.getByRole('link', { name: 'Live traffic' }).click()
    await page.getByRole('row', { name: /\/uuid/ }).waitFor()

    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await heading.waitFor()
    await token.fill(await sign({ scope: 'console' }))
    await button.click()
    await isHealthy(page)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('switch', { name: 'soap' }).click()
    await page.getByRole('region', { name: 'Plugins' }).getByRole('alert').filter({ hasText: 'admin' }).waitFor()
    await eventually(
      t,
      () => page.getByRole('switch', { name: 'soap' }).getAttribute('aria-checked'),
      'true',
      'the rejected change has no effect',
    )
    await eventually(t, () => heading.count(), 0, 'the user stays signed in')
    await page.context().close()
  })
})
