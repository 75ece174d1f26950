/** Credentials of requests. */
import t from 'tap'
import {
  isSameSecret,
  readAuthorization,
  readBasicCredentials,
  readBearerToken,
} from '../../../core/fields/authorization.ts'

t.test('scheme and credentials are separated', async t => {
  const rows: [string | undefined, ReturnType<typeof readAuthorization>][] = [
    ['Bearer abc', { scheme: 'bearer', credentials: 'abc' }],
    ['  BASIC \t YTpi  ', { scheme: 'basic', credentials: 'YTpi' }],
    ['hmac username="a b"', { scheme: 'hmac', credentials: 'username="a b"' }],
    ['Bearer', { scheme: 'bearer', credentials: '' }],
    ['', null],
    ['   ', null],
    [undefined, null],
  ]
  for (const [value, expected] of rows) t.strictSame(readAuthorization(value), expected, JSON.stringify(value))
})

t.test('a bearer token follows Bearer, case-insensitive', async t => {
  t.equal(readBearerToken('bEARER  x.y.z '), 'x.y.z')
  for (const value of ['Bearer', 'Bearer ', 'Basic eDp5', 'Bearerx', undefined])
    t.equal(readBearerToken(value), null, JSON.stringify(value))
})

t.test('Basic credentials are base64 of UTF-8, split at the first colon', async t => {
  const encode = (text: string): string => Buffer.from(text).toString('base64')
  t.strictSame(readBasicCredentials(encode('a:b:c')), { username: 'a', password: 'b:c' })
  t.strictSame(readBasicCredentials(encode('ü:é')), { username: 'ü', password: 'é' })
  t.strictSame(readBasicCredentials(encode(':')), { username: '', password: '' })
  t.strictSame(readBasicCredentials('YTpi'), { username: 'a', password: 'b' })
  for (const credentials of ['', '%%%', encode('nocolon'), 'a:b', 'YT pi'])
    t.equal(readBasicCredentials(credentials), null, JSON.stringify(credentials))
})

t.test('secrets are equal only if all bytes are equal', async t => {
  t.ok(isSameSecret('sécret', Buffer.from('sécret')))
  for (const other of ['', 'secre', 'secret ', 'Secret']) t.notOk(isSameSecret(other, 'secret'), JSON.stringify(other))
})
