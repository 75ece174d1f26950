import t from 'tap'
import { PathTrie } from '../../../plugins/mocks/document/path-trie.ts'
import { isMockName, nameFrom } from '../../../plugins/mocks/management/mock-name.ts'
import { answering, compile, documentOf } from '../../integration/mocks/document.ts'

function trieOf(...templates: string[]): PathTrie<string> {
  const trie = new PathTrie<string>()
  for (const template of templates) trie.add(template, template)
  return trie
}

t.test('a path finds the closest template [MOCK-33]', async t => {
  const trie = trieOf(
    '/',
    '/pets',
    '/pets/{id}',
    '/pets/mine',
    '/pets/{id}.json',
    '/pets/{id}:cancel',
    '/pets/{a}-{b}',
    '/a/{x}/c',
    '/{y}/b/d',
    '/files/{path}/',
    '/caf%C3%A9',
  )
  const cases: [string, string | undefined, string[]][] = [
    ['/', '/', []],
    ['/pets', '/pets', []],
    ['/pets/mine', '/pets/mine', []],
    ['/pets/7', '/pets/{id}', ['7']],
    ['/pets/7.json', '/pets/{id}.json', ['7']],
    ['/pets/7:cancel', '/pets/{id}:cancel', ['7']],
    ['/pets/a-b', '/pets/{a}-{b}', ['a', 'b']],
    ['/pets/a-b-c', '/pets/{a}-{b}', ['a', 'b-c']],
    ['/pets/a%2Fb', '/pets/{id}', ['a/b']],
    ['/pets/%C3%A9', '/pets/{id}', ['é']],
    ['/a/b/d', '/{y}/b/d', ['a']],
    ['/a/b/c', '/a/{x}/c', ['b']],
    ['/files/x/', '/files/{path}/', ['x']],
    ['/café', '/caf%C3%A9', []],
    ['/Pets', undefined, []],
    ['/pets/', undefined, []],
    ['//pets', undefined, []],
    ['/pets/7/', undefined, []],
    ['/pets/.json', '/pets/{id}', ['.json']],
    ['/pets/%zz', undefined, []],
    [`/${'a/'.repeat(70)}`, undefined, []],
  ]
  for (const [path, template, values] of cases) {
    const found = trie.find(path)
    t.equal(found?.value, template, path)
    if (template !== undefined) t.same(found?.values, values, `${path} gives its values`)
  }
})

t.test('unreachable templates and duplicate shapes are reported [MOCK-33]', async t => {
  const trie = trieOf('/p/{a}')
  t.same(trie.add('/p/{b}', 'second'), { added: false, unreachable: false, taken: '/p/{a}' })
  t.same(trie.add('/p?x=1', 'query'), { added: false, unreachable: true })
  t.same(trie.add('/p#x', 'fragment'), { added: false, unreachable: true })
  t.same(trie.add('p', 'relative'), { added: false, unreachable: true })
})

t.test('hostile sets of templates are searched in bounded steps [MOCK-33]', async t => {
  const trie = new PathTrie<string>()
  // Each level has three branches, and only the last segment differs.
  const grow = (prefix: string, level: number): void => {
    if (level === 0) return void trie.add(`${prefix}/end`, prefix)
    for (const segment of ['a', '{x}a', '{y}']) grow(`${prefix}/${segment}`, level - 1)
  }
  grow('', 6)
  t.equal(trie.find(`/${'aa/'.repeat(6)}nowhere`), undefined)
})

t.test('templates with the same shape share their methods [MOCK-33]', async t => {
  const api = compile(
    documentOf({
      '/p/{a}': { get: answering({}) },
      '/p/{b}': { get: answering({}, { operationId: 'lost' }), delete: answering({}) },
    }),
  )
  const found = api.match('GET', '/p/1', 'auto')
  t.match(found, { kind: 'operation', operation: { key: 'GET /p/{a}' } })
  const removed = api.match('DELETE', '/p/1', 'auto')
  t.ok(removed.kind === 'operation' && removed.path.get('b') === '1', 'its parameters keep their names')
})

t.test('paths match with and without the path of a server URL [MOCK-34]', async t => {
  const api = compile(
    documentOf(
      { '/pets': { get: answering({}) } },
      {
        servers: [
          { url: 'https://api.example.com/v1/' },
          { url: '/v1/beta' },
          { url: 'https://{host}/{base}', variables: { host: { default: 'h' }, base: { default: 'v2' } } },
          { url: 'https://x' },
        ],
      },
    ),
  )
  t.same(api.serverPaths, ['/v1/beta', '/v1', '/v2'])
  for (const path of ['/pets', '/v1/pets', '/v1/beta/pets', '/v2/pets'])
    t.equal(api.match('GET', path, 'auto').kind, 'operation', path)
  t.equal(api.match('GET', '/v3/pets', 'auto').kind, 'none')
  t.equal(api.match('GET', '/pets', '/v9').kind, 'none')
  t.equal(api.match('GET', '/v9/pets', '/v9/').kind, 'operation')
  t.equal(api.match('GET', '/v9pets', '/v9').kind, 'none')
})

