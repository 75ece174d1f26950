/** Session keys. */
import t from 'tap'
import { sessionKey } from '../../../core/sessions.ts'

t.test('uses a valid header [SESSION-1]', async t => {
  for (const value of ['a', 'team-7', 'A.b_c:d-9', 'ip:10.0.0.9', ':', '0', 'x'.repeat(128), '__proto__']) {
    t.match(sessionKey(value, '1.2.3.4'), { label: value, header: value }, value)
  }
  t.equal(sessionKey('  team-7\t', '1.2.3.4').header, 'team-7')
})

t.test('uses the address without a header [SESSION-1]', async t => {
  t.match(sessionKey(undefined, '1.2.3.4'), { label: 'ip:1.2.3.4', header: null })
  t.match(sessionKey(undefined, '2001:db8::1'), { label: 'ip:2001:db8::1', header: null })
})

t.test('ignores an invalid header, never truncates it [SESSION-2]', async t => {
  const invalid = [
    '',
    ' ',
    'a b',
    'a,b',
    'a, b',
    'a/b',
    'caf\u00e9',
    'a\u0661',
    'x'.repeat(129),
    'x'.repeat(100_000),
    ' '.repeat(100_000),
    'a\nb',
    'a@b',
    '"a"',
    'a%20',
  ]
  for (const value of invalid)
    t.strictSame(sessionKey(value, '1.2.3.4'), sessionKey(undefined, '1.2.3.4'), value.slice(0, 40))
})

t.test('separates header and address sessions with the same text [SESSION-3]', async t => {
  const address = sessionKey(undefined, '10.0.0.9')
  for (const value of [address.label, address.key]) {
    const header = sessionKey(value, '10.0.0.9')
    t.not(header.key, address.key, value)
    t.equal(header.label, value)
  }
  t.equal(sessionKey('a', '1.1.1.1').key, sessionKey('a', '2.2.2.2').key)
  t.not(sessionKey('a', '1.1.1.1').key, sessionKey('A', '1.1.1.1').key)
})
