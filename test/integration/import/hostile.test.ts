/** `svc import` of files that are made to do harm. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import { importInto, serveImported } from '../../support/imports/imported.ts'

/** A folder with these files. */
function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-import-hostile-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

function fileWith(content: string, name = 'stubs.json'): string {
  return join(folderWith({ [name]: content }), name)
}

function stub(response: object, request: object = { url: '/x' }): string {
  return JSON.stringify({ request, response })
}

t.test('names that every object inherits are names like any other', async t => {
  const imported = await importInto(t, [
    fileWith(`{
      "request": { "url": "/a", "headers": { "constructor": { "equalTo": "y" }, "__proto__": { "equalTo": "x" } } },
      "response": { "headers": { "constructor": "a", "__proto__": "b" }, "fault": "constructor" }
    }`),
  ])
  t.equal(imported.code, 0, imported.errors)
  const rules = imported.read(join('rules', readdirSync(join(imported.folder, 'rules'))[0]!))
  t.match(rules, /constructor:\n\s+equals: y/)
  t.match(rules, /__proto__:\n\s+equals: x/)
  t.match(rules, /constructor: a/)
  t.match(rules, /__proto__: b/)
  t.match(imported.errors, /response\.fault/)
})

t.test('members without number, and rules of one name, take little time', async t => {
  const members = Array.from({ length: 100_000 }, (_, number) => `"k${number}": 1`)
  const stub = '{"name": "x", "request": {"url": "/x"}, "response": {}}'
  const imported = await importInto(t, [
    fileWith(
      `{"mappings": [{"request": {"url": "/x", ${members.join(',\n')}}, "response": {}}, ${Array.from({ length: 50_000 }, () => stub).join(',\n')}]}`,
    ),
    '--from',
    'wiremock',
  ])
  t.match(imported.errors, /only 10000 findings are listed/)
  const { counts } = imported.report()
  t.match(counts, { wiremock: { found: 50_001, imported: 2000, disabled: 0, skipped: 48_001 } })
})

t.test('documents that grow or nest are refused with their position', async t => {
  const letters = 'abcdefghi'
  const laughs = [...letters]
    .map(
      (letter, index) =>
        `${letter}: &${letter} [${Array(9)
          .fill(index === 0 ? 'lol' : `*${letters[index - 1]!}`)
          .join(',')}]`,
    )
    .join('\n')
  const nested = '['.repeat(200_000)
  for (const [name, content, expected] of [
    ['laughs.yaml', laughs, /an anchor is used more than 100 times/],
    ['cycle.yaml', 'a: &a [*a]', /cycle\.yaml:1:8: skipped: alias inside its own anchor/],
    ['nested.json', nested + ']'.repeat(200_000), /nested more than 100 levels deep/],
    ['nested.yaml', `a: ${nested}`, /nested more than 100 levels deep/],
    ['number.yaml', `version: ${'9'.repeat(1_000_000)}\ninteractions: []`, /no tool is known that writes such files/],
  ] as const) {
    const { code, errors } = await importInto(t, [fileWith(content, name)])
    t.equal(code, 2, name)
    t.match(errors, expected, name)
  }
})

t.test('pipes and devices are not read', { skip: process.platform === 'win32' && 'there are no pipes' }, async t => {
  const folder = folderWith({ 'stub.json': stub({ bodyFileName: 'pipe.txt' }), '__files/text.txt': 'hi' })
  const pipe = join(folder, 'pipe.json')
  execFileSync('mkfifo', [pipe, join(folder, '__files', 'pipe.txt')])
  for (const path of [pipe, '/dev/zero']) {
    const { code, errors } = await importInto(t, [path])
    t.equal(code, 2, path)
    t.match(errors, /is neither a file nor a folder/, path)
  }
  const { code, errors } = await importInto(t, [folder])
  t.equal(code, 0, errors)
  t.match(errors, /pipe\.json:1:1: skipped: it is not a file/)
  t.match(errors, /bodyFileName: it is not a file; the response has no body/)
})

t.test('links that lead to their own folder are followed once', async t => {
  const folder = folderWith({ 'a/stub.json': stub({ body: 'a' }) })
  for (let number = 0; number < 20; number++) symlinkSync('.', join(folder, 'a', `loop${number}`))
  symlinkSync(tmpdir(), join(folder, 'outside'))
  const imported = await importInto(t, [folder])
  t.equal(imported.code, 0)
  t.match(imported.report().counts, { wiremock: { found: 1, imported: 1 } })
  t.match(imported.errors, /outside:1:1: skipped: a symbolic link leaves the folder/)
})

t.test('bodies outside the folder are lost', async t => {
  const outside = fileWith('secret', 'secret.txt')
  const folder = folderWith({ '__files/in.txt': 'in', 'mappings/in.json': stub({ bodyFileName: 'in.txt' }) })
  symlinkSync(outside, join(folder, '__files', 'link.txt'))
  symlinkSync(dirname(outside), join(folder, '__files', 'linked'))
  for (const [index, name] of [
    '../../secret.txt',
    outside,
    'link.txt',
    'linked/secret.txt',
    'a/../../../x',
    '\0',
  ].entries())
    writeFileSync(join(folder, 'mappings', `${index}.json`), stub({ bodyFileName: name }))
  const imported = await importInto(t, [folder])
  t.equal(imported.code, 0)
  t.match(imported.report().counts, { wiremock: { found: 7, imported: 7, lost: 6 } })
  t.strictSame(readdirSync(join(imported.folder, 'rules', 'files')), ['in.txt'])
})

