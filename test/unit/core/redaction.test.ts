/** Credentials of the control plane and API keys, wherever a request carries them. */
import t from 'tap'
import { createRedaction } from '../../../core/inspector/redaction.ts'

const TOKEN = 'admin-token-1/+x'
const JWT = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhIn0.c2ln'
const redaction = createRedaction({ sharedMode: true, adminToken: TOKEN, isControlToken: value => value === JWT })

t.test('by value in any field [SEC-9]', async t => {
  const hidden: [name: string, value: string, shown: string][] = [
    ['authorization', `Bearer ${TOKEN}`, 'Bearer redacted'],
    ['authorization', TOKEN, 'redacted'],
    ['authorization', `Basic ${Buffer.from(`admin:${TOKEN}`).toString('base64')}`, 'Basic redacted'],
    ['proxy-authorization', `Bearer ${TOKEN}`, 'Bearer redacted'],
    ['proxy-authorization', JWT, 'redacted'],
    ['x-a2a-notification-token', TOKEN, 'redacted'],
    ['cookie', `a=1; token=${TOKEN}`, 'a=1; token=redacted'],
    ['x-original-uri', `/x?token=${encodeURIComponent(TOKEN)}`, '/x?token=redacted'],
    ['x-custom', `before "${JWT}", after`, 'before "redacted", after'],
    ['x-svc-admin-token', 'anything', 'redacted'],
  ]
  for (const [name, value, shown] of hidden) t.equal(redaction.header(name, value), shown, `${name}: ${value}`)
  t.equal(redaction.text(`{"token":"${TOKEN}"}`), '{"token":"redacted"}')
  for (const [name, value] of [
    ['authorization', 'Bearer another-token'],
    ['authorization', 'Basic YTpi'],
    ['x-custom', 'a.b.c'],
    ['cookie', 'a=1'],
  ] as const) {
    t.equal(redaction.header(name, value), value, 'other credentials stay')
  }
})

t.test('API keys in fields that hold a target, and by value everywhere [SEC-9]', async t => {
  for (const name of [
    'x-forwarded-uri',
    'x-original-uri',
    'x-original-url',
    'x-rewrite-url',
    'x-envoy-original-path',
    'referer',
  ]) {
    t.equal(
      redaction.header(name, '/x?a=1&svc_key=key-12345678&%72b_key=z'),
      '/x?a=1&svc_key=redacted&%72b_key=redacted',
      name,
    )
  }
  t.equal(redaction.header('x-any', 'the key-12345678 again', 'key-12345678'), 'the redacted again')
  t.equal(redaction.url('/key-12345678/x', 'key-12345678'), '/redacted/x')
  t.equal(
    redaction.header('x-any', 'a-short-word', 'short'),
    'a-short-word',
    'a short secret is replaced as a whole word only',
  )
  t.equal(redaction.header('x-any', 'a short word', 'short'), 'a redacted word')
})

t.test('nothing is scanned if there is nothing to redact [SEC-9]', async t => {
  const open = createRedaction({ sharedMode: false, adminToken: null, isControlToken: null })
  t.ok(open.isByNameOnly)
  t.equal(open.header('authorization', `Bearer ${TOKEN}`), `Bearer ${TOKEN}`)
  t.equal(open.url('/x?svc_key=abc'), '/x?svc_key=abc')
})
