/** Claude on Vertex AI: the model is in the path, the API version in the body. */
import type { MessagesVariant } from './check.ts'
import { VERTEX_BETAS } from './known-names.ts'
import { VERTEX_RULES } from './rules.ts'

export const VERTEX: MessagesVariant = {
  flavour: 'anthropic-vertex',
  betas: VERTEX_BETAS,
  members: new Set(['anthropic_version', 'anthropic_beta']),
  hasVersionHeader: false,
  rules: VERTEX_RULES,
  check({ body, params }, report) {
    if (params.model !== undefined && body.model !== undefined) report('vertex.model-field', 'model')
  },
  modelOf: ({ body, params }) => params.model ?? body.model,
}
