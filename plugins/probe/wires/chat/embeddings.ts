/** Embeddings of OpenAI's API. */
import { emptyEmbedding } from '../neutral.ts'
import type { EmbeddingReply, EmbeddingRequest, WireAnswer } from '../types.ts'
import { defined, listOf, member, membersOf, numberOf, parseJson, textOf, type Members } from '../values.ts'

export function writeEmbeddings({ inputs, isSingle, dimensions, encoding }: EmbeddingRequest, model: string): Members {
  return defined({
    model,
    input: isSingle ? inputs[0] : inputs,
    dimensions: dimensions ?? undefined,
    encoding_format: encoding ?? undefined,
  })
}

export function readEmbeddings(body: unknown): EmbeddingRequest {
  const { model, input, dimensions, encoding_format } = membersOf(body)
  return {
    ...emptyEmbedding(),
    model: textOf(model),
    inputs: (typeof input === 'string' ? [input] : listOf(input)).map(text =>
      typeof text === 'string' ? text : JSON.stringify(text),
    ),
    isSingle: typeof input === 'string',
    dimensions: numberOf(dimensions),
    encoding: encoding_format === 'base64' || encoding_format === 'float' ? encoding_format : null,
  }
}

export function readEmbeddingReply({ body }: WireAnswer): EmbeddingReply {
  const value = parseJson(body.toString('utf8'))
  const data = listOf(member(value, 'data'))
  const problems = data.length === 0 ? [{ at: '/data', text: 'no vectors' }] : []
  const ordered = data.toSorted((one, other) => placeOf(one) - placeOf(other))
  if (ordered.some((item, at) => item !== data[at]))
    problems.push({ at: '/data', text: 'the vectors are not in order' })
  const isText = typeof member(data[0], 'embedding') === 'string'
  return {
    vectors: ordered.map(item => vectorOf(member(item, 'embedding'))),
    encoding: data.length === 0 ? null : isText ? 'base64' : 'float',
    input: numberOf(member(value, 'usage', 'prompt_tokens')),
    problems,
  }
}

const placeOf = (item: unknown): number => numberOf(member(item, 'index')) ?? 0

/** Numbers, or 32-bit little-endian floats in base64. */
export function vectorOf(value: unknown): number[] {
  if (typeof value !== 'string') return listOf(value).filter(item => typeof item === 'number')
  const bytes = Buffer.from(value, 'base64')
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4))
}
