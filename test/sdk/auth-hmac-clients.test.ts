/** Clients that sign requests: http-signature, and http-message-signatures with draft-cavage. */
import t from 'tap'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import httpSignature from 'http-signature'
import { cavage, createSigner } from 'http-message-signatures'
import { call } from '../support/oauth.ts'
import { serve } from '../support/server.ts'

const server = await serve(t)
const url = `${server.url}/auth/hmac?x=%2F1`

for (const algorithm of ['hmac-sha1', 'hmac-sha256', 'hmac-sha512']) {
  t.test(`http-signature signs with ${algorithm} [AUTH-17]`, async t => {
    for (const headers of [['date'], ['(request-target)', 'date', 'host'], ['request-line', 'date']]) {
      const sent = request(url, { headers: { Date: new Date().toUTCString() } })
      httpSignature.signRequest(sent, { keyId: 'alice', key: 'secret', algorithm, headers })
      sent.end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      t.match(await json(response), {
        authenticated: true,
        username: 'alice',
        claims: { algorithm, signed_headers: headers.join(' ') },
      })
    }
  })
}

t.test('http-signature with another key is rejected [AUTH-17] [AUTH-12]', async t => {
  const sent = request(url, { headers: { Date: new Date().toUTCString() } })
  httpSignature.signRequest(sent, { keyId: 'alice', key: 'other', algorithm: 'hmac-sha256', headers: ['date'] })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  t.match(await json(response), { error: 'unauthorized: signature mismatch' })
})

t.test('http-message-signatures sends a bare Signature header [AUTH-17] [AUTH-8]', async t => {
  const key = createSigner('secret', 'hmac-sha256', 'alice')
  const signed = await cavage.signMessage(
    { key, fields: ['@request-target', 'date', 'host'], params: ['keyid', 'alg'] },
    {
      method: 'GET',
      url,
      headers: { Date: new Date().toUTCString(), Host: new URL(url).host },
    },
  )
  const { status, body } = await call(url, { headers: signed.headers as Record<string, string> })
  t.match(
    { status, body },
    {
      status: 200,
      body: { header: 'Signature', username: 'alice', claims: { signed_headers: '(request-target) date host' } },
    },
  )
})
