/** Embeddings of Cohere's API. */
import { emptyEmbedding } from '../neutral.ts'
import { vectorOf } from '../chat/embeddings.ts'
import type { EmbeddingReply, EmbeddingRequest, WireAnswer } from '../types.ts'
import { defined, listOf, member, membersOf, numberOf, parseJson, textOf, type Members } from '../values.ts'

export function writeEmbeddings({ inputs, dimensions, encoding }: EmbeddingRequest, model: string): Members {
  return defined({
    model,
    texts: inputs,
    input_type: 'search_document',
    embedding_types: [encoding ?? 'float'],
    output_dimension: dimensions ?? undefined,
  })
}

export function readEmbeddings(body: unknown): EmbeddingRequest {
  const { model, texts, embedding_types, output_dimension } = membersOf(body)
  const [type] = listOf(embedding_types)
  return {
    ...emptyEmbedding(),
    model: textOf(model),
    inputs: listOf(texts).map(text => textOf(text) ?? ''),
    dimensions: numberOf(output_dimension),
    encoding: type === 'base64' || type === 'float' ? type : null,
  }
}

export function readEmbeddingReply({ body }: WireAnswer): EmbeddingReply {
  const value = parseJson(body.toString('utf8'))
  const embeddings = membersOf(member(value, 'embeddings'))
  const encoding = embeddings.base64 === undefined ? 'float' : 'base64'
  const list = listOf(embeddings[encoding])
  return {
    vectors: list.map(vectorOf),
    encoding: list.length === 0 ? null : encoding,
    input: numberOf(member(value, 'meta', 'billed_units', 'input_tokens')),
    problems: list.length === 0 ? [{ at: '/embeddings', text: 'no vectors' }] : [],
  }
}
