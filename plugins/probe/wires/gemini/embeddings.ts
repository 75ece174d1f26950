/** Embeddings of the Gemini API: `embedContent` for one text, `batchEmbedContents` for several. */
import { emptyEmbedding } from '../neutral.ts'
import type { EmbeddingReply, EmbeddingRequest, WireAnswer } from '../types.ts'
import { vectorOf } from '../chat/embeddings.ts'
import { defined, listOf, member, membersOf, numberOf, parseJson, textOf, type Members } from '../values.ts'
import { camelMembers } from './camel.ts'

export function writeEmbeddings({ inputs, dimensions }: EmbeddingRequest, model: string): Members {
  return {
    requests: inputs.map(text =>
      defined({
        content: { parts: [{ text }], role: 'user' },
        model: `models/${model}`,
        outputDimensionality: dimensions ?? undefined,
      }),
    ),
  }
}

export function readEmbeddings(body: unknown): EmbeddingRequest {
  const given = membersOf(camelMembers(body))
  const isSingle = given.requests === undefined
  const requests = isSingle ? [given] : listOf(given.requests)
  return {
    ...emptyEmbedding(),
    inputs: requests.map(request =>
      listOf(member(request, 'content', 'parts'))
        .map(part => textOf(member(part, 'text')) ?? '')
        .join(''),
    ),
    isSingle,
    dimensions: numberOf(member(requests[0], 'outputDimensionality')),
  }
}

export function readEmbeddingReply({ body }: WireAnswer): EmbeddingReply {
  const value = camelMembers(parseJson(body.toString('utf8')))
  const single = member(value, 'embedding')
  const list = single === undefined ? listOf(member(value, 'embeddings')) : [single]
  return {
    vectors: list.map(item => vectorOf(member(item, 'values'))),
    encoding: list.length === 0 ? null : 'float',
    input: numberOf(member(value, 'usageMetadata', 'promptTokenCount')),
    problems: list.length === 0 ? [{ at: '/embeddings', text: 'no vectors' }] : [],
  }
}
