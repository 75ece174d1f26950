/** The platforms that serve Claude, and how their requests differ. */
import type { MessagesVariant } from './check.ts'
import { BEDROCK_BETAS, BETAS, VERTEX_BETAS } from './known-names.ts'
import { BEDROCK_RULES, HEAD_RULES, MAX_REQUEST_BYTES, MESSAGE_LIMITS, VERTEX_RULES } from './rules.ts'

const IN_BODY: ReadonlySet<string> = new Set(['anthropic_version', 'anthropic_beta'])

/** Bedrock takes its own members out before the model sees the body. */
const IN_BEDROCK_BODY: ReadonlySet<string> = new Set([
  ...IN_BODY,
  'amazon-bedrock-guardrailConfig',
  'amazon-bedrock-guardrailAction',
  'amazon-bedrock-trace',
])

export const PLATFORMS = {
  anthropic: {
    flavour: 'anthropic',
    betas: BETAS,
    members: new Set<string>(),
    hasVersionHeader: true,
    hasBetaHeader: true,
    rules: HEAD_RULES,
    limits: MESSAGE_LIMITS,
    check({ bytes }, report) {
      if (bytes > MAX_REQUEST_BYTES) report('anthropic.request-size', '')
    },
    modelOf: ({ body }) => body.model,
  },
  /** The model is in the path, the API version in the body. */
  vertex: {
    flavour: 'anthropic-vertex',
    betas: VERTEX_BETAS,
    members: IN_BODY,
    hasVersionHeader: false,
    hasBetaHeader: true,
    rules: VERTEX_RULES,
    check({ body, params }, report) {
      if (params.model !== undefined && body.model !== undefined) report('vertex.model-field', 'model')
    },
    modelOf: ({ body, params }) => params.model ?? body.model,
  },
  /** The path says the model and whether the reply is streamed. */
  bedrock: {
    flavour: 'bedrock-invoke',
    betas: BEDROCK_BETAS,
    members: IN_BEDROCK_BODY,
    hasVersionHeader: false,
    hasBetaHeader: false,
    rules: BEDROCK_RULES,
    check({ body }, report) {
      for (const name of ['model', 'stream']) if (body[name] !== undefined) report('invoke.extraneous', name)
    },
    modelOf: ({ params }) => params.modelId,
  },
} satisfies Record<string, MessagesVariant>

export type Platform = keyof typeof PLATFORMS
