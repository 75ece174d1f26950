/** Replies that follow a JSON schema. */
import { comparedAspect } from './compared.ts'
import { NESTED_SCHEMA, question, scene } from './scenes.ts'

const PLACE = { place: { name: 'Oslo', kind: 'town' }, days: 3, tags: ['north', 'sea'], note: null }

export const SCHEMA = comparedAspect({
  id: 'TRN-SCHEMA',
  title: 'JSON output',
  impact: 'high',
  request: /^\/format(?:\/|$)/,
  // Text that became a call of a forced tool.
  reply: /^\/parts\/\d+$/,
  scenes: () => [
    scene(
      'schema',
      question('Where do we go?', { format: { type: 'schema', name: 'journey', schema: NESTED_SCHEMA } }),
      { json: PLACE },
    ),
  ],
})
