/** Agents whose requests have the shapes of real clients, straight to svc (sheet demos, 3.1). */
import t, { type Test } from 'tap'
import type { AgentClient } from '../../../plugins/demos/file/demo.ts'
import type { DemoResult } from '../../../plugins/demos/run/demo-run.ts'
import { LOSSES, losing, type Loss } from '../../support/demo-conversations.ts'
import { startDemoProxy } from '../../support/demo-proxy.ts'
import { demoOf, demoRunner } from '../../support/demo-runner.ts'
import { serve } from '../../support/server.ts'

const PLUGINS = ['demos', 'llm', 'llm-anthropic', 'llm-openai', 'llm-gemini', 'mcp']

/** What the model does: two calls in one reply, then another one, then a text for each prompt. */
const REPLIES = (first: object, second: object): object[] => [
  { reply: { reasoning: 'First this.', text: 'I begin.', tool_calls: [first, first] } },
  { reply: { reasoning: 'Then that.', tool_calls: [second] } },
  { reply: { reasoning: 'Done.', text: 'Done.' } },
  { reply: { text: 'Bye.' } },
]

const CALLS: Record<string, { client: AgentClient; scenario?: string; first: object; second: object }> = {
  'claude-code': {
    client: 'claude-code',
    first: { name: 'Bash', args: { command: 'ls' } },
    second: { name: 'Read', args: { file_path: '/a' } },
  },
  codex: {
    client: 'codex',
    first: { name: 'exec_command', args: { cmd: 'ls' } },
    second: { name: 'update_plan', args: { plan: 'one' } },
  },
  'gemini-cli': {
    client: 'gemini-cli',
    first: { name: 'run_shell_command', args: { command: 'ls' } },
    second: { name: 'read_file', args: { file_path: '/a' } },
  },
  'opencode messages': {
    client: 'opencode',
    scenario: 'messages',
    first: { name: 'bash', args: { command: 'ls' } },
    second: { name: 'read', args: { filePath: '/a' } },
  },
  'opencode chat': {
    client: 'opencode',
    scenario: 'chat',
    first: { name: 'bash', args: { command: 'ls' } },
    second: { name: 'read', args: { filePath: '/a' } },
  },
  'openai-agents responses': {
    client: 'openai-agents',
    scenario: 'responses',
    first: { name: 'transfer_to_billing', args: {} },
    second: { name: 'look_up_invoice', args: { number: '7' } },
  },
  'openai-agents chat': {
    client: 'openai-agents',
    scenario: 'chat',
    first: { name: 'transfer_to_billing', args: {} },
    second: { name: 'look_up_invoice', args: { number: '7' } },
  },
}

async function run(t: Test, step: object, path = '/v1/models'): Promise<DemoResult> {
  const server = await serve(t, { plugins: PLUGINS, env: { SVC_AI_VALIDATION: 'enforce' } })
  return (await demoRunner(server.url, demoOf([{ title: 'Work', ...step }], { route: { path } })))(null)
}

for (const [name, { client, scenario, first, second }] of Object.entries(CALLS))
  t.test(`${name}: the conversation comes to its end, and the vendor would refuse nothing`, async t => {
    const { reason, verdict } = await run(t, {
      rules: [{ name: 'work', match: { llm: {} }, then: REPLIES(first, second) }],
      send: { agent: { client, ...(scenario === undefined ? {} : { scenario }) } },
      expect: [
        { agent: { completed: true, turns: 4, error: 'none', lost: [] } },
        { arrivals: { match: { llm: { violation: { exists: true } } }, none: true } },
      ],
    })
    t.equal(reason, null)
    t.equal(verdict, 'seen')
  })

t.test('mcp-host: lists, calls by the names of the server, and a stream', async t => {
  const { reason, steps } = await run(
    t,
    {
      send: { agent: { client: 'mcp-host' } },
      expect: [
        { agent: { completed: true, turns: { gte: 5 }, lost: [] } },
        { arrivals: { match: { body: { contains: 'tools/call' } }, at_least: 1 } },
      ],
    },
    '/mcp',
  )
  t.equal(reason, null)
  t.match(steps, [{ verdict: /^seen$/ }])
})

const LOST: Record<Loss, RegExp> = {
  signature: /lost turn 1: the signature of a thought/,
  marks: /lost turn 1: \/marks\/0 lost/,
  beta: /lost turn 1: anthropic-beta: claude-code-20250219/,
  member: /lost turn 1: the member context_management/,
  index: /lost turn 1: event \d+: block 0 starts as number 1/,
  end: /lost turn 1: the end: no message_stop/,
  count: /lost turn 0: .*count_tokens\?beta=true, answered with 404/,
}

t.test('what a gateway loses of a conversation is named', async t => {
  const server = await serve(t, { plugins: PLUGINS })
  const { first, second } = CALLS['claude-code']!
  const step = {
    title: 'Work',
    rules: [{ name: 'work', match: { llm: {} }, then: REPLIES(first, second) }],
    send: { agent: { client: 'claude-code' } },
    expect: [{ agent: { lost: [] } }],
  }
  const run = await demoRunner(server.url, demoOf([step], { route: { path: '/v1/models' } }))
  for (const loss of LOSSES) {
    const { verdict, reason } = await run(await startDemoProxy(t, server.url, { handle: losing(loss) }))
    t.equal(verdict, 'not-seen', loss)
    t.match(reason, LOST[loss], `${loss}: ${reason}`)
  }
  const known = demoOf([{ ...step, expect: [{ agent: { lost: ['anthropic-beta'] } }] }], {
    route: { path: '/v1/models' },
  })
  const through = await startDemoProxy(t, server.url, { handle: losing('beta') })
  t.equal(
    (await (await demoRunner(server.url, known))(through)).reason,
    null,
    'what is known to be lost can be expected',
  )
})

t.test('what keeps an agent from its end is named', async t => {
  const unending = await run(t, {
    rules: [
      {
        name: 'work',
        match: { llm: {} },
        then: { reply: { reasoning: 'On.', tool_calls: [{ name: 'Bash', args: { command: 'ls' } }] } },
      },
    ],
    send: { agent: { client: 'claude-code', turns: 3 } },
    expect: [{ agent: { completed: true } }],
  })
  t.match(unending, { verdict: 'not-seen', reason: /calls tools for more than 3 turns/ })
  const failing = await run(t, {
    rules: [{ name: 'work', match: { llm: {} }, then: { fail: 'overloaded' } }],
    send: { agent: { client: 'claude-code' } },
    expect: [{ agent: { completed: true, lost: [] } }],
  })
  t.match(failing, { verdict: 'not-seen', reason: /\b1 turn, ended with 529: Overloaded/i })
  const unknown = await run(t, { send: { agent: { client: 'codex', scenario: 'nothing' } } })
  t.match(unknown, { verdict: 'not-judged', reason: /scenario: expected one of edit/ })
})
