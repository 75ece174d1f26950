/** Owns the built-in servers, except the conformance server. */
import type { ServerDefinition } from '../types.ts'

const INSTRUCTIONS = 'A demo server: its tools change no data. Start with svc://docs/readme.'
const everything = { title: 'svc MCP', instructions: INSTRUCTIONS }

export const demoServers: ServerDefinition[] = [
  { ...everything, name: 'default', description: 'All demo content, without authentication' },
  { ...everything, name: 'protected', description: 'All demo content, with an OAuth access token', auth: 'oauth' },
  { ...everything, name: 'apikey', description: 'All demo content, with an API key', auth: 'apikey' },
  {
    name: 'weather',
    title: 'svc MCP weather',
    description: 'Weather and time',
    instructions: 'Call get_weather with the name of a city.',
    tools: ['get_weather', 'get_time', 'inspect_request'],
    resources: ['svc://clock', 'svc://weather/{city}'],
  },
  {
    name: 'crm',
    title: 'svc MCP customers',
    description: 'Customers and orders',
    instructions: 'Look up a customer before searching for orders.',
    tools: ['lookup_customer', 'search_orders', 'cancel_order', 'inspect_request'],
    resources: ['svc://data/customers.json', 'svc://customers/{id}'],
    prompts: ['incident_report'],
  },
  {
    name: 'devtools',
    title: 'svc MCP developer tools',
    description: 'Tools for testing calls',
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
