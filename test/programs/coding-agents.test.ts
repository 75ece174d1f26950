/**
 * The coding agents of `docs/coding-agents.md`, each skipped where it is missing: three turns whose tools run, at the level
 * `enforce`, directly and through a gateway. Nothing is refused.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { startGateway } from '../support/gateway.ts'
import { serve } from '../support/server.ts'
import { findProgram, MODULES, type Program, type Run } from './support/program.ts'

const PAGE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'coding-agents.md'), 'utf8')
const RULES = [...PAGE.matchAll(/^```sh\n(curl [\s\S]*?_svc\/rules[\s\S]*?)^```$/gm)].map(([, block = '']) => block)
const AGENTS = [...PAGE.matchAll(/^(\w[\w ]*), package `([^`]+)`[^\n]*:\n\n```bash\n([\s\S]*?)^```$/gm)]

/** The commands of the agents, and the models with which they are run. */
const COMMANDS: Readonly<Record<string, { program: string; models?: readonly string[] }>> = {
  '@openai/codex': { program: 'codex' },
  '@google/gemini-cli': { program: 'gemini' },
  'opencode-ai': {
    program: 'opencode',
    models: ['anthropic/claude-sonnet-4-5', 'openai/gpt-5', 'google/gemini-2.5-flash', 'chat/gpt-4.1'],
  },
  '@qwen-code/qwen-code': { program: 'qwen' },
  '@continuedev/cli': { program: 'cn' },
  'aider-chat': { program: 'aider' },
}

/** The folder of the Python environment that `SVC_TEST_PYTHON` names may have aider. */
const python = process.env.SVC_TEST_PYTHON
const folders = [join(MODULES, '.bin'), ...(python === undefined ? [] : [dirname(python)])]
const PATH = [...folders, process.env.PATH ?? ''].join(delimiter)

/** As from a user's shell; agents behave differently where they find a coding agent or CI around them. */
const ENVIRONMENT = { PATH, TERM: 'dumb', NO_COLOR: '1', LITELLM_LOCAL_MODEL_COST_MAP: 'True' }

function find(program: string): Program | string {
  const path = folders.map(folder => join(folder, program)).find(existsSync)
  return findProgram(path ?? program)
}

t.strictSame(
  AGENTS.map(([, , name]) => name),
  Object.keys(COMMANDS),
  'the page has all agents',
)
t.equal(RULES.length, 2, 'the page has both rules')

interface Recorded {
  status: number
  violations: string[]
  mode: string | null
}

async function runAgent(t: Test, block: string, { model, isProxied }: { model?: string; isProxied: boolean }) {
  const server = await serve(t, {
    env: { SVC_AI_VALIDATION: 'enforce' },
    oneProcess: 'the agent is one client, and its rule counts requests',
  })
  const address = isProxied ? (await startGateway(t, server.url, { isPrefixOnly: true })).url : server.url
  const folder = mkdtempSync(join(tmpdir(), 'svc-agent-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const [home, work] = [join(folder, 'home'), join(folder, 'work')]
  for (const one of [home, work]) mkdirSync(one)
  const shell = findProgram('bash')
  if (typeof shell === 'string') throw new Error(shell)
  const run = (script: string): Promise<Run> =>
    shell.run(['-c', script], {
      cwd: work,
      env: {
        ...ENVIRONMENT,
        HOME: home,
        XDG_CONFIG_HOME: join(home, 'config'),
        XDG_DATA_HOME: join(home, 'data'),
        XDG_CACHE_HOME: join(home, 'cache'),
        XDG_STATE_HOME: join(home, 'state'),
        SVC: address,
        ...(model === undefined ? {} : { MODEL: model }),
      },
    })
  for (const rule of RULES) t.match((await run(rule.replaceAll('http://localhost:8080', server.url))).output, '201')
  const { code, output } = await run(`set -e\n${block}`)
  t.equal(code, 0, output.slice(-3000))
  t.equal(readFileSync(join(work, 'proof.txt'), 'utf8'), 'one\ntwo\n', output.slice(-3000))
  const { requests } = (await (await fetch(`${server.url}/ai/requests?limit=200`)).json()) as { requests: Recorded[] }
  t.ok(requests.filter(({ mode }) => mode === 'rule').length >= 3, 'three turns')
  t.strictSame(
    requests.filter(({ status, violations }) => status !== 200 || violations.length > 0),
    [],
    'nothing is refused',
  )
}

for (const [, name = '', distribution = '', block = ''] of AGENTS) {
  const { program, models = [undefined] } = COMMANDS[distribution]!
  const agent = find(program)
  for (const model of models)
    for (const isProxied of [false, true]) {
      const how = [...(model === undefined ? [] : [model]), isProxied ? 'through a gateway' : 'directly'].join(', ')
      const title = typeof agent === 'string' ? name : `${name} (${agent.title})`
      t.test(`${title}: ${how} [STR-45]`, { skip: typeof agent === 'string' && agent }, async t => {
        t.setTimeout(0)
        await runAgent(t, block, { isProxied, ...(model === undefined ? {} : { model }) })
      })
    }
}
