/** Ranks documents by relevance, for rerank routes. */
import { cosine, Embedder } from './embedding.ts'
import { words } from './tokens.ts'

const dimensions = 256

/** Scores documents from 0 to 1 (70% shared words, 30% cosine similarity, six decimals), best first. */
export function rankDocuments(query: string, documents: readonly string[]): { index: number; score: number }[] {
  const embedder = new Embedder(dimensions)
  const queryWords = new Set(words(query))
  const vector = embedder.embed(query)
  const results = documents.map((document, index) => {
    const documentWords = new Set(words(document))
    const shared =
      queryWords.size === 0 ? 0 : [...queryWords].filter(word => documentWords.has(word)).length / queryWords.size
    const score = 0.7 * shared + 0.3 * Math.max(0, cosine(vector, embedder.embed(document)))
    return { index, score: Math.min(1, Math.round(score * 1e6) / 1e6) }
  })
  return results.sort((a, b) => b.score - a.score || a.index - b.index)
}
