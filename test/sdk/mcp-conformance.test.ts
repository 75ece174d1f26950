/** The official conformance suite against a running server: every required server scenario of each revision. */
import t, { type Test } from 'tap'
import { commandOf, runWithNode22 } from './support/node-22.ts'
import { serve } from '../support/server.ts'
import { freePort } from '../support/free-ports.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

const suite = commandOf('@modelcontextprotocol/conformance', 'conformance')

/** A server that accepts only its own origin: one scenario sends a foreign one and expects an error. */
async function serveSuite(test: Test, server = 'conformance'): Promise<string> {
  const port = await freePort()
  await serve(test, { env: { SVC_HTTP_PORT: String(port), SVC_MCP_ALLOWED_ORIGINS: `http://127.0.0.1:${port}` } })
  return `http://127.0.0.1:${port}/mcp/servers/${server}`
}

/** The lines of the summary: scenario, and the number of passed and failed checks. */
function readSummary(output: string): Map<string, { passed: number; failed: number }> {
  const [, summary = ''] = output.split('=== SUMMARY ===')
  const lines = summary.matchAll(/^[✓✗] ([\w/-]+): (\d+) passed, (\d+) failed/gm)
  return new Map(
    [...lines].map(([, name = '', passed, failed]) => [name, { passed: Number(passed), failed: Number(failed) }]),
  )
}

/** The scenarios that the suite requires of servers of a revision. */
async function requiredScenarios(revision: string): Promise<string[]> {
  const { output } = await runWithNode22(suite, ['list', '--server', '--requirements', revision])
  const [, required = ''] = /Server scenarios[^\n]*\n([\s\S]*?)\n\n/.exec(output) ?? []
  return [...required.matchAll(/^ +- ([\w/-]+)/gm)].map(([, name = '']) => name)
}

for (const [revision, count] of [
  ['2026-07-28', 37],
  ['2025-11-25', 30],
] as const) {
  t.test(`passes every required scenario of ${revision} [MCP-34]`, async t => {
    const url = await serveSuite(t)
    const required = await requiredScenarios(revision)
    t.equal(required.length, count, 'scenarios are required')
    const { output } = await runWithNode22(suite, ['server', '--url', url, '--requirements', revision])
    const results = readSummary(output)
    for (const scenario of required) {
      const { passed = 0, failed = 1 } = results.get(scenario) ?? {}
      t.comment(`${revision} ${scenario}: ${passed} passed, ${failed} failed`)
      t.ok(passed > 0 && failed === 0, `${revision} ${scenario}`)
    }
    // The tasks are on another server, see below.
    for (const [scenario, { failed }] of results)
      if (!scenario.startsWith('tasks-')) t.equal(failed, 0, `${revision} ${scenario}`)
  })
}

t.test('passes all scenarios that apply to 2025-06-18 [MCP-34]', async t => {
  const url = await serveSuite(t)
  const { output } = await runWithNode22(suite, [
    'server',
    '--url',
    url,
    '--suite',
    'all',
    '--spec-version',
    '2025-06-18',
  ])
  const results = readSummary(output)
  t.ok(results.size >= 25, `${results.size} scenarios ran`)
  for (const [scenario, { passed, failed }] of results)
    t.ok(passed > 0 && failed === 0, `2025-06-18 ${scenario}: ${passed} passed`)
})

t.test('passes the scenarios of the tasks extension [MCPX-6]', async t => {
  const url = await serveSuite(t, 'tasks')
  const { output: list } = await runWithNode22(suite, ['list', '--server'])
  const scenarios = [...list.matchAll(/^ +- (tasks-[\w-]+)/gm)].map(([, name = '']) => name)
  t.equal(scenarios.length, 10)
  for (const scenario of scenarios) {
    const { output } = await runWithNode22(suite, ['server', '--url', url, '--scenario', scenario])
    const [, passed, all, failed] = /^Passed: (\d+)\/(\d+), (\d+) failed/m.exec(output) ?? []
    t.strictSame([passed, failed], [all, '0'], scenario)
    // The suite skips its only check of notifications.
    t.equal(Number(passed) > 0, scenario !== 'tasks-status-notifications', scenario)
  }
})
