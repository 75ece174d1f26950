/** How well documents fit a query, for rerank routes. */
import { cosine, Embedder } from './embedding.ts'
import { words } from './tokens.ts'

const dimensions = 256

/** Scores documents against a query: 70 % shared words, 30 % cosine; 0 to 1, six digits, best first. */
export function rankDocuments(query: string, documents: readonly string[]): { index: number; score: number }[] {
  const embedder = new Embedder(dimensions)
  const wanted = new Set(words(query))
  const vector = embedder.embed(query)
  const results = documents.map((document, index) => {
    const said = new Set(words(document))
    const shared = wanted.size === 0 ? 0 : [...wanted].filter(word => said.has(word)).length / wanted.size
    const score = 0.7 * shared + 0.3 * Math.max(0, cosine(vector, embedder.embed(document)))
    return { index, score: Math.min(1, Math.round(score * 1e6) / 1e6) }
  })
  return results.sort((a, b) => b.score - a.score || a.index - b.index)
}
