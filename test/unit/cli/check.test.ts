/** `svc check` with common mistakes. Takes long: each mistake checks all plugins. */
import t from 'tap'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { svc } from '../../support/terminal.ts'

/** Checks a file with this content. `files` are written to the same folder. */
async function check(
  t: { testdir(): string },
  yaml: string,
  { env = {}, files = {} }: { env?: Record<string, string>; files?: Record<string, string> } = {},
) {
  const folder = t.testdir()
  for (const [path, content] of Object.entries({ ...files, 'svc.yaml': yaml })) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return { folder, ...(await svc(['check'], { folder, env })) }
}

t.test('a valid file gives exit code 0 [CLI-6]', async t => {
  t.match(await check(t, 'plugins: { disable: [soap] }\nmcp: { servers: [{ name: support }] }\n'), {
    code: 0,
    output: /^svc\.yaml: 0 errors, 0 warnings, \d+ of \d+ plugins enabled\n$/,
    errors: '',
  })
  t.match(await svc(['check'], { folder: t.testdir() }), { code: 0, output: /^no svc\.yaml, using defaults: 0 errors/ })
})

t.test('every mistake is reported with place and remedy [CLI-6]', async t => {
  const { code, output } = await check(
    t,
    `plugins:
  disabel: [grpc]
  disable: [sope]
  dirs: [./mine, ./nowhere, ./empty]
  packages: ["@acme/svc-plugin-orders"]
mcp:
  servers:
    - name: support
      auth: opne
      tools: lookup
    - title: No name
llm:
  providers:
    - { name: acme, format: openai, strict_models: "yes", latency: { ttft_ms: -5 } }
    - { name: other, format: nope }
mpc: {}
echo: { a: 1 }
mocks:
  - name: shop
    spec: ./shop.yaml
`,
    { files: { 'mine/broken/index.ts': 'export default {\n  title: 1 +\n', 'empty/readme.txt': '' } },
  )
  t.equal(code, 1)
  for (const [place, message, remedy] of [
    ['2:3', 'unknown key "disabel" \\(did you mean "disable"\\?\\)', 'write disable'],
    ['3:13', 'unknown plugin "sope" \\(did you mean "soap"\\?\\)', 'write soap'],
    ['4:18', 'the folder \\S+/nowhere does not exist', 'create it'],
    ['4:29', 'the folder \\S+/empty contains no plugin', '.*new-plugin'],
    ['5:14', "plugin orders: the package .* can't be resolved", 'install it with npm'],
    ['9:7', 'expected "open", "apikey" or "oauth"', 'use one of the listed values'],
    ['10:7', 'expected array, got string', 'write a list'],
    ['11:7', 'missing key "name"', 'add "name: \\.\\.\\."'],
    ['14:37', 'expected boolean, got string', 'write true or false, without quotes'],
    ['14:70', 'expected at least 0', 'change the value'],
    ['15:22', 'unknown format "nope"', 'write one of these'],
    ['16:1', 'unknown key "mpc" \\(did you mean "mcp"\\?\\)', 'write mcp'],
    ['17:1', 'the plugin echo has no options', 'remove the section'],
    ['20:5', "shop\\.yaml can't be read \\(ENOENT\\)", 'correct the path'],
  ])
    t.match(
      output,
      new RegExp(`^svc\\.yaml:${place}: error: \\S+: ${message}.*\\n    ${remedy}`, 'm'),
      `${place}: ${message}`,
    )
  t.match(output, /^mine\/broken\/index\.ts:3:1: error: plugin broken: Unexpected .*\n {4}correct its code/m)
  t.match(output, /\nsvc\.yaml: 15 errors, 0 warnings, \d+ of \d+ plugins enabled\n$/)
})