t.test('servers of a path or an operation replace those of the document [MOCK-34]', async t => {
  const api = compile(
    documentOf(
      {
        '/files/content': {
          post: { ...answering({}), operationId: 'upload', servers: [{ url: 'https://upload.example.test/api/2.0' }] },
          get: { ...answering({}), operationId: 'download' },
        },
        '/authorize': { servers: [{ url: 'https://account.example.test/api/oauth2' }], get: answering({}) },
        '/{any}': { servers: [{ url: '/api' }], get: { ...answering({}), operationId: 'any' } },
        '/root': { servers: [{ url: '/' }], get: answering({}) },
      },
      { servers: [{ url: 'https://api.example.test/2.0' }] },
    ),
  )
  const cases: [string, string, string][] = [
    ['POST', '/api/2.0/files/content', 'upload'],
    ['POST', '/files/content', 'upload'],
    ['POST', '/2.0/files/content', 'method'],
    ['GET', '/2.0/files/content', 'download'],
    ['GET', '/api/oauth2/authorize', 'GET /authorize'],
    ['GET', '/authorize', 'GET /authorize'],
    ['GET', '/2.0/authorize', 'none'],
    ['GET', '/api/authorize', 'any'],
    ['GET', '/root', 'GET /root'],
    ['GET', '/2.0/root', 'none'],
  ]
  for (const [method, path, expected] of cases) {
    const match = api.match(method, path, 'auto')
    t.equal(match.kind === 'operation' ? match.operation.key : match.kind, expected, `${method} ${path}`)
  }
  t.equal(api.pathOf(api.operation('upload')!), '/api/2.0')
  t.equal(api.pathOf(api.operation('download')!), '/2.0')
  t.match(api.nearest('/api/oauth2/authorized'), { template: '/api/oauth2/authorize' })
})

t.test('an unsupported method is reported with the allowed methods [MOCK-32]', async t => {
  const api = compile(documentOf({ '/pets': { get: answering({}), post: answering({}) } }))
  t.same(api.match('DELETE', '/pets', 'auto'), { kind: 'method', template: '/pets', allow: ['GET', 'POST', 'HEAD'] })
  t.equal(api.match('HEAD', '/pets', 'auto').kind, 'operation', 'GET serves HEAD')
})

t.test('the closest template is reported with the difference [MOCK-32]', async t => {
  const api = compile(
    documentOf(
      { '/pets/{id}': { get: answering({}) }, '/store/inventory': { get: answering({}) } },
      { servers: [{ url: '/v1' }] },
    ),
  )
  t.same(api.nearest('/v1/pet/7'), { template: '/v1/pets/{id}', reason: 'segment 2 is "pet", expected "pets"' })
  t.match(api.nearest('/store'), { template: '/store/inventory', reason: 'segment 2 ("inventory") is missing' })
  t.match(api.nearest('/store/inventory/today'), {
    template: '/store/inventory',
    reason: '"today" is after the end of the template',
  })
  t.equal(compile(documentOf({})).nearest('/x'), null)
})

t.test('operations are found by id and by method and template [MOCK-2]', async t => {
  const api = compile(
    documentOf({
      '/a': { get: answering({}, { operationId: 'one' }), post: answering({}, { operationId: 'one' }) },
      '/b': { get: answering({}) },
    }),
  )
  t.same(
    api.operations.map(({ key }) => key),
    ['one', 'POST /a', 'GET /b'],
  )
  t.equal(api.operation('GET /a'), api.operation('one'))
  t.equal(api.operation('nothing'), undefined)
  t.equal(api.operation('constructor'), undefined)
})

t.test('names of mocks are validated [MOCK-1]', async t => {
  for (const name of ['a', 'shop', '1-a', 'a'.repeat(64)]) t.ok(isMockName(name), name)
  for (const name of ['', 'Shop', 'shop!', '-a', 'reload', 'check', 'a'.repeat(65), 'a b', 'ä'])
    t.notOk(isMockName(name), name)
  t.equal(nameFrom('  My Shop, Inc. (v2) '), 'my-shop-inc-v2')
  t.equal(nameFrom('***'), '')
})
