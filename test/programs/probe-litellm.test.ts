/** The checks of guardrails find in LiteLLM what its users have reported: streams of some of its APIs are not guarded. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { GUARDRAIL_CHECKS } from '../../plugins/probe/checks/guardrails/guardrails.ts'
import { readRoutes } from '../../plugins/probe/client/routes.ts'
import { findings, probeThrough } from '../probe/probe-through.ts'
import { findProgram } from './support/program.ts'
import { freePort } from '../support/free-ports.ts'

const litellm = findProgram('litellm')
const isMissing = typeof litellm === 'string'

const configuration = (upstream: string): string => `model_list:
  - model_name: gpt
    litellm_params: { model: openai/gpt-4o-mini, api_base: ${upstream}/ai/openai/v1, api_key: sk-of-the-gateway }
litellm_settings: { num_retries: 0 }
router_settings: { disable_cooldowns: true }
general_settings: { dangerously_permit_weak_or_unset_master_key: true }
guardrails:
  - guardrail_name: numbers
    litellm_params:
      guardrail: litellm_content_filter
      mode: [pre_call, post_call]
      default_on: true
      patterns: [{ pattern_type: prebuilt, pattern_name: us_ssn, action: BLOCK }]
`

t.test('a value reaches clients of the Responses API in streams', { skip: isMissing && litellm }, async t => {
  t.setTimeout(0)
  if (isMissing) return
  t.comment(litellm.title)
  const server = await launch()
  t.teardown(() => server.stop())
  const folder = mkdtempSync(join(tmpdir(), 'svc-litellm-'))
  const file = join(folder, 'litellm.yaml')
  writeFileSync(file, configuration(server.url))
  const port = await freePort()
  const gateway = spawn(litellm.path, ['--config', file, '--host', '127.0.0.1', '--port', String(port)], {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
  })
  const exited = new Promise<void>(resolve => gateway.on('exit', () => resolve()))
  t.teardown(async () => {
    gateway.kill()
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/health/liveliness`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (gateway.exitCode === null && !(await isReady())) await new Promise(resolve => setTimeout(resolve, 250))
  t.equal(gateway.exitCode, null, 'it runs')
  const routes = readRoutes({ llm: { preset: 'litellm', models: ['gpt'] } })
  if (typeof routes === 'string') throw new Error(routes)
  const run = await probeThrough(url, server.url, { checks: GUARDRAIL_CHECKS, routes, repeat: 3 })
  const split = findings(run).find(text => text.startsWith('GRD-SPLIT '))
  t.match(split, /^GRD-SPLIT fail: the value reaches the client: .*responses in deltas of 1/)
  t.strictSame(
    findings(run).filter(text => / (?:error|flaky): /.test(text)),
    [],
  )
})
