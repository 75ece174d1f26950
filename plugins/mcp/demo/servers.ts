/** Owns the built-in servers, the conformance server aside. */
import type { ServerDefinition } from '../types.ts'

const INSTRUCTIONS = 'A demo server: nothing that its tools do has an effect. Start with svc://docs/readme.'
const everything = { title: 'svc MCP', instructions: INSTRUCTIONS }

export const demoServers: ServerDefinition[] = [
  { ...everything, name: 'default', description: 'Everything, open' },
  { ...everything, name: 'protected', description: 'Everything, for bearers of an OAuth token', auth: 'oauth' },
  { ...everything, name: 'apikey', description: 'Everything, for holders of an API key', auth: 'apikey' },
  {
    name: 'weather',
    title: 'svc MCP weather',
    description: 'Weather and time',
    instructions: 'Ask get_weather with the name of a city.',
    tools: ['get_weather', 'get_time', 'inspect_request'],
    resources: ['svc://clock', 'svc://weather/{city}'],
  },
  {
    name: 'crm',
    title: 'svc MCP customers',
    description: 'Customers and orders',
    instructions: 'Look a customer up before searching orders.',
    tools: ['lookup_customer', 'search_orders', 'cancel_order', 'inspect_request'],
    resources: ['svc://data/customers.json', 'svc://customers/{id}'],
    prompts: ['incident_report'],
  },
  {
    name: 'devtools',
    title: 'svc MCP developer tools',
    description: 'Tools that show how calls behave',
    instructions: INSTRUCTIONS,
    tools: [
      'echo',
      'add',
      'calculate',
      'get_time',
      'slow_task',
      'fail',
      'throw',
      'large_output',
      'generate_image',
      'fetch_resource_link',
      'prompt_injection_demo',
      'elicit_confirmation',
      'sample_llm',
      'inspect_request',
    ],
    resources: ['svc://docs/readme', 'svc://images/logo.png', 'svc://clock'],
    prompts: ['summarize', 'code_review', 'incident_report'],
  },
]
