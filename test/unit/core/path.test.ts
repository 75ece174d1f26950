/** The decoded path, compared with what the router itself matches. */
import FindMyWay from 'find-my-way'
import t from 'tap'
import { decodedPath, isBelow, originForm } from '../../../core/fields/request-target.ts'

t.test('is the path without query, decoded [PATH-1]', async t => {
  const rows: [url: string, path: string][] = [
    ['/', '/'],
    ['/uuid', '/uuid'],
    ['/uuid?a=1', '/uuid'],
    ['/uuid?a=%zz', '/uuid'],
    ['/a?b?c', '/a'],
    ['/a#b', '/a'],
    ['/a#b?c', '/a'],
    ['/a?b#c', '/a'],
    ['/%5Fsvc/config', '/_svc/config'],
    ['/%5fsvc/config?x', '/_svc/config'],
    ['/%75%69', '/ui'],
    ['/a%20b', '/a b'],
    ['/%C3%A9', '/\u00e9'],
    ['/a%2Fb', '/a%2Fb'],
    ['/_svc%2Fconfig', '/_svc%2Fconfig'],
    ['/a%3Fb', '/a%3Fb'],
    ['/%255Fsvc', '/%5Fsvc'],
    ['//a', '//a'],
    ['/a/../b', '/a/../b'],
    ['/a/', '/a/'],
    ['*', '*'],
    ['/a;b', '/a;b'],
    ['/a+b', '/a+b'],
  ]
  for (const [url, path] of rows) t.equal(decodedPath(url), path, url)
})

t.test('uses the path of an absolute target [PATH-2]', async t => {
  const rows: [url: string, target: string | null][] = [
    ['http://host/path', '/path'],
    ['http://host/path?q=1', '/path?q=1'],
    ['https://host:8443/a/b', '/a/b'],
    ['HTTP://HOST/X', '/X'],
    ['http://host', '/'],
    ['http://host?a=/_svc', '/?a=/_svc'],
    ['http://user@host/x', '/x'],
    ['http://[::1]:80/x', '/x'],
    ['http://h/a/../b', '/a/../b'],
    ['http://h//b', '//b'],
    ['/http://host/x', '/http://host/x'],
    ['*', '*'],
    ['/', '/'],
    ['http://', null],
    ['http:///x', null],
    ['http://?x', null],
    ['ftp://host/x', null],
    ['foo', null],
    ['', null],
    ['*x', null],
    ['http:/x', null],
    ['http://h/x#y', null],
    [`http://${'a'.repeat(100_000)}`, '/'],
    [`http${':'.repeat(100_000)}`, null],
  ]
  for (const [url, target] of rows) t.equal(originForm(url), target, url.slice(0, 40))
  t.equal(decodedPath('http://host/%5Fsvc/config?x=1'), '/_svc/config')
  t.equal(decodedPath('http://host?a=/_svc'), '/')
  t.equal(decodedPath('ftp://host/x'), null)
})

t.test('returns no path for malformed percent-encoding [PATH-3]', async t => {
  for (const url of [
    '/%',
    '/%2',
    '/%zz',
    '/a%E0%A4%A',
    '/%ff',
    '/%C3',
    '/%C0%AF',
    '/%ED%A0%80',
    '/ok%',
    'http://h/%zz',
    `/${'%'.repeat(100_000)}`,
  ]) {
    t.equal(decodedPath(url), null, url.slice(0, 40))
  }
  t.equal(decodedPath(`/${'%41'.repeat(30_000)}`), `/${'A'.repeat(30_000)}`)
})

t.test('no path that rules read differently reaches a protected route [PATH-1]', async t => {
  const router = FindMyWay({ caseSensitive: true })
  router.on('GET', '/_svc/config', () => {}, 'protected')
  const targets = [
    '/_svc/config',
    '/%5Fsvc/config',
    '/%5fsvc%2Fconfig',
    '/_svc/confi%67',
    '/_svc/config?x',
    '/_svc/config#x',
    '/%255Fsvc/config',
    '/_svc%252Fconfig',
    '//_svc/config',
    '/x/../_svc/config',
    '/_SVC/config',
    '/_svc/config/',
    '/_svc/config;x',
    'http://h/_svc/config',
    'http://h/%5Fsvc/config',
    'http://h?a=/_svc/config',
    'http://h?/_svc/config',
    'http://h/x/../_svc/config',
    'HTTPS://h/_svc/config',
    'http://h//_svc/config',
    'http://h\\/_svc/config',
  ]
  let reached = 0
  for (const target of targets) {
    if (router.find('GET', target) === null) continue
    reached++
    t.equal(decodedPath(target), '/_svc/config', target)
  }
  t.ok(reached >= 6, 'the table holds targets that the router does match')
})

t.test('is below a prefix if it equals the prefix or continues after a slash [PATH-4]', async t => {
  for (const path of ['/_svc', '/_svc/', '/_svc/x', '/_svc//x']) t.equal(isBelow(path, '/_svc'), true, path)
  for (const path of ['/_svcx', '/_sv', '/', '', '/_SVC', '/a/_svc', '/_svc%2Fx', '/_svc?x'])
    t.equal(isBelow(path, '/_svc'), false, path)
})
