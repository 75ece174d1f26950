/** The memory of full stores: the identity provider [HARD-12]. Runs alone: it measures the heap. */
import t from 'tap'
import type { AuthorizationCode } from '../../../plugins/identity/stores/records.ts'
import { issuerSettings } from '../../../plugins/identity/settings/issuer-settings.ts'
import { openAddedIssuers, openKeyRecords, openStores } from '../../../plugins/identity/stores/stores.ts'
import { pluginState } from '../../support/plugin-state.ts'
import { ascii, bounded, MIB, own, slice, times, wide, wideFor } from '../../support/store-memory.ts'

t.test(
  'identity: svc.state "codes", "refresh-tokens", "clients", "access-tokens", "device-codes", "pushed-requests", "sessions" [HARD-12]',
  async t => {
    const login = {
      user: { username: 'demo', name: 'Demo User', email: 'demo@svc.local', groups: ['users'] },
      authTime: 1,
    }
    /** As many names as fit into 1,000 characters, or one cut from a large text. */
    const scopes = (): string[] => Array.from({ length: 500 }, (_, index) => ascii(`s${index % 9}`))
    await t.test('codes', async t =>
      bounded(t, 32 * MIB, async () => {
        const { codes } = openStores(pluginState({ publicMode: false }).svc)
        const code = (index: number): AuthorizationCode => ({
          clientId: slice(index),
          redirectUri: slice(index + 1),
          isRedirectUriGiven: true,
          login,
          scope: scopes(),
          resources: [slice(index + 2)],
          nonce: wide(500),
          challenge: null,
        })
        await times(4_000, index => codes.set(`code ${index}`, code(index)))
        return codes
      }),
    )
    await t.test('refresh-tokens', async t =>
      bounded(t, 32 * MIB, async () => {
        const { refreshTokens } = openStores(pluginState({ publicMode: false }).svc)
        await times(10_000, index =>
          refreshTokens.set(`rt_${index}`, {
            clientId: slice(index),
            login,
            scope: [slice(index)],
            resources: [slice(index), wide(1000)],
            issuer: ascii('https://svc.example'),
            issuedAt: index + 0.5,
            expiresAt: index + 1.5,
          }),
        )
        return refreshTokens
      }),
    )
    await t.test('clients', async t =>
      bounded(t, 32 * MIB, async () => {
        const { clients } = openStores(pluginState({ publicMode: false }).svc)
        await times(1_000, index =>
          clients.set(`dyn-${index}`, {
            id: `dyn-${index}`,
            name: wide(200),
            secret: ascii(`secret ${index}`),
            grantTypes: ['authorization_code'],
            redirectUris: Array.from({ length: 10 }, () => wide(5_000)),
            scope: scopes(),
          }),
        )
        return clients
      }),
    )
    await t.test('device-codes', async t =>
      bounded(t, 32 * MIB, async () => {
        const { deviceCodes } = openStores(pluginState({ publicMode: false }).svc)
        await times(10_000, index =>
          deviceCodes.set(`code ${index}`, {
            secret: ascii(`secret ${index}`),
            clientId: slice(index),
            scope: scopes(),
            resources: [slice(index), wide(1000)],
            expiresAt: index + 0.5,
            intervalS: 1.5,
            polledAt: index + 1.5,
            isTooFast: false,
            decision: { login },
          }),
        )
        return deviceCodes
      }),
    )
    await t.test('pushed-requests', async t =>
      bounded(t, 32 * MIB, async () => {
        const { pushedRequests } = openStores(pluginState({ publicMode: false }).svc)
        await times(10_000, index =>
          pushedRequests.set(`urn ${index}`, {
            clientId: slice(index),
            parameters: [
              ['client_id', slice(index)],
              ['state', wideFor(4096)],
              ...Array.from({ length: 5 }, (): [string, string] => ['resource', slice(index)]),
            ],
            isSigned: false,
            expiresAt: index + 0.5,
          }),
        )
        return pushedRequests
      }),
    )
    await t.test('sessions', async t =>
      bounded(t, 32 * MIB, async () => {
        const { sessions } = openStores(pluginState({ publicMode: false }).svc)
        await times(20_000, index =>
          sessions.set(
            `sid ${index}`,
            { username: wide(100), clientId: slice(index), issuer: slice(index + 1) },
            { group: ascii(`issuer-${index % 2}`) },
          ),
        )
        return sessions
      }),
    )
    await t.test('access-tokens', async t =>
      bounded(t, 32 * MIB, async () => {
        const { accessTokens } = openStores(pluginState({ publicMode: false }).svc)
        await times(10_000, index =>
          accessTokens.set(`at_${index}`, {
            claims: { sub: slice(index), aud: [slice(index), wide(1000)], exp: index + 0.5, scope: wideFor(1000) },
          }),
        )
        return accessTokens
      }),
    )
  },
)

t.test('identity: svc.state "client-documents", "key-sets" [HARD-12]', async t => {
  const key = () => ({ kty: ascii('RSA'), n: wide(1500), e: ascii('AQAB'), kid: wide(1500) })
  await t.test('client-documents', async t =>
    bounded(t, 4 * MIB, async () => {
      const { clientDocuments } = openStores(pluginState({ publicMode: false }).svc)
      await times(200, index =>
        clientDocuments.set(`https://${index}.test/client`, {
          id: slice(index),
          name: wide(200),
          secret: null,
          auth: 'private_key_jwt',
          jwks: Array.from({ length: 10 }, key),
          grantTypes: ['authorization_code'],
          redirectUris: Array.from({ length: 10 }, () => wide(2_000)),
          hasAnyLoopbackPort: true,
          scope: [],
        }),
      )
      return clientDocuments
    }),
  )
  await t.test('key-sets', async t =>
    bounded(t, 4 * MIB, async () => {
      const { keySets } = openStores(pluginState({ publicMode: false }).svc)
      await times(200, index => keySets.set(`https://${index}.test/jwks`, Array.from({ length: 10 }, key)))
      return keySets
    }),
  )
})

t.test('identity: svc.state "issuer-keys", "issuers" [HARD-12]', async t => {
  await t.test('issuer-keys', async t =>
    bounded(t, 16 * MIB, async () => {
      const records = openKeyRecords(pluginState({ publicMode: false }).svc)
      await times(400, index =>
        records.set(`issuer-${index}`, {
          keys: Array.from({ length: 8 }, (_, key) => ({
            kid: ascii(`issuer-${index}-rs256-${key}`),
            alg: 'RS256' as const,
            jwk: Object.fromEntries(['n', 'd', 'p', 'q', 'dp', 'dq', 'qi'].map(name => [name, ascii('x'.repeat(342))])),
            from: index + 0.5,
            until: null,
          })),
          switches: Array.from({ length: 16 }, (_, at) => ({ at: at + 0.5, kid: ascii(`issuer-${index}-${at}`) })),
          numbers: { RS256: 8 },
          rotatedAt: 0.5,
          algorithms: ['RS256' as const],
        }),
      )
      return records
    }),
  )
  await t.test('issuers', async t =>
    bounded(t, 4 * MIB, async () => {
      const issuers = openAddedIssuers(pluginState({ publicMode: false }).svc)
      await times(100, index => {
        const settings = issuerSettings.read(
          {
            name: `issuer-${index}`,
            title: wide(200),
            users: Array.from({ length: 50 }, (_, user) => ({
              name: own(`ж${user}`),
              password: wide(200),
              groups: [slice(user)],
            })),
          },
          '',
        )
        return issuers.set(settings.name, settings)
      })
      return issuers
    }),
  )
})
