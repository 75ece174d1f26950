/** The console's token lab, in a browser. */
import t from 'tap'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, PLAIN_HOST, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { serve } from '../support/server.ts'
import { eventually } from '../support/until.ts'

t.test('token lab', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t)
  const browser = await startBrowser(t)
  const page = await openPage(browser)
  await page.goto(`${server.url}/ui/#/tokens`)
  const grant = page.getByRole('combobox', { name: 'Grant' })
  const token = page.getByRole('textbox', { name: 'Token', exact: true })
  const claims = page.getByRole('region', { name: 'Claims' })
  const exchanges = page.getByRole('list', { name: 'Requests' })
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const claimsOf = (text: string) =>
    JSON.parse(Buffer.from(text.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>

  await t.test(
    'client credentials are the default; the token is decoded, with countdown and signature check [TOKENLAB-1, TOKENLAB-3]',
    async t => {
      await page.getByText('No token yet').waitFor()
      await press('Get token')
      await claims.getByText('The signature is valid').waitFor()
      t.match(claimsOf(await token.inputValue()), { sub: 'svc', scope: 'openid' })
      await eventually(
        t,
        () => claims.textContent(),
        /expires in (?:1h|59m \d+s).*svc-rs256-key of \/oauth\/jwks.*"sub": "svc"/,
      )
      const before = await claims.getByText(/^expires in/).textContent()
      await page.waitForFunction(text => !document.body.textContent.includes(text!), before)
      const text = await token.inputValue()
      await token.fill(text.slice(0, -4) + (text.endsWith('AAAA') ? 'BBBB' : 'AAAA'))
      await claims.getByText('The signature is invalid').waitFor()
      await token.fill('rt_no-jwt')
      await claims.getByText('This is not a JSON Web Token').waitFor()
    },
  )

  await t.test('password, refresh, exchange and custom tokens [TOKENLAB-1]', async t => {
    await grant.selectOption('password')
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill('wrong')
    await press('Get token')
    await eventually(t, () => page.getByRole('alert').filter({ hasText: 'No token' }).textContent(), /invalid_grant/)
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill('alice')
    await press('Get token')
    await claims.getByText('"alice"').first().waitFor()
    const first = await token.inputValue()
    await press('ID token')
    await claims.getByText('"at_hash"').waitFor()
    await grant.selectOption('refresh_token')
    await eventually(t, () => page.getByRole('textbox', { name: 'Refresh token' }).inputValue(), /^rt_/)
    await press('Get token')
    await page.waitForFunction(
      old =>
        document.querySelector<HTMLTextAreaElement>('.tokens-field textarea')!.value !== old &&
        document.querySelectorAll('.tokens-exchanges li').length === 4,
      first,
    )
    await press('access token')
    t.not(await token.inputValue(), first)
    await press('Get token')
    await page
      .getByText(/invalid_grant/)
      .first()
      .waitFor()
    await grant.selectOption('exchange')
    await page.getByRole('textbox', { name: 'Audience' }).fill('urn:orders')
    await press('Get token')
    await claims.getByText('"urn:orders"').waitFor()
    await grant.selectOption('order')
    await press('Get token')
    await claims.getByText(/^expired .* ago$/).waitFor()
    t.match(claimsOf(await token.inputValue()), { aud: 'other' })
  })

  await t.test('code with PKCE in a window [TOKENLAB-2]', async t => {
    await grant.selectOption('authorization_code')
    await page.getByRole('combobox', { name: 'Client' }).selectOption('svc-public')
    const [opened] = await Promise.all([page.waitForEvent('popup'), press('Get token')])
    await opened.getByRole('button', { name: /approve/i }).waitFor()
    t.match(new URL(opened.url()).searchParams.get('code_challenge_method'), 'S256')
    t.equal(new URL(opened.url()).searchParams.get('redirect_uri'), `${server.url}/ui/callback`)
    await opened.locator('input[name=username]').fill('bob')
    await opened.locator('input[name=password]').fill('bob')
    await Promise.all([opened.waitForEvent('close'), opened.getByRole('button', { name: /approve/i }).click()])
    await claims.getByText('"Bob Member"').waitFor()
    t.match(claimsOf(await token.inputValue()), { sub: 'bob', client_id: 'svc-public' })

    const [refused] = await Promise.all([page.waitForEvent('popup'), press('Get token')])
    await Promise.all([refused.waitForEvent('close'), refused.getByRole('button', { name: /deny/i }).click()])
    await page.getByText(/access_denied/).waitFor()
    const [closed] = await Promise.all([page.waitForEvent('popup'), press('Get token')])
    await closed.close()
    await page.getByText('The window was closed.').waitFor()
    const [other] = await Promise.all([page.waitForEvent('popup'), press('Get token')])
    await other.getByRole('button', { name: /approve/i }).waitFor()
    await other.goto(`${server.url}/ui/callback?code=x&state=another`)
    await page.getByText(/its state differs/).waitFor()
    await page.getByRole('combobox', { name: 'Client' }).selectOption('svc')
  })

  await t.test('introspection, UserInfo, revocation, use in the explorer [TOKENLAB-4]', async t => {
    await grant.selectOption('password')
    await press('Get token')
    await exchanges.getByText('Password', { exact: true }).first().waitFor()
    await press('Introspect')
    await exchanges.getByText('"active": true').waitFor()
    await press('UserInfo')
    await exchanges.getByText('"email_verified"').waitFor()
    await press('Revoke')
    await exchanges.getByText('Revocation').waitFor()
    await press('Introspect')
    await exchanges.getByText('"active": false').waitFor()
    const text = await token.inputValue()
    await press('Use in the API explorer')
    await eventually(t, () => page.getByRole('textbox', { name: 'Bearer token' }).inputValue(), text)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('region', { name: 'Response' }).getByText('200 OK').waitFor()
    await page.goBack()
    await eventually(t, () => token.inputValue(), text, 'it is still there')
  })

  await t.test('HMAC signatures that the instance accepts [TOKENLAB-5]', async () => {
    await page.getByRole('tab', { name: 'HMAC' }).click()
    const answers = page.getByRole('region', { name: 'Responses' })
    const sendIt = async () => press('Send signed request')
    await sendIt()
    await answers.getByText('"authenticated": true').waitFor()
    await page.getByRole('combobox', { name: 'Method' }).selectOption('POST')
    await page.getByRole('textbox', { name: 'Body' }).fill('{"qty":3}')
    await page.getByRole('combobox', { name: 'Header format' }).selectOption('Signature')
    await page.getByRole('combobox', { name: 'Algorithm' }).selectOption('hmac-sha512')
    await page.getByRole('textbox', { name: 'Path' }).fill('/auth/hmac/carol/k3y')
    await page.getByRole('textbox', { name: 'User name' }).fill('carol')
    await page.getByRole('textbox', { name: 'Secret' }).fill('k3y')
    await page.getByRole('textbox', { name: 'Signed parts' }).fill('(request-target) x-date digest host')
    await page.getByText(/does not send the header host/).waitFor()
    await page.getByRole('textbox', { name: 'Signed parts' }).fill('(request-target) x-date digest')
    await page
      .getByRole('group', { name: 'Signing string' })
      .getByText('digest: SHA-256=D7JPoHpKJNqaP/dz6sjnYvP9Ji1lQ5g+fNFC3EX3B1I=')
      .waitFor()
    await sendIt()
    await answers.getByText('"digest_verified": true').waitFor()
    await page.getByRole('textbox', { name: 'Secret' }).fill('other')
    await sendIt()
    await answers.getByText(/signature mismatch/).waitFor()
  })

  await t.test('webhooks are signed, changed and verified [TOKENLAB-6]', async t => {
    await page.getByRole('tab', { name: 'Webhooks' }).click()
    const answers = page.getByRole('region', { name: 'Responses' })
    // Signing takes a while, and verification must still use the new signature.
    await page.route('**/webhooks/sign*', async route => {
      await new Promise(resolve => setTimeout(resolve, 200))
      await route.continue()
    })
    for (const scheme of ['standard', 'hmac-hex', 'timestamped']) {
      await page.getByRole('combobox', { name: 'Scheme' }).selectOption(scheme)
      await press('Sign')
      // Disabled until the new signature is there.
      await press('Verify')
      await answers.getByText(`"scheme": "${scheme}"`).waitFor()
      await eventually(t, () => answers.textContent(), /"valid": true/, scheme)
    }
    await page.getByRole('textbox', { name: 'Signed body' }).fill('{"amount":1}')
    await page.getByText('Changed after signing.').waitFor()
    await press('Verify')
    await answers.getByText('"signature_mismatch"').waitFor()
    t.strictSame(await accessibilityProblems(page), [])
  })

  await t.test('it is accessible, wide and narrow [TOKENLAB-3]', async t => {
    await page.getByRole('tab', { name: 'Tokens' }).click()
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 800 })
      t.strictSame(await accessibilityProblems(page), [], `${width} px`)
    }
  })
  t.strictSame(
    page.problems.filter(problem => !/40[01]/.test(problem)),
    [],
  )
})

t.test('on plain HTTP with a host name other than localhost [TOKENLAB-7]', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, { env: { SVC_HOSTS: PLAIN_HOST } })
  const browser = await startBrowser(t)
  const page = await openPage(browser)
  await page.goto(`${server.url.replace('127.0.0.1', PLAIN_HOST)}/ui/#/tokens?grant=authorization_code`)
  t.equal(await page.evaluate(() => isSecureContext), false)
  const [opened] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Get token' }).click(),
  ])
  await opened.getByRole('button', { name: /approve/i }).waitFor()
  t.equal(new URL(opened.url()).searchParams.get('code_challenge_method'), 'plain')
  await opened.locator('input[name=password]').fill('demo')
  await opened.getByRole('button', { name: /approve/i }).click()
  await page.getByText('"Demo User"').waitFor()
  await page.getByText('The signature was not checked').waitFor()
  await page.getByRole('tab', { name: 'HMAC' }).click()
  await eventually(t, () => page.getByRole('alert').textContent(), /This page cannot sign requests/)
})