t.test('mistakes hidden by other mistakes are found in the same run [CLI-6]', async t => {
  const { code, output } = await check(
    t,
    `mcp:
  servers:
    - { name: support, auth: opne, tools: [lookup_custmer] }
    - { name: Upper, tools: [ecoh] }
    - { tools: [what_ever] }
    - { name: weather, tools: [ecoh] }
llm:
  providers:
    - { name: acme, format: openay, strict_models: "yes", fail: rate_limt }
    - { name: other, format: openai, strict_models: "yes", rules: [{ match: { regex: "(" }, reply: { text: x } }] }
mocks:
  - { name: shop, spec: ./shop.yaml, color: red, enabled: 1 }
  - { name: api, spec: ./api.yaml, color: red }
`,
    {
      files: {
        'api.yaml':
          'openapi: 3.1.0\ninfo: { title: x, version: "1" }\npaths:\n  /a:\n    get: { operationId: same, responses: { "200": { description: ok, content: { text/plain: { schema: { $ref: "#/nowhere" } } } } } }\n  /b:\n    get: { responses: { "200": { description: ok, content: { text/plain: { schema: { $ref: "#/nothing" } } } } } }\n',
      },
    },
  )
  t.equal(code, 1)
  for (const [place, message, remedy] of [
    ['3:24', 'expected "open", "apikey" or "oauth"', 'use one of the listed values'],
    [
      '3:44',
      'unknown tool "lookup_custmer" \\(did you mean "lookup_customer"\\?\\)',
      'write lookup_customer, or one of echo, ',
    ],
    ['4:9', 'expected text that matches', 'change the value'],
    ['4:30', 'unknown tool "ecoh" \\(did you mean "echo"\\?\\)', 'write echo, or one of '],
    ['5:7', 'missing key "name"', 'add "name: '],
    ['5:17', 'unknown tool "what_ever"', 'remove it, or write one of echo, '],
    ['6:7', 'the server name "weather" is already in use', 'choose another name'],
    ['6:32', 'unknown tool "ecoh"', 'write echo, or one of '],
    ['9:21', 'unknown format "openay"', 'write one of these'],
    ['9:37', 'expected boolean', 'write true or false'],
    ['9:59', 'unknown fault "rate_limt"', 'write one of the kinds'],
    ['10:38', 'expected boolean', 'write true or false'],
    ['10:79', '.*', 'correct the regular expression'],
    ['12:19', "shop\\.yaml can't be read \\(ENOENT\\)", 'correct the path'],
    ['12:38', 'unknown key "color"', 'remove it, or write one of name, spec, '],
    ['12:50', 'expected true or false', 'write true or false'],
    ['13:5', '.*#/nowhere', 'correct the document'],
    ['13:5', '.*#/nothing', 'correct the document'],
    ['13:36', 'unknown key "color"', 'remove it, or write one of name, spec, '],
  ])
    t.match(
      output,
      new RegExp(`^svc\\.yaml:${place}: error: \\S+: ${message}.*\\n    ${remedy}`, 'm'),
      `${place}: ${message}`,
    )
  t.match(output, /\nsvc\.yaml: 19 errors, 0 warnings,/, 'and nothing that the corrections caused')
  t.notMatch(output, /placeholder|test_simple_text/)
})

t.test('an error of a plugin is reported with file and line [CLI-6]', async t => {
  const { output } = await check(t, 'plugins: { dirs: [./mine] }\n', {
    files: {
      'mine/loads/index.ts': "import { make } from './make.ts'\nexport default make()\n",
      'mine/loads/make.ts':
        "\ninterface Text { text: string }\nexport function make(): Text {\n  throw new Error('not made')\n}\n",
      'mine/registers/index.ts':
        "export default { title: 'R', paths: ['/r'], async register() {\n  JSON.parse('{')\n} }\n",
      'mine/two/index.ts': "import a from './a.ts'\nimport b from './b.ts'\nexport default { title: a + b }\n",
    },
  })
  t.match(output, /^mine\/loads\/make\.ts:4:9: error: plugin loads: not made\n/m)
  t.match(
    output,
    /^mine\/registers\/index\.ts:2:8: error: plugin registers: .*JSON.*\n {4}correct its code, or switch it off/m,
  )
  t.match(output, /^mine\/two\/index\.ts:1:15: error: plugin two: Could not resolve "\.\/a\.ts"\n/m)
  t.match(output, /^mine\/two\/index\.ts:2:15: error: plugin two: Could not resolve "\.\/b\.ts"\n/m)
})

t.test('an options schema that cannot be used is an error of its plugin [CLI-6]', async t => {
  const { code, output, errors } = await check(t, 'plugins: { dirs: [./mine] }\nshop: { id: a }\n', {
    files: {
      'mine/shop/index.ts':
        "export default { title: 'S', paths: ['/s'], options: { properties: { id: { pattern: '(' } } }, register() {} }\n",
    },
  })
  t.match({ code, errors }, { code: 1, errors: '' })
  t.match(
    output,
    /^\S*mine\/shop: error: plugin shop: the options schema .*\n {4}correct the options of its definition/m,
  )
})

