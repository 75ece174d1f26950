/** Parses the body of Bedrock's ApplyGuardrail. */
import { isRecord } from 'svc/toolkit'
import { codePointLength } from './code-points.ts'
import { bedrockError } from './errors.ts'

const MAX_POINTS = 100_000
const QUALIFIERS = ['grounding_source', 'query', 'guard_content']

export interface GuardrailRequest {
  source: 'INPUT' | 'OUTPUT'
  isFull: boolean
  /** Texts of guarded blocks, in order. */
  guarded: string[]
  /** Code points of all texts. */
  totalPoints: number
  images: number
}

/** Throws a ValidationException for an invalid body. */
export function parseGuardrail(body: Record<string, unknown>): GuardrailRequest {
  const { source, content } = body
  if (source !== 'INPUT' && source !== 'OUTPUT') throw bedrockError('source must be INPUT or OUTPUT')
  const scope = body.outputScope ?? 'INTERVENTIONS'
  if (scope !== 'INTERVENTIONS' && scope !== 'FULL') throw bedrockError('outputScope must be INTERVENTIONS or FULL')
  if (!Array.isArray(content) || content.length === 0) throw bedrockError('content must be a non-empty list of blocks')
  const request: GuardrailRequest = { source, isFull: scope === 'FULL', guarded: [], totalPoints: 0, images: 0 }
  let texts = 0
  for (const [index, block] of content.entries()) {
    const parsed = parseBlock(block, `content[${index}]`)
    if (parsed === 'image') {
      request.images++
      continue
    }
    texts++
    request.totalPoints += codePointLength(parsed.text)
    if (parsed.isGuarded) request.guarded.push(parsed.text)
  }
  if (texts === 0) throw bedrockError('content must contain at least one text block')
  if (request.totalPoints > MAX_POINTS)
    throw bedrockError(`the texts must have at most ${MAX_POINTS} characters in total`)
  return request
}

function parseBlock(block: unknown, where: string): { text: string; isGuarded: boolean } | 'image' {
  if (!isRecord(block)) throw bedrockError(`${where} must be an object`)
  if (block.text === undefined && isRecord(block.image)) return 'image'
  if (!isRecord(block.text)) throw bedrockError(`${where}.text must be an object`)
  const { text, qualifiers = [] } = block.text
  if (typeof text !== 'string') throw bedrockError(`${where}.text.text must be a string`)
  if (!Array.isArray(qualifiers) || !qualifiers.every(qualifier => QUALIFIERS.includes(qualifier as string))) {
    throw bedrockError(`${where}.text.qualifiers must be a list with the values ${QUALIFIERS.join(', ')}`)
  }
  return { text, isGuarded: qualifiers.length === 0 || qualifiers.includes('guard_content') }
}
