/** Tools are offered as they were. */
import type { Choice, Request, Tool } from '../../wires/types.ts'
import { comparedAspect } from './compared.ts'
import { DONE, NESTED_SCHEMA, question, scene, TOOLS } from './scenes.ts'
import type { Scene } from './types.ts'

const BOOK: Tool = { name: 'book', description: 'Books a journey: "quick" or <slow>', schema: NESTED_SCHEMA }
const THREE: readonly Tool[] = [BOOK, ...TOOLS]

const CHOICES: Readonly<Record<string, Choice>> = {
  auto: { type: 'auto' },
  required: { type: 'required' },
  'one-tool': { type: 'tool', name: 'clock' },
  none: { type: 'none' },
}
const SCHEMA_MEMBERS = ['parametersJsonSchema', 'parameters_json_schema'] as const

const ask = (more: Partial<Request>): Request => question('Where do we go?', { tools: [...THREE], ...more })

export const TOOLS_OFFERED = comparedAspect({
  id: 'TRN-TOOLS',
  title: 'Tools are offered as they were',
  impact: 'high',
  request: /^\/(?:tools|choice|parallel)(?:\/|$)/,
  // A tool of a vendor that disappears without an error.
  warns: ({ path, kind, sent }) => kind === 'unavoidable' && /^\/tools\/\d+$/.test(path) && isVendors(sent),
  scenes: ({ client }) => [
    scene('three-tools', ask({}), DONE),
    ...Object.entries(CHOICES).map(([name, choice]) =>
      scene(`choice-${name}`, ask({ choice }), DONE, {
        needs: name === 'none' ? ['choice-none'] : name === 'one-tool' ? ['choice-name'] : [],
      }),
    ),
    scene('no-parallel-calls', ask({ parallel: false }), DONE, { needs: ['parallel-off'] }),
    ...ofClient(client.id),
  ],
})

/** Forms that only one client has. */
function ofClient(client: string): Scene[] {
  if (client === 'gemini')
    return SCHEMA_MEMBERS.map(member =>
      scene(`as-${member}`, ask({ tools: THREE.map(tool => ({ ...tool, schemaMember: member })) }), DONE),
    )
  if (client !== 'responses') return []
  const [weather, clock] = TOOLS as readonly [Tool, Tool]
  return [
    scene('namespace', ask({ tools: [BOOK, weather, { ...clock, namespace: 'office' }] }), DONE),
    scene(
      'vendor-tool',
      ask({ tools: [...THREE, { name: 'web_search', description: null, schema: null, vendor: 'web_search' }] }),
      DONE,
      { needs: ['vendor-tools'] },
    ),
  ]
}

function isVendors(tool: unknown): boolean {
  return typeof tool === 'object' && tool !== null && 'vendor' in tool
}
