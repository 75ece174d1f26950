/** The example plugins in a folder outside the project, with svc installed as a package. */
import t from 'tap'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, install } from '../../support/installed.ts'
import { serve } from '../../support/server.ts'

// Each command starts a process, which is slow on a busy machine.
t.setTimeout(600_000)

const examples = join(ROOT, 'examples', 'plugins')
const names = readdirSync(examples, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(entry => entry.name)

t.test('every example passes its own test and type-checks under strict settings [KIT-1, KIT-3]', async t => {
  const { folder, run } = await install(t, {
    packages: [
      'fastify',
      '@fastify/cookie',
      '@fastify/multipart',
      'openai',
      'ws',
      '@types/ws',
      '@modelcontextprotocol/sdk',
    ],
  })
  cpSync(examples, join(folder, 'plugins'), { recursive: true })
  const tests = names.map(name => `plugins/${name}/${name}.test.ts`)
  // One process for all, so that svc is loaded only once.
  writeFileSync(join(folder, 'all.mjs'), tests.map(file => `await import('./${file}')\n`).join(''))
  const { code, output } = await run('node', ['--import', 'svc/register', '--test-reporter', 'tap', 'all.mjs'])
  t.equal(code, 0, output)
  t.notMatch(output, /^not ok/m)
  t.ok(Number(/^# pass (\d+)$/m.exec(output)?.[1]) >= 2 * names.length, 'they test something')

  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'es2023',
        lib: ['es2023', 'esnext.disposable'],
        module: 'nodenext',
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noUnusedLocals: true,
        noUnusedParameters: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        types: ['node'],
      },
      include: ['plugins', 'wrong.ts'],
    }),
  )
  writeFileSync(
    join(folder, 'wrong.ts'),
    `import { definePlugin } from 'svc/plugin'
import { trimCharacters, type TapReply } from 'svc/toolkit'
import type {} from 'svc/plugins/mcp'
export default definePlugin<{ size: number }>({ title: 'Wrong', paths: [], register(_app, svc) {
  const size: string = svc.options.size
  svc.use('mcp.servers')?.tool({ name: size })
  svc.use('mcp.nothing')
  svc.use('testing.resets').register({ name: trimCharacters(svc.name, '-'), reset: () => 0 })
  const reply: TapReply = svc.use('core.tap').now()
  return reply.nothing
} })\n`,
  )
  const types = await run('tsc', [])
  // Ignore errors in declarations of other packages.
  const errors = types.output
    .split('\n')
    .filter(line => /^(?:plugins|wrong|node_modules\/svc\/types)\b.*error TS/.test(line))
  t.strictSame(
    errors.map(line => /^[^:]*/.exec(line)?.[0].replace(/,\d+\)/, ')')),
    ['wrong.ts(5)', 'wrong.ts(6)', 'wrong.ts(7)', 'wrong.ts(9)', 'wrong.ts(10)'],
    types.output,
  )
})

t.test('all examples run together with the built-in plugins, and their route examples work [KIT-3]', async t => {
  const server = await serve(t, { folders: [examples] })
  t.strictSame(server.problems(), [])
  const found = server.plugins().filter(({ source }) => source === 'directory')
  t.strictSame(
    found.map(({ name, state }) => [name, state]),
    names.sort().map(name => [name, 'enabled']),
  )
  const { endpoints } = (await (await fetch(`${server.url}/_svc/catalog`)).json()) as {
    endpoints: {
      plugin: string
      protocol: string
      examples: {
        method: string
        path: string
        body: string | null
        body_type: string | null
        expect_status: number | null
      }[]
    }[]
  }
  for (const { plugin, protocol, examples: sent } of endpoints.filter(
    endpoint => names.includes(endpoint.plugin) && endpoint.protocol !== 'websocket',
  )) {
    for (const { method, path, body, body_type: type, expect_status: expected } of sent) {
      const headers: Record<string, string> = type === 'json' ? { 'Content-Type': 'application/json' } : {}
      t.equal(
        (await fetch(server.url + path, { method, body, headers })).status,
        expected,
        `${plugin} (${protocol}): ${method} ${path}`,
      )
    }
  }
})
