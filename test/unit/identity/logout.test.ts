/** What a logout revokes, and the limits of its notifications. */
import t from 'tap'
import type { Svc } from 'svc/plugin'
import type { AuthorizationCode } from '../../../plugins/identity/stores/records.ts'
import type { Issuer } from '../../../plugins/identity/issuers/issuer.ts'
import { issuerSettings } from '../../../plugins/identity/settings/issuer-settings.ts'
import { beginSession, endSession } from '../../../plugins/identity/login/sessions.ts'
import { createLogoutNotifications } from '../../../plugins/identity/logout/notifications.ts'
import type { IdentityOptions } from '../../../plugins/identity/settings/options.ts'
import { openStores, storesOf } from '../../../plugins/identity/stores/stores.ts'
import { pluginState } from '../../support/plugin-state.ts'

const user = { username: 'alice', name: 'Alice', email: 'alice@svc.local', groups: [] }

t.test('a logout revokes the codes of the session that nobody has redeemed [IDN-26]', async t => {
  const stores = storesOf(openStores(pluginState({ publicMode: false }).svc), 'shop')
  const issuer = { name: 'shop', settings: issuerSettings.read({ name: 'shop' }, ''), stores }
  const begin = () => beginSession({ user, authTime: 0 }, 'svc', issuer, 'https://svc.test/oauth/i/shop')
  const [ended, other] = [await begin(), await begin()]
  const code = (login: typeof ended): AuthorizationCode => ({
    clientId: 'svc',
    redirectUri: 'https://app.test/',
    isRedirectUriGiven: true,
    login,
    scope: [],
    resources: [],
    nonce: undefined,
    challenge: null,
  })
  await stores.codes.set('first', code(ended))
  await stores.codes.set('second', code(other))
  t.match(await endSession(ended.sid!, issuer), { username: 'alice', clientId: 'svc' })
  t.equal(await stores.codes.peek('first'), undefined)
  t.ok(await stores.codes.peek('second'), 'that of another session')
  t.equal(await endSession(ended.sid!, issuer), undefined, 'once')
})

t.test('notifications: some at once, some wait, and the rest is dropped and reported [IDN-26]', async t => {
  for (const [publicMode, waiting, atOnce] of [
    [false, 100, 8],
    [true, 20, 2],
  ] as const) {
    const warnings: string[] = []
    const { svc } = pluginState({ publicMode })
    const log = { warn: (_facts: object, text: string) => void warnings.push(text) }
    const options = { fetch_allow: [] }
    const notify = createLogoutNotifications({ ...svc, log, options } as unknown as Svc<IdentityOptions>)
    /** A notification begins with a search for its client, which ends when the test says so. */
    const searches: (() => void)[] = []
    let count = 0
    const issuer = {
      findClient: () => {
        count++
        return new Promise<undefined>(resolve => searches.push(() => resolve(undefined)))
      },
    } as unknown as Issuer
    const session = { username: 'alice', clientId: 'svc', issuer: 'https://svc.test' }
    for (let number = 0; number < waiting + atOnce + 5; number++)
      notify({ sid: String(number), session, issuer, url: 'https://svc.test' })
    t.equal(count, atOnce, 'at once')
    t.strictSame(
      warnings,
      Array.from({ length: 5 }, () => 'a client was not notified of a logout: too many notifications wait'),
    )
    while (searches.length > 0) {
      for (const end of searches.splice(0)) end()
      await new Promise(resolve => setImmediate(resolve))
    }
    t.equal(count, waiting + atOnce, 'those that waited')
  }
})
