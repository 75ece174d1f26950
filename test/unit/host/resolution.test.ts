/** Which plugins are enabled, in which order, and why the others are not. */
import t from 'tap'
import { resolvePlugins, type PluginDependencies } from '../../../core/host/resolution.ts'

const WISHES = { enable: [], disable: [], overrides: new Map<string, boolean>(), failed: new Map<string, string>() }

function definitions(plain: Record<string, PluginDependencies>): Map<string, PluginDependencies> {
  return new Map(Object.entries(plain))
}

t.test('a plugin registers after the plugins that it builds on or uses [HOST-6]', async t => {
  const rows: [Record<string, PluginDependencies>, string[]][] = [
    [{ a: {}, b: {} }, ['a', 'b']],
    [{ a: { buildsOn: ['b'] }, b: {} }, ['b', 'a']],
    [{ a: { uses: ['b'] }, b: {} }, ['b', 'a']],
    [{ a: { uses: ['ghost'] } }, ['a']],
    [{ a: { buildsOn: ['b', 'c'] }, b: { buildsOn: ['c'] }, c: { uses: ['d'] }, d: {} }, ['d', 'c', 'b', 'a']],
  ]
  for (const [plain, order] of rows) t.strictSame(resolvePlugins(definitions(plain), WISHES).order, order)
})

t.test('enable, disable, overrides and dependencies decide which plugins are enabled [HOST-7]', async t => {
  const all = { llm: {}, openai: { buildsOn: ['llm'] }, echo: {}, mcp: { uses: ['llm'] } }
  const rows: [string, Partial<typeof WISHES>, Record<string, string>][] = [
    ['all by default', {}, { llm: 'on', openai: 'on', echo: 'on', mcp: 'on' }],
    [
      'only these and what they build on',
      { enable: ['openai'] as never },
      { llm: 'on', openai: 'on', echo: 'svc.yaml', mcp: 'svc.yaml' },
    ],
    [
      'disable wins over enable',
      { enable: ['openai', 'echo'] as never, disable: ['openai'] as never },
      { llm: 'on', openai: 'svc.yaml', echo: 'on', mcp: 'svc.yaml' },
    ],
    [
      'one that builds on what is off is off',
      { disable: ['llm'] as never },
      { llm: 'svc.yaml', openai: 'needs llm', echo: 'on', mcp: 'on' },
    ],
    [
      'a switch wins over the file',
      {
        disable: ['echo'] as never,
        overrides: new Map([
          ['echo', true],
          ['mcp', false],
        ]),
      },
      { llm: 'on', openai: 'on', echo: 'on', mcp: 'api' },
    ],
  ]
  for (const [what, requested, expected] of rows) {
    const { decisions } = resolvePlugins(definitions(all), { ...WISHES, ...requested })
    t.strictSame(
      Object.fromEntries(
        [...decisions].map(([name, decision]) => [
          name,
          decision.state === 'enabled' ? 'on' : decision.state === 'disabled' ? decision.by : 'failed',
        ]),
      ),
      expected,
      what,
    )
  }
})

t.test('what builds on a plugin that lacks the state store lacks it too [STATE-36]', async t => {
  const all = { llm: {}, openai: { buildsOn: ['llm'] }, batch: { buildsOn: ['openai'] }, echo: {}, soap: {} }
  const failed = new Map([
    ['llm', 'the state store is unavailable'],
    ['soap', 'a typo'],
  ])
  const { decisions } = resolvePlugins(definitions(all), { ...WISHES, failed, lackingState: new Set(['llm']) })
  const lacking = [...decisions].flatMap(([name, decision]) => ('lacksState' in decision ? [name] : []))
  t.strictSame(lacking, ['llm', 'openai', 'batch'])
})

t.test('a dependency cycle fails all its members and no other plugin [HOST-6]', async t => {
  const { order, decisions } = resolvePlugins(
    definitions({
      a: { buildsOn: ['b'] },
      b: { buildsOn: ['c'] },
      c: { buildsOn: ['a'] },
      self: { buildsOn: ['self'] },
      ok: {},
      user: { buildsOn: ['a'] },
    }),
    WISHES,
  )
  t.strictSame(order, ['ok'])
  for (const name of ['a', 'b', 'c', 'self'])
    t.match(decisions.get(name), { state: 'failed', message: /circular dependency: / })
  t.match(decisions.get('user'), { state: 'failed', message: 'builds on "a", which failed' })
})
