/** Replies of requests for embeddings, by the wire of the client. */
import type { EmbeddingReply, EmbeddingRequest } from '../../../../plugins/probe/wires/types.ts'

type EmbeddingWriter = (reply: EmbeddingReply, request: EmbeddingRequest, model: string) => object

function base64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}

function chat({ vectors, input }: EmbeddingReply, { encoding }: EmbeddingRequest, model: string): object {
  return {
    object: 'list',
    model,
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encoding === 'base64' ? base64(vector) : vector,
    })),
    usage: { prompt_tokens: input ?? 0, total_tokens: input ?? 0 },
  }
}

function gemini({ vectors, input }: EmbeddingReply, { isSingle }: EmbeddingRequest): object {
  const usage = input === null ? {} : { usageMetadata: { promptTokenCount: input } }
  const [first = []] = vectors
  return isSingle
    ? { embedding: { values: first }, ...usage }
    : { embeddings: vectors.map(values => ({ values })), ...usage }
}

export const EMBEDDING_WRITERS: Readonly<Record<string, EmbeddingWriter>> = { chat, gemini }
