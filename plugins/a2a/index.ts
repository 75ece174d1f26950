/** The plugin `a2a`: Agent2Agent demo agents for two protocol versions and two bindings. */
import { definePlugin } from 'svc/plugin'
import { FAULT } from './faults/requested-fault.ts'
import { type Options, options } from './options.ts'
import { registerPlugin } from './register.ts'
import { resolveVariables, variables, type Variables } from './variables.ts'

export default definePlugin<Options, Variables>({
  title: 'A2A agents',
  description:
    'Seven Agent2Agent demo agents: protocol 1.0 and 0.3, JSON-RPC and HTTP+JSON, streaming and push notifications',
  paths: ['/a2a', '/.well-known/agent-card.json', '/.well-known/agent.json'],
  uses: ['identity'],
  exposes: ['A2A-Version', 'A2A-Extensions'],
  options,
  variables,
  resolveVariables,
  faultKinds: [FAULT],
  area: 'a2a',
  categories: [{ name: 'A2A Agents', rank: 150 }],
  register: registerPlugin,
})
