/**
 * Checks that the documentation matches the code. `SVC_WRITE_DOCS=1 npm test -- docs/documentation` updates its generated
 * tables.
 */
import t from 'tap'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configurationTable } from '../support/environment.ts'
import { fill } from '../support/filled-page.ts'
import type { PluginRecord } from '../../core/contract/plugin.ts'
import { serve } from '../support/server.ts'

const root = join(import.meta.dirname, '..', '..')
const readmePath = join(root, 'README.md')

function areasTable(plugins: PluginRecord[]): string {
  const rows = plugins.map(
    ({ name, title, description, paths }) =>
      `| [${name}](../plugins/${name}/README.md) | ${title} | ${description} | ${paths.map(path => `\`${path}\``).join(' ')} |`,
  )
  return ['| Plugin | Area | What it shows | Paths |', '|---|---|---|---|', ...rows].join('\n')
}

t.test('the generated tables are up to date', async t => {
  const server = await serve(t)
  const { plugins } = (await (await fetch(`${server.url}/_svc/plugins`)).json()) as { plugins: PluginRecord[] }
  const tables = [
    ['areas', areasTable(plugins)],
    ['configuration', configurationTable()],
  ] as const
  for (const [name, table] of tables) {
    const path = join(root, 'docs', `${name}.md`)
    const page = readFileSync(path, 'utf8')
    if (process.env.SVC_WRITE_DOCS === '1') writeFileSync(path, fill(page, name, table))
    else t.equal(page, fill(page, name, table), name)
  }
  t.match(readFileSync(readmePath, 'utf8'), `All ${plugins.length} plugins`)
  for (const { name, description } of plugins) {
    t.ok(existsSync(join(root, 'plugins', name, 'README.md')), `${name} has a README`)
    t.ok(description, `${name} says what it shows`)
  }
})

t.test('the two commands are the first fenced blocks under their headings', async t => {
  const readme = readFileSync(readmePath, 'utf8')
  for (const [heading, command] of [
    ['Run', /^npm ci --omit=dev && npm start -- --port 8080 --https-port 8443$/],
    ['Test', /^npm ci && npm test$/],
  ] as const) {
    const [, block] = new RegExp(`^## ${heading}\\n[^]*?^\`\`\`sh\\n([^]*?)^\`\`\``, 'm').exec(readme)!
    t.match(block!.trim(), command, heading)
  }
})

t.test('the README is short, and begins with what svc is [DOC-11]', async t => {
  const readme = readFileSync(readmePath, 'utf8')
  t.ok(readme.split('\n').length < 150)
  const [title, sentence, picture, run] = readme.split('\n\n')
  t.equal(title, '# svc')
  t.match(sentence, /^svc is [^.]+\.$/, 'one sentence')
  const [, path] = /^!\[[^\]]+\]\(([^)]+\.svg)\)$/.exec(picture!)!
  t.ok(existsSync(join(root, path!)), 'one picture')
  t.equal(run, '## Run')
  t.match(readme, /^\$ git clone /m)
  const tried = /\n## Try\n[^]*?\n## /.exec(readme)![0].match(/^curl .*$/gm)!
  t.equal(tried.length, 3)
  for (const command of tried) t.match(command, / 'http:\/\/localhost:8080\/[^']*'/, 'its URL is quoted')
})

t.test('svc.yaml.example loads without errors, and its settings work', async t => {
  const server = await serve(t, { yaml: readFileSync(join(root, 'svc.yaml.example'), 'utf8') })
  mkdirSync(join(server.folder, 'specs'))
  writeFileSync(join(server.folder, 'specs', 'shop.yaml'), SHOP)
  const result = await server.host.reload()
  t.strictSame(result.load_errors, [])
  for (const [path, status] of [
    ['/ai/acme/v1/models', 401],
    ['/mcp/servers/support', 400],
    ['/mock/shop/orders/9', 404],
    ['/mock/shop/orders/1', 200],
  ] as const) {
    t.equal((await fetch(server.url + path)).status, status, path)
  }
})

/** An OpenAPI document with the operations that the example overrides. */
const SHOP = `openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:
  /orders:
    get: { operationId: listOrders, responses: { '200': { description: ok } } }
    post: { operationId: createOrder, responses: { '201': { description: ok } } }
  /orders/{id}:
    get: { operationId: getOrder, parameters: [{ name: id, in: path, required: true, schema: { type: string } }], responses: { '200': { description: ok, content: { application/json: { example: { id: '1' } } } } } }
`
