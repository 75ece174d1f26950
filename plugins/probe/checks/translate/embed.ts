/** Embeddings. */
import type { Difference, EmbeddingReply, EmbeddingRequest } from '../../wires/types.ts'
import { unusableOf, verdictOf, type Unusable } from './compared.ts'
import { emptyReply, emptyEmbedding } from '../../wires/neutral.ts'
import { question } from './scenes.ts'
import type { Aspect, ExchangeEvidence, JudgeFacts, Scene, SceneEvidence } from './types.ts'

const INPUTS = ['The first text.', 'The second text, which is longer.', 'Third.']
const DIMENSIONS = 4
/** Some of them do not fit 32 bits. */
const VECTORS = [
  [0.1, -0.25, 0.5, 0.83],
  [-0.7, 0.125, 0.3, -0.2],
  [0.6, 0.05, -0.45, 0.75],
]
/** Of a gateway that has no such route. */
const NOT_OFFERED = new Set([404, 405, 501])

const SCENES: Readonly<Record<string, Partial<EmbeddingRequest>>> = {
  'three-inputs': { inputs: INPUTS, dimensions: DIMENSIONS, encoding: 'float' },
  base64: { inputs: INPUTS, dimensions: DIMENSIONS, encoding: 'base64' },
  'one-text': { inputs: [INPUTS[0]!], isSingle: true, dimensions: DIMENSIONS },
}

export const EMBED: Aspect = {
  id: 'TRN-EMBED',
  title: 'Embeddings',
  level: 'integrity',
  impact: 'high',
  scenes({ client, upstream }, { embeddings }) {
    if (client.embeddings === undefined || upstream.embeddings === undefined) return []
    return (embeddings ?? [null]).flatMap(model =>
      Object.entries(SCENES).map(
        ([id, embedding]): Scene => ({
          id: model === null ? id : `${id}-of-${model}`,
          modes: ['plain'],
          operation: 'embed',
          request: question(''),
          embedding: { ...emptyEmbedding(), ...embedding },
          reply: { reply: { embeddings: VECTORS } },
          ...(model === null ? {} : { model }),
        }),
      ),
    )
  },
  judge(evidence, facts) {
    const differences: Difference[] = []
    const unusable: Unusable[] = []
    for (const scene of evidence)
      for (const exchange of scene.exchanges) {
        const found =
          notOfPair(exchange, scene, facts) ?? unusableOf({ ...exchange, ...withReply(exchange) }, scene, facts)
        if (found !== null) unusable.push(found)
        else differences.push(...compared(exchange, scene, facts))
      }
    return verdictOf(differences, unusable)
  },
}

/** What says nothing of the pair: the model has no embeddings, or they are on another wire. */
function notOfPair(
  { arrivals, received }: ExchangeEvidence,
  { scene }: SceneEvidence,
  { pair }: JudgeFacts,
): Unusable | null {
  const last = arrivals.at(-1)
  if (last !== undefined && last.wire !== pair.upstream.id)
    return { verdict: 'skip', detail: `embeddings arrive on the wire ${last.wire}` }
  const status = received?.native.status ?? 0
  // Models of conversations are only tried.
  const isRefused = scene.model === undefined ? status >= 400 : NOT_OFFERED.has(status)
  return last === undefined && isRefused ? { verdict: 'skip', detail: `embeddings are not offered: ${status}` } : null
}

/** Embeddings are not an error, though there is no reply. */
function withReply({ received, answered }: ExchangeEvidence): Pick<ExchangeEvidence, 'received' | 'answered'> {
  const isReply = received !== null && received.error === null && received.embedding !== undefined
  return { answered, received: isReply ? { ...received, reply: emptyReply() } : received }
}

function compared(
  { sent, arrivals, answered, received }: ExchangeEvidence,
  { scene: { id }, mode }: SceneEvidence,
  { pair }: JudgeFacts,
): Difference[] {
  const [asked, arrived] = [sent.embedding, arrivals.at(-1)?.embedding]
  const [reply, got] = [answered?.embedding, received?.embedding]
  if (asked === undefined || arrived === undefined || reply === undefined || got === undefined) return []
  const at = { scene: id, mode } as const
  return [
    ...requestDifferences(asked, arrived).map(one => ({ ...at, side: 'request' as const, ...one })),
    ...replyDifferences(reply, got).map(one => ({ ...at, side: 'reply' as const, ...one })),
    ...(asked.encoding !== null && got.encoding !== null && asked.encoding !== got.encoding && hasEncodings(pair)
      ? [
          {
            ...at,
            side: 'reply' as const,
            path: '/encoding',
            kind: 'changed' as const,
            sent: asked.encoding,
            got: got.encoding,
          },
        ]
      : []),
  ]
}

/** Gemini's vectors are always lists of numbers. */
const hasEncodings = ({ client }: JudgeFacts['pair']): boolean => client.id !== 'gemini'

type Found = Pick<Difference, 'path' | 'kind' | 'sent' | 'got'>

function valueDifference(path: string, sent: unknown, got: unknown): Found[] {
  if (sent === got || sent === null) return []
  return [got === null || got === undefined ? { path, kind: 'lost', sent } : { path, kind: 'changed', sent, got }]
}

function requestDifferences(asked: EmbeddingRequest, arrived: EmbeddingRequest): Found[] {
  return [
    ...asked.inputs.flatMap((input, index) => valueDifference(`/inputs/${index}`, input, arrived.inputs[index])),
    ...(arrived.inputs.length > asked.inputs.length
      ? [{ path: '/inputs', kind: 'changed' as const, sent: asked.inputs.length, got: arrived.inputs.length }]
      : []),
    ...valueDifference('/dimensions', asked.dimensions, arrived.dimensions),
  ]
}

/** Numbers are equal if they are the same with 32 bits. */
function replyDifferences(reply: EmbeddingReply, got: EmbeddingReply): Found[] {
  const vectors = reply.vectors.flatMap((vector, index): Found[] => {
    const path = `/vectors/${index}`
    const other = got.vectors[index]
    if (other === undefined) return [{ path, kind: 'lost', sent: vector }]
    if (other.length !== vector.length)
      return [{ path: `${path}/length`, kind: 'changed', sent: vector.length, got: other.length }]
    const isSame = vector.every((value, place) => Math.fround(value) === Math.fround(other[place]!))
    return isSame ? [] : [{ path, kind: 'changed', sent: vector, got: other }]
  })
  const more = got.vectors.length - reply.vectors.length
  return [
    ...vectors,
    ...(more > 0
      ? [{ path: '/vectors', kind: 'changed' as const, sent: reply.vectors.length, got: got.vectors.length }]
      : []),
    ...valueDifference('/usage/input', reply.input, got.input),
  ]
}