t.test('a missing package is not suggested for a typo [CLI-6]', async t => {
  const { output } = await check(t, 'plugins: { packages: [svc-plugin-quotas], disable: [quotaz] }\nquotass: {}\n')
  t.match(output, /plugin quotas: the package "svc-plugin-quotas" can't be resolved/)
  t.match(output, /unknown plugin "quotaz"/)
  t.match(output, /unknown key "quotass"/)
  t.notMatch(output, /did you mean "quotas"|write one of.*quotas/)
})

t.test('a file that is not YAML has one error [CLI-6]', async t => {
  t.match(await check(t, 'a: [1\nb: 2\n'), {
    code: 1,
    output: /^svc\.yaml:2:1: error: .*\n {4}fix the file; until then none of it is used\n\nsvc\.yaml: 1 error,/,
  })
  t.match(await check(t, 'a: 1\na: 2\n'), { code: 1, output: /^svc\.yaml:2:1: error: key "a" occurs twice\n/ })
  t.match(await svc(['check', '--config', 'none.yaml'], { folder: t.testdir() }), {
    code: 1,
    output: /^none\.yaml: error: the file does not exist\n {4}create it/,
  })
})

t.test('problems in the environment are warnings [CLI-6]', async t => {
  const { code, output } = await check(t, '', {
    env: { SVC_HTTP_PROT: '1', SVC_HTTP_PORT: 'x', SVC_PLUGINS_DIR: 'gone', SVC_LOG_LEVEL: 'loud' },
  })
  t.equal(code, 0)
  t.match(
    output,
    /^environment: warning: invalid SVC_HTTP_PORT "x" \(expected port, 0 to 65535\), using 80\n {4}correct the variable/m,
  )
  t.match(output, /^environment: warning: unknown variable SVC_HTTP_PROT/m)
  t.match(output, /^environment: warning: invalid SVC_LOG_LEVEL/m)
  t.match(output, /^environment: warning: SVC_PLUGINS_DIR: the folder \S+gone does not exist/m)
  t.match(output, /0 errors, 4 warnings/)
})

t.test('older spellings of rules are warnings with the present one [CLI-6]', async t => {
  const { code, output } = await check(
    t,
    `mocks:
  - name: shop
    spec: { openapi: 3.1.0, info: { title: a, version: "1" }, paths: { /x: { get: { responses: { 200: { description: a } } } } } }
    rules:
      - { when: [{ in: query, name: q, op: ne, value: a }], then: { status: 404 } }
      - { match: { query: { q: b } }, then: { status: 404 } }
llm:
  providers:
    - name: acme
      format: openai
      rules:
        - { match: { contains: refund }, reply: { text: five days } }
        - { match: { llm: { user: busy } }, then: { fail: rate_limit } }
`,
  )
  t.equal(code, 0)
  t.match(output, /0 errors, 2 warnings/)
  t.match(output, /svc\.yaml:5:9: warning: mocks\[0\]\.rules\[0\]: .*older spelling/)
  t.match(output, 'write {"id":"r1","match":{"none":[{"query":{"q":"a"}}]},"then":{"status":404}}')
  t.match(output, /svc\.yaml:12:11: warning: llm\.providers\[0\]\.rules\[0\]: .*older spelling/)
  t.match(
    output,
    'write {"match":{"llm":{"user":{"contains":"refund","ignore_case":true}}},"then":{"reply":{"text":"five days"}}}',
  )
})

t.test('--json prints the findings as JSON [CLI-6]', async t => {
  const { folder } = await check(t, 'mcp: { servers: [{ nane: x }] }\n')
  const { code, output } = await svc(['check', '--json'], { folder })
  t.equal(code, 1)
  const report = JSON.parse(output) as {
    ok: boolean
    config_file: string
    findings: object[]
    plugins: { name: string; state: string }[]
  }
  t.match(report, { ok: false, config_file: join(folder, 'svc.yaml') })
  t.match(report.findings, [
    { severity: 'error', at: 'mcp.servers[0]', line: 1, column: 18 },
    { at: 'mcp.servers[0].nane', line: 1, column: 20, remedy: 'write name, or remove it' },
  ])
  t.ok(report.plugins.some(({ name, state }) => name === 'mcp' && state === 'enabled'))
})
