/** `POST /v2/rerank` and `POST /v1/rerank`: ranks documents by relevance to a query. */
import { randomUUID } from 'node:crypto'
import type { Engine, LlmRoute, RerankParsed } from '../llm/types.ts'
import { describePost } from './describe.ts'

interface RerankWire {
  top: number
  returnsDocuments: boolean
}

export function rerank(engine: Engine, version: 'v1' | 'v2'): LlmRoute<RerankParsed<RerankWire>> {
  const { json } = engine
  return {
    method: 'POST',
    path: `/${version}/rerank`,
    op: 'rerank',
    describe: describePost(`/${version}/rerank`, `rerank documents (${version})`, [
      {
        name: 'Three documents',
        body: {
          model: 'svc-rerank',
          query: 'capital of France',
          documents: ['Paris is the capital of France', 'Bananas are yellow', 'Lyon lies in France'],
          top_n: 2,
        },
      },
    ]),
    parse(input) {
      const body = input.json()
      const query = json.textOf(body.query)
      if (query === undefined) throw engine.badInput('invalid request: query is required')
      const documents = json
        .listOf(body.documents)
        .map(document => (typeof document === 'string' ? document : json.asText(json.own(document, 'text'))))
      if (documents.length === 0)
        throw engine.badInput('invalid request: documents must be a list with at least one document')
      if (documents.length > input.limits.inputs)
        throw engine.badInput(`invalid request: documents must have at most ${input.limits.inputs} items`)
      return {
        op: 'rerank',
        query,
        documents,
        model: json.textOf(body.model) ?? input.defaultModel ?? 'svc-rerank',
        wire: {
          top: json.countOf(body.top_n) || json.countOf(body.top_k) || documents.length,
          returnsDocuments: body.return_documents === true,
        },
      }
    },
    render({ results, promptTokens }, { model, documents, wire }) {
      const shown = results.slice(0, wire.top).map(({ index, score }) => ({
        index,
        relevance_score: score,
        ...(wire.returnsDocuments ? { document: { text: documents[index] ?? '' } } : {}),
      }))
      return {
        body: {
          id: randomUUID(),
          results: shown,
          model,
          usage: { total_tokens: promptTokens },
          meta: { api_version: { version: version === 'v2' ? '2' : '1' }, billed_units: { search_units: 1 } },
        },
      }
    },
  }
}
