/** Ranks documents by relevance, for rerank routes. */
import { Pacer } from 'svc/plugin'
import { cosine, Embedder } from './embedding.ts'
import { words } from './tokens.ts'

const dimensions = 256

interface Ranked {
  index: number
  score: number
}

/** Scores documents from 0 to 1 (70% shared words, 30% cosine similarity, six decimals), best first. */
export function rankDocuments(query: string, documents: readonly string[]): Ranked[] {
  const embedder = new Embedder(dimensions)
  const queryWords = new Set(words(query))
  const vector = embedder.embed(query)
  return ranked(documents.map(document => scoreOf(queryWords, document, cosine(vector, embedder.embed(document)))))
}

/** The same ranking of longer texts. Lets other requests run. */
export async function rankLongDocuments(query: string, documents: readonly string[]): Promise<Ranked[]> {
  const pacer = new Pacer()
  const embedder = new Embedder(dimensions)
  const queryWords = new Set(words(query))
  const vector = await embedder.embedLong(query, pacer)
  const scores: number[] = []
  for (const document of documents) {
    const similarity = cosine(vector, await embedder.embedLong(document, pacer))
    scores.push(scoreOf(queryWords, document, similarity))
    if (pacer.isDue) await pacer.pause()
  }
  return ranked(scores)
}

function scoreOf(queryWords: ReadonlySet<string>, document: string, similarity: number): number {
  let shared = 0
  for (const word of new Set(words(document))) if (queryWords.has(word)) shared += 1
  const part = queryWords.size === 0 ? 0 : shared / queryWords.size
  const score = 0.7 * part + 0.3 * Math.max(0, similarity)
  return Math.min(1, Math.round(score * 1e6) / 1e6)
}

function ranked(scores: readonly number[]): Ranked[] {
  return scores.map((score, index) => ({ index, score })).sort((a, b) => b.score - a.score || a.index - b.index)
}
