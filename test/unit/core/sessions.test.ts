/** Session keys. */
import t from 'tap'
import { takeSessionPrefix } from '../../../core/fields/session-prefix.ts'
import { sessionInHeaders, sessionKey } from '../../../core/sessions.ts'

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

t.test('removes the prefix of a path, once [SESSION-4]', async t => {
  const rows: [target: string, session: string | null, rest: string][] = [
    ['/s/a', 'a', '/'],
    ['/s/a/', 'a', '/'],
    ['/s/a?x=1', 'a', '/?x=1'],
    ['/s/t-1/echo/b?c=/s/d', 't-1', '/echo/b?c=/s/d'],
    ['/s/a/s/b/echo', 'a', '/s/b/echo'],
    ['/%73/a/echo', 'a', '/echo'],
    ['/s/%74-1/echo', 't-1', '/echo'],
    ['/s/a:b/_svc/config', 'a:b', '/_svc/config'],
    ['/.well-known/x/s/a/rest', 'a', '/.well-known/x/rest'],
    ['/.well-known/x/s/a', 'a', '/.well-known/x'],
    ['/s', null, ''],
    ['/s/', null, ''],
    ['/s//echo', null, ''],
    ['/s/a%20b/echo', null, ''],
    ['/s/a%2Fb/echo', null, ''],
    ['/s/%zz/echo', null, ''],
    [`/s/${'x'.repeat(129)}/echo`, null, ''],
    ['/S/a/echo', null, ''],
    ['/sse/a', null, ''],
    ['/echo/s/a', null, ''],
    ['/.well-known/s/a', null, ''],
    ['*', null, ''],
  ]
  for (const [target, session, rest] of rows)
    t.strictSame(takeSessionPrefix(target), session === null ? null : { session, target: rest }, target.slice(0, 60))
})

t.test('finds the name in headers, baggage and credentials, in this order [SESSION-5]', async t => {
  const find = (headers: Record<string, string>, hasApiKeys = false): unknown =>
    sessionInHeaders({ header: name => headers[name], extraHeaders: ['x-test-id'], hasApiKeys })
  const rows: [headers: Record<string, string>, name: string | null, from: string][] = [
    [{ 'x-svc-session': 'a', 'x-test-id': 'b', baggage: 'svc.session=c' }, 'a', 'header'],
    [{ 'x-svc-session': 'a b', 'x-test-id': 'b' }, 'b', 'header'],
    [{ 'x-test-id': 'b', baggage: 'svc.session=c' }, 'b', 'header'],
    [{ baggage: 'x=1, svc.session = c ;p=1,svc.session=d', authorization: 'Bearer svc-session-e' }, 'c', 'baggage'],
    [{ baggage: 'svc.session=%63-1' }, 'c-1', 'baggage'],
    [{ baggage: 'svc.session=a%20b' }, null, ''],
    [{ baggage: 'svc.sessions=c' }, null, ''],
    [{ authorization: 'Bearer svc-session-e' }, 'e', 'key'],
    [{ authorization: 'bearer  sk-svc-session-e' }, 'e', 'key'],
    [{ authorization: 'Basic svc-session-e' }, null, ''],
    [{ authorization: 'Bearer svc-session-' }, null, ''],
    [{ authorization: 'Bearer x-svc-session-e' }, null, ''],
    [{ 'x-api-key': 'svc-session-e' }, 'e', 'key'],
    [{ 'api-key': 'svc-session-e' }, 'e', 'key'],
    [{ 'x-goog-api-key': 'sk-svc-session-e' }, 'e', 'key'],
    [{ 'x-svc-key': 'svc-session-e' }, 'e', 'key'],
    [{ cookie: 'svc-session=e' }, null, ''],
    [{ 'x-api-key': `svc-session-${'x'.repeat(129)}` }, null, ''],
  ]
  for (const [headers, name, from] of rows)
    t.strictSame(find(headers), name === null ? null : { name, from }, JSON.stringify(headers).slice(0, 80))
  t.equal(find({ 'x-svc-key': 'svc-session-e' }, true), null, 'it is an API key in shared mode')
  t.equal(find({ baggage: `${'x=1,'.repeat(5000)}svc.session=a` }), null)
})