t.test('files of one name keep their content', async t => {
  const folder = folderWith({
    'one/mappings/a.json': stub({ bodyFileName: '../mappings/../__files/b.txt' }, { url: '/one' }),
    'one/__files/b.txt': 'one',
    'two/mappings/a.json': stub({ bodyFileName: 'b.txt' }, { url: '/two' }),
    'two/__files/b.txt': 'two',
    'two/mappings/c.json': stub({ bodyFileName: 'b.txt' }, { url: '/three' }),
  })
  const imported = await importInto(t, [join(folder, 'one', 'mappings'), join(folder, 'two')])
  t.equal(imported.code, 0, imported.errors)
  const server = await serveImported(t, imported.folder)
  t.strictSame(server.host.loadErrors, [])
  for (const [path, body] of [
    ['/one', 'one'],
    ['/two', 'two'],
    ['/three', 'two'],
  ] as const)
    t.equal(await (await fetch(server.url + path)).text(), body, path)
})

t.test('references that leave the document are not read', async t => {
  const reference = ($ref: string): object => ({ get: { responses: { 200: { $ref } } } })
  const { code, errors, folder } = await importInto(t, [
    fileWith(
      JSON.stringify({
        openapi: '3.0.3',
        info: { title: 'x', version: '1' },
        paths: {
          '/remote': reference('http://127.0.0.1:9/a.json'),
          '/file': reference('file:///etc/hostname'),
          '/above': reference('../../../etc/hostname'),
          '/itself': { $ref: '#/paths/~1itself' },
        },
      }),
    ),
  ])
  t.equal(code, 0)
  for (const path of ['/remote', '/file', '/above', '/itself']) t.match(errors, new RegExp(`skipped: paths\\.${path}`))
  t.notOk(existsSync(join(folder, 'mocks')))
})

t.test('numbers beyond all bounds are findings, and what is written can be loaded', async t => {
  const stubs = [
    '{"request":{"url":"/a"},"response":{"fixedDelayMilliseconds":1e308},"priority":-1e300}',
    '{"request":{"url":"/b"},"response":{"body":"abc","chunkedDribbleDelay":{"numberOfChunks":1e9,"totalDuration":1e300}}}',
    '{"request":{"url":"/c"},"response":{"delayDistribution":{"type":"uniform","lower":0,"upper":80000}}}',
    `{"request":{"url":"/d"},"response":{"status":${'9'.repeat(100_000)}}}`,
  ]
  const imported = await importInto(t, [fileWith(`{"mappings":[${stubs.join(',')}]}`)])
  t.equal(imported.code, 0, imported.errors)
  t.match(imported.errors, /fixedDelayMilliseconds: svc waits for at most 30 seconds/)
  t.match(imported.errors, /numberOfChunks: at most 200 parts are sent/)
  t.match(imported.errors, /totalDuration: svc waits for at most 30 seconds/)
  t.match(imported.errors, /delayDistribution: svc waits for at most 30 seconds/)
  t.match(imported.errors, /status: expected a status from 200 to 599; 200 is sent/)
  const server = await serveImported(t, imported.folder)
  t.strictSame(server.host.loadErrors, [])
})

t.test('members of a wrong type are findings', async t => {
  const wiremock = await importInto(t, [
    fileWith(
      JSON.stringify({
        request: { url: '/a', method: 7, headers: 'x', bodyPatterns: {} },
        response: { fixedDelayMilliseconds: '100', headers: ['a'], statusMessage: 1 },
        priority: 'high',
      }),
    ),
  ])
  for (const expected of [
    'request.method: expected an object',
    'request.headers: expected an object',
    'request.bodyPatterns: expected a list',
    'response.fixedDelayMilliseconds: expected a number',
    'response.headers: expected an object',
    'response.statusMessage: expected a text',
    'priority: expected a number',
  ])
    t.ok(wiremock.errors.includes(expected), expected)
  t.match(wiremock.report().counts, { wiremock: { disabled: 1 } })
  const mockoon = await importInto(t, [
    fileWith(
      JSON.stringify({ lastMigration: 33, routes: [1, { method: 'get', endpoint: 'a', responses: ['x', {}] }] }),
    ),
  ])
  t.match(mockoon.errors, /routes\[0\]: expected an object/)
  t.match(mockoon.errors, /routes\[1\]\.responses\[0\]: expected an object/)
})

t.test('a finding has no control characters', async t => {
  const { errors } = await importInto(t, [fileWith('{"request": {"url": "/a", "\\u001b[31mred": 1}, "response": {}}')])
  t.match(errors, /red: svc import does not know this member/)
  t.notOk(errors.includes('\u001b'))
})
