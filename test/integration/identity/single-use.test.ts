/** Single use of codes and refresh tokens with an asynchronous store, such as one in another process. */
import t from 'tap'
import { setImmediate as turn } from 'node:timers/promises'
import type { Svc } from '../../../core/contract/plugin.ts'
import { MemoryStore } from '../../../core/state/state-registry.ts'
import { grantTokens, type TokenRequest } from '../../../plugins/identity/grants/grants.ts'
import { createIssuer, type Issuer } from '../../../plugins/identity/issuers/issuer.ts'
import { issuerSettings } from '../../../plugins/identity/settings/issuer-settings.ts'
import { createImportedKeys, importThrough } from '../../../plugins/identity/keys/imported-keys.ts'
import { readParameters } from '../../../plugins/identity/oauth/parameters.ts'
import { DEMO_USERS } from '../../../plugins/identity/accounts/users.ts'
import { callback, encode, type Fields } from '../../support/oauth.ts'

/** Responds one turn of the event loop later, so that all concurrent requests have read before one of them writes. */
class SlowStore<T> extends MemoryStore<T> {
  override async peek(key: string): Promise<T | undefined> {
    const value = await super.peek(key)
    await turn()
    return value
  }
}

const login = { user: DEMO_USERS.find(({ username }) => username === 'alice')!, authTime: 1 }
const shared = { clientId: 'svc', login, scope: ['a', 'b'], resources: [] }

function openIssuer(): Issuer {
  const open = <T>() => new SlowStore<T>({ maxCount: 100 })
  return createIssuer(issuerSettings.read({ name: 'slow' }, ''), 'config', {
    svc: {} as Svc,
    stores: {
      codes: open(),
      refreshTokens: open(),
      accessTokens: open(),
      clients: open(),
      revoked: open(),
      assertionIds: open(),
      deviceCodes: open(),
      proofIds: open(),
      clientDocuments: open(),
      keySets: open(),
      pushedRequests: open(),
      sessions: open(),
      usedSteps: open(),
    },
    keys: { records: open(), importKey: importThrough(createImportedKeys()) },
    demoKey: async () => ({}),
    fetcher: { placeOf: () => null, send: () => Promise.reject(new Error('nothing is fetched')) },
  })
}

/** How many of eight concurrent requests get tokens; the others must get `invalid_grant`. */
async function winners(issuer: Issuer, fields: Fields): Promise<number> {
  const request: TokenRequest = {
    parameters: readParameters(encode(fields)),
    authenticate: async () => (await issuer.findClient('svc', 'i'))!,
    bind: async () => ({}),
    issuers: { find: async () => undefined },
    issuer,
    url: 'i',
    verify: async () => ({ valid: false, reason: 'invalid token' }),
  }
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, () =>
      grantTokens(request).then(
        () => 'won',
        (failure: { error?: string }) => failure.error,
      ),
    ),
  )
  const won = outcomes.filter(outcome => outcome === 'won').length
  return outcomes.filter(outcome => outcome === 'invalid_grant').length === 8 - won ? won : -1
}

t.test('exactly one of eight redeems a code [IDP-33]', async t => {
  const issuer = openIssuer()
  const { stores } = issuer
  await stores.codes.set('c', {
    ...shared,
    redirectUri: callback,
    isRedirectUriGiven: true,
    nonce: undefined,
    challenge: null,
  })
  t.equal(await winners(issuer, { grant_type: 'authorization_code', code: 'c', redirect_uri: callback }), 1)
})

t.test('none of eight with a wrong redirect URI succeeds, and the code is consumed [IDP-33] [IDP-29]', async t => {
  const issuer = openIssuer()
  const { stores } = issuer
  await stores.codes.set('c', {
    ...shared,
    redirectUri: callback,
    isRedirectUriGiven: true,
    nonce: undefined,
    challenge: null,
  })
  t.equal(await winners(issuer, { grant_type: 'authorization_code', code: 'c', redirect_uri: 'http://other/' }), 0)
  t.equal(await stores.codes.count(), 0)
})

t.test('exactly one of eight uses a refresh token, and one new token is issued [IDP-33] [IDP-31]', async t => {
  const issuer = openIssuer()
  const { stores } = issuer
  await stores.refreshTokens.set('r', { ...shared, issuer: 'i', issuedAt: 1, expiresAt: 2 })
  t.equal(await winners(issuer, { grant_type: 'refresh_token', refresh_token: 'r' }), 1)
  t.equal(await stores.refreshTokens.count(), 1)
})
